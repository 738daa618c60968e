"""What an expression in a test rests on, and what cannot be taken along."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from setpoint_mechanic.engine.generate.given.sources import TestSource, Unresolved, spots


def piece_of(text, called):
    """Take the first call of a name out of a file of tests."""
    source = TestSource("tests/test_x.py", ast.parse(dedent(text)))
    spot = next(each for each in spots(source) if ast.unparse(each.node.func) == called)
    return source.piece(spot.node, spot.before, spot.params)


def shown(piece):
    return [ast.unparse(step) for step in piece.steps]


def test_only_what_the_value_rests_on_is_taken():
    piece = piece_of(
        """
        import os
        from shop import Store, Row

        PATHS = [1, 2]

        class Fake:
            rows = Row

        def test_one():
            other = os.getcwd()
            fake = Fake(0)
            fake = Fake(1)
            fake.size = 3
            fake.fill(PATHS)
            fake.assert_filled()
            assert fake.size == 3
            assert Store(fake)
        """,
        "Store",
    )

    assert shown(piece) == [
        "PATHS = [1, 2]",
        "fake = Fake(1)",
        "fake.size = 3",
        "fake.fill(PATHS)",
    ]
    assert set(piece.imports) == {"from shop import Store", "from shop import Row"}
    assert piece.texts == ("class Fake:\n    rows = Row",)
    assert piece.takes == ()


def test_fixtures_stay_parameters_and_rows_become_values():
    piece = piece_of(
        """
        import pytest
        from shop import Store

        @pytest.mark.parametrize("size, name", [(3, "a"), (4, "b")])
        def test_one(rows, size, name):
            Store(rows, size)
        """,
        "Store",
    )

    assert shown(piece) == ["size = 3"]
    assert piece.takes == ("rows",)


@pytest.mark.parametrize(
    "body",
    [
        "from .local import Store\ndef test_one():\n    Store(1)",
        "from shop import *\ndef test_one():\n    Store(1)",
        "from shop import Store\ndef test_one():\n    for fake in fakes():\n        Store(fake)",
        "from shop import Store\ndef test_one():\n    with opened() as fake:\n        Store(fake)",
        "from shop import Store\nclass TestIt:\n    def test_one(self):\n        Store(self.helper())",
    ],
)
def test_what_cannot_be_taken_along_is_left(body):
    with pytest.raises(Unresolved):
        piece_of(body, "Store")
