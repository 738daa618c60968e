"""What the mechanic says of a search."""

from __future__ import annotations

import pytest

from setpoint_mechanic.engine.wire.repair import Patch, Result
from setpoint_mechanic.repair.summary import told_repair


def told(cleared: int, checked: int, family: str = "operator") -> str:
    patch = Patch(
        file="a.go",
        line=2,
        template=family,
        diff="",
        text="",
        size=1,
        score=1.0,
        cleared=tuple(f"p::Test{each}" for each in range(cleared)),
        remaining=(),
        checked=checked,
        digest="d",
        confirmed=True,
    )
    return "\n".join(told_repair(Result(mode="each tried in a copy", patches=[patch])))


@pytest.mark.parametrize(
    ("cleared", "checked", "said"),
    [
        (1, 1, "1 failing test passes with it, 1 other still passes, seen"),
        (2, 22, "2 failing tests pass with it, 22 others still pass, seen"),
    ],
)
def test_counts_are_told_in_the_right_number(cleared: int, checked: int, said: str) -> None:
    assert said in told(cleared, checked)


def test_an_edit_that_inverts_a_condition_is_doubted() -> None:
    assert "inverts a condition for every input" in told(1, 1, "negation")
    assert "by chance" not in told(1, 1)
