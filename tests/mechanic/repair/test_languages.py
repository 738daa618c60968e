"""Failing tests of languages that the mechanic does not search in: it says so at once."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.model.attempt import AttemptLimits, BreakageKind, Brief, Role
from setpoint.model.evidence import Cause, Failure
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint_mechanic.repair import MechanicAgent
from setpoint_mechanic.repair.child_processes import started_in


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


async def test_without_a_test_of_its_languages_nothing_is_started_and_the_reason_is_told(
    toolkit, tmp_path
) -> None:
    watcher = Watcher()

    attempt = await MechanicAgent(toolkit).attempt(
        brief(tmp_path, "calc::tests::adds", "com.example.CalcTest::adds"), watcher
    )

    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING  # it is not tried again; the next agent goes on
    assert "tests of Python, of `go test`, and of vitest" in attempt.breakage.message
    assert "calc::tests::adds is none of these" in attempt.breakage.message
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


STARTS = """import os
import subprocess
import sys


def test_add():
    done = subprocess.run([sys.executable, "calc.py"], capture_output=True, text=True)
    assert done.stdout.strip() == "4"
"""


async def test_code_in_a_process_of_its_own_is_named_and_left_to_another_agent(toolkit, tmp_path) -> None:
    (tmp_path / "calc.py").write_text("print(2 - 2)\n")
    (tmp_path / "test_calc.py").write_text(STARTS)

    attempt = await MechanicAgent(toolkit, alternatives_s=0.1).attempt(
        brief(tmp_path, "test_calc.py::test_add"), Watcher()
    )

    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert "`subprocess.run` in test_calc.py" in attempt.breakage.message


async def test_without_an_interpreter_it_says_so_at_once(toolkit, tmp_path) -> None:
    asked = brief(tmp_path, "test_calc.py::test_add").model_copy(update={"python": ""})
    attempt = await MechanicAgent(toolkit).attempt(asked, Watcher())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert "checks.python" in attempt.breakage.message


def test_calls_that_start_processes_are_found_by_their_names(tmp_path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import os, subprocess\n\ndef test_a():\n    os.system('x')\n    subprocess.Popen('x')\n"
        "    os.path.join('a')\n    subprocess.run('y')\n    subprocess.run('z')\n"
    )
    found = started_in(str(tmp_path), ("test_a.py::test_a", "gone.py::test_b"))
    assert found == (
        "`os.system` in test_a.py",
        "`subprocess.Popen` in test_a.py",
        "`subprocess.run` in test_a.py",
    )
