from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from setpoint.model.attempt import (
    AttemptLimits,
    BreakageKind,
    Brief,
    Role,
    Stop,
    ToolCall,
    Tried,
    Usage,
)
from setpoint.model.evidence import Cause, Failure
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity
from setpoint.model.ids import LearningId, StoryId
from setpoint.model.learning import LearningKind, LearningStatus, Recollection
from setpoint.model.stories.story import Story
from setpoint.system.files.artifacts import Artifacts
from setpoint_mechanic.repair import MechanicAgent

CALC = "import os\n\n\ndef clamp(x, low, high):\n    return min(max(x, high), high)\n"
TESTS = """\
from calc import clamp


def test_inside():
    assert clamp(2, 1, 3) == 2


def test_below():
    assert clamp(0, 1, 3) == 1


def test_above():
    assert clamp(9, 1, 3) == 3
"""
RED = tuple(
    Failure(test=f"test_calc.py::{name}", cause=Cause.ASSERTION, message="")
    for name in ("test_inside", "test_below")
)
UNUSED = Finding(
    source="ruff",
    rule="F401",
    severity=Severity.WARNING,
    category=Category.STYLE,
    message="os imported but unused",
    file="calc.py",
    line=1,
    fix=Fix(
        description="Remove unused import",
        edits=(Edit(start_line=1, start_column=1, end_line=4, end_column=1, text=""),),
        safe=True,
    ),
)


class Watcher:
    def __init__(self):
        self.calls: list[ToolCall] = []
        self.usage: list[Usage] = []

    def began(self, call):
        pass

    def called(self, call):
        self.calls.append(call)
        return False

    def spent(self, usage):
        self.usage.append(usage)


@pytest.fixture
def watcher():
    return Watcher()


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    (root / "test_calc.py").write_text(TESTS)
    return root


@pytest.fixture
def agent(toolkit):
    return MechanicAgent(toolkit, pytest_args=PLAIN, search_s=40.0, alternatives_s=0.1)


def brief(tree: Path, **keys) -> Brief:
    standard = {
        "role": Role.MAKER,
        "session": "s1",
        "label": "implement-1",
        "prompt": "mend it",
        "workdir": str(tree),
        "python": sys.executable,
        "story": Story(id=StoryId("mend"), title="Mend"),
        "limits": AttemptLimits(wall_s=60.0),
    }
    return Brief(**{**standard, **keys})


async def test_fixes_are_applied_and_failing_tests_are_mended(agent, tree, watcher):
    attempt = await agent.attempt(brief(tree, findings=(UNUSED,), failures=RED), watcher)
    assert attempt.stop is Stop.END_TURN
    assert (tree / "calc.py").read_text() == "def clamp(x, low, high):\n    return min(max(x, low), high)\n"
    assert (tree / "test_calc.py").read_text() == TESTS
    assert [call.name for call in watcher.calls] == [
        "apply_fix",
        "repair_collect",
        "repair_localise",
        "repair_search",
        "repair_confirm",
        "search_repair",
        "apply_patch",
    ]
    assert {call.kind for call in watcher.calls} == {"edit", "execute"}
    assert watcher.calls[-1].files == ("calc.py",)
    assert all(call.ok and call.duration_s is not None for call in watcher.calls)
    assert attempt.tool_calls == len({call.id for call in watcher.calls}) == 7
    assert "plausible, not proven" in attempt.text
    assert attempt.usage.scope == "none"


async def test_a_patch_that_did_not_satisfy_is_not_offered_again(agent, tree, watcher):
    await agent.attempt(brief(tree, failures=RED), watcher)
    first = (tree / "calc.py").read_text()
    (tree / "calc.py").write_text(CALC)
    await agent.attempt(brief(tree, failures=RED), watcher)
    second = (tree / "calc.py").read_text()
    assert first != CALC
    assert second != first


async def test_what_another_session_tried_is_read_from_its_diff(agent, tree, watcher):
    diff = """\
--- a/calc.py
+++ b/calc.py
@@ -2,4 +2,4 @@
-    return min(max(x, high), high)
+    return min(max(x, low), high)
"""
    tried = (Tried(iteration=1, diff=diff, outcome="the reviewer asked for another way"),)
    await agent.attempt(brief(tree, failures=RED, session="s2", tried=tried), watcher)
    assert "min(max(x, low), high)" not in (tree / "calc.py").read_text()


async def test_when_nothing_is_found_the_localisation_is_handed_back(agent, tree, watcher, tmp_path):
    (tree / "calc.py").write_text("def clamp():\n    return 'unwritten'\n")
    (tree / "test_calc.py").write_text(
        "from calc import clamp\n\n\ndef test_inside():\n    assert clamp() == [4, 9]\n"
    )
    attempt = await agent.attempt(brief(tree, failures=RED[:1]), watcher)
    assert attempt.stop is Stop.END_TURN
    assert "No repair was found" in attempt.text
    assert "(exhausted)" in attempt.text
    assert "calc.py:2 (1.00) return 'unwritten'" in attempt.text
    assert "Tried by family of edits: " in attempt.text
    assert attempt.tool_errors == 1
    assert (tree / "calc.py").read_text() == "def clamp():\n    return 'unwritten'\n"
    lines = Artifacts(tmp_path / "artifacts").read(attempt.transcript).decode().splitlines()
    (record,) = [json.loads(line)["repair"] for line in lines if line.startswith('{"repair"')]
    assert (record["status"], record["suspects"][0]["line"]) == ("exhausted", 2)
    assert sum(record["families"].values()) >= record["tried"] > 0


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.PLANNER, Role.RESEARCHER])
async def test_it_plays_no_other_role_and_says_so(agent, tree, watcher, role):
    attempt = await agent.attempt(brief(tree, role=role, failures=RED), watcher)
    assert "does not implement features" in attempt.text
    assert watcher.calls == []
    assert (tree / "calc.py").read_text() == CALC


async def test_with_nothing_to_mend_it_says_so(agent, tree, watcher):
    attempt = await agent.attempt(brief(tree), watcher)
    assert "nothing was done" in attempt.text
    assert attempt.tool_calls == 0


async def test_an_interpreter_that_does_not_start_is_breakage(agent, tree, watcher, tmp_path):
    attempt = await agent.attempt(brief(tree, failures=RED, python=str(tmp_path / "no-python")), watcher)
    assert attempt.stop is Stop.BROKEN
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.CRASH
    assert "no-python" in attempt.breakage.message


async def test_the_transcript_is_kept(agent, tree, watcher, tmp_path):
    attempt = await agent.attempt(brief(tree, failures=RED), watcher)
    kept = Artifacts(tmp_path / "artifacts").read(attempt.transcript).decode()
    assert '"event": "end"' in kept
    assert attempt.text in kept


async def test_what_mended_it_before_is_tried_first(agent, tree, watcher):
    known = "-    return min(max(x, high), high)\n+    return max(low, min(x, high))\n"
    item = Recollection(
        learning=LearningId("l1"),
        kind=LearningKind.PROCEDURAL,
        title="it was cleared",
        body=f"Setpoint verified this change:\n@@ -4,2 +4,2 @@\n{known}",
        rank=1,
        score=1.0,
        confidence=0.7,
        status=LearningStatus.ACTIVE,
        shown=True,
        propensity=0.9,
    )
    attempt = await agent.attempt(brief(tree, failures=RED, recalled=(item,)), watcher)
    assert "max(low, min(x, high))" in (tree / "calc.py").read_text()
    assert "(known)" in attempt.text
