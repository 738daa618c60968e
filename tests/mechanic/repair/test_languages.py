"""Failing tests that are not of Python: the mechanic says at once that it cannot search with them."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.model.attempt import AttemptLimits, BreakageKind, Brief, Role
from setpoint.model.evidence import Cause, Failure
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint_mechanic.repair import MechanicAgent


class Watcher:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def began(self, call) -> None:
        self.calls.append(call.name)

    def said(self, text: str) -> None:
        pass

    def called(self, call) -> bool:
        self.calls.append(call.name)
        return False

    def spent(self, usage) -> None:
        pass


def brief(tree: Path, *tests: str) -> Brief:
    return Brief(
        role=Role.MAKER,
        session="s1",
        label="implement-1",
        prompt="mend it",
        workdir=str(tree),
        python=sys.executable,
        story=Story(id=StoryId("mend"), title="Mend"),
        limits=AttemptLimits(wall_s=60.0),
        failures=tuple(Failure(test=test, cause=Cause.ASSERTION, message="") for test in tests),
    )


async def test_without_a_test_of_python_nothing_is_started_and_the_reason_is_told(toolkit, tmp_path) -> None:
    watcher = Watcher()

    attempt = await MechanicAgent(toolkit).attempt(
        brief(tmp_path, "test/a.test.ts::adds", "example.com/calc::TestAdd"), watcher
    )

    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING  # it is not tried again; the next agent goes on
    assert "Python tests alone" in attempt.breakage.message
    assert "test/a.test.ts::adds" in attempt.breakage.message
    assert "--agent" in attempt.breakage.message
    assert watcher.calls == []


async def test_beside_others_those_of_python_are_searched_with(toolkit, tmp_path) -> None:
    (tmp_path / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (tmp_path / "test_calc.py").write_text(
        "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"
    )

    attempt = await MechanicAgent(toolkit, alternatives_s=0.1).attempt(
        brief(tmp_path, "test/a.test.ts::adds", "test_calc.py::test_add"), Watcher()
    )

    assert attempt.breakage is None
    assert "a + b" in (tmp_path / "calc.py").read_text()
