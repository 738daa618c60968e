from __future__ import annotations

import pytest

from mechanic.generate.conftest import PLAIN
from setpoint.model.cover import CoverGoals
from setpoint_mechanic.generate.engine import Engine
from setpoint_mechanic.generate.refinement import polluting, refine, take_out
from setpoint_mechanic.own_tool_calls import OwnCalls

SHOP = """
    PRICES = {"tea": 3}

    def price(name):
        return PRICES[name]

    def raise_price(name, by):
        PRICES[name] += by
"""
OLD = """
    import shop

    def test_price():
        assert shop.price("tea") == 3
"""
NEW = """
    import shop

    def test_first():
        assert shop.PRICES

    def test_spoils():
        shop.raise_price("tea", 2)
        assert shop.price("tea") > 3

    def test_third():
        assert "tea" in shop.PRICES

    def test_is_wrong():
        assert shop.price("tea") == 100
"""


@pytest.fixture
def engine(tree, brief, watcher, toolkit):
    root = tree(shop=SHOP, tests__test_zz_old=OLD, tests__test_new=NEW)
    calls = OwnCalls("implement-1", watcher)
    return Engine(toolkit, brief(root), calls, CoverGoals(paths=("shop.py",)), PLAIN)


VICTIM = "tests/test_zz_old.py::test_price"


async def test_the_test_that_spoils_another_is_found_by_halving(engine, watcher):
    suspects = [f"tests/test_new.py::{name}" for name in ("test_first", "test_spoils", "test_third")]

    assert await polluting(engine, VICTIM, suspects) == "tests/test_new.py::test_spoils"
    assert await polluting(engine, VICTIM, [suspects[0], suspects[2]]) == ""
    assert all(call.ok for call in watcher.calls)


async def test_new_tests_that_spoil_old_ones_or_fail_are_taken_out_and_the_others_stay(engine):
    lines, reach = await refine(engine, {VICTIM}, lambda test: "test_new" in test, {})

    text = (engine.tree / "tests" / "test_new.py").read_text()
    assert "test_first" in text
    assert "test_third" in text
    assert "test_spoils" not in text
    assert "test_is_wrong" not in text
    assert lines == [
        f"test_spoils in tests/test_new.py: taken out, with it, {VICTIM} fails.",
        "test_is_wrong in tests/test_new.py: taken out, it fails among the others.",
    ]
    assert set(reach.outcomes.values()) == {"passed"}


BASKET = b"from shared import Shared\r\n\r\n\r\nclass TestBasket(Shared):\r\n    pass\r\n"
WRONG = b"\r\n\r\ndef test_new():\r\n    assert False\r\n"


def test_a_persons_file_is_never_deleted_and_stays_as_it_was(tmp_path):
    path = tmp_path / "test_basket.py"
    path.write_bytes(BASKET + WRONG)
    before = {"test_basket.py": BASKET}
    taken = take_out(tmp_path, ["test_basket.py::test_new"], "it fails", before)

    assert (path.read_bytes(), taken.changed) == (BASKET, True)
    again = take_out(tmp_path, ["test_basket.py::TestBasket::test_taken_over"], "it fails", before)
    assert (path.read_bytes(), again.changed) == (BASKET, False)
    assert "cannot be taken out" in again.lines[0]
    path.write_bytes(b"def test(:\n")
    assert take_out(tmp_path, ["test_basket.py"], "it is no Python", before).changed
    assert path.read_bytes() == BASKET


def test_a_new_file_goes_with_its_last_test_and_not_before(tmp_path):
    path = tmp_path / "test_new.py"
    path.write_bytes(b"def test_one():\n    pass\n\n\ndef test_two():\n    pass\n")

    take_out(tmp_path, ["test_new.py::test_two"], "it fails", {})
    assert path.read_bytes() == b"def test_one():\n    pass\n"
    take_out(tmp_path, ["test_new.py::test_one"], "it fails", {})
    assert not path.exists()
