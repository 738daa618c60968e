"""What is measured early, and what is not measured again: impacted tests, kept results, told at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from checks.conftest import folders_of
from setpoint.checks.impact import Impact, fitting
from setpoint.checks.judge import FullReport
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.checks.trees.working_tree import TreeRecorder
from setpoint.errors import WorkspaceError
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState, Outcome
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts

CODE = "def add(a, b):\n    return a + b\ndef sub(a, b):\n    return a - b\n"
TESTS = (
    "from calc import add, sub\ndef test_add():\n    assert add(1, 2) == 3\n"
    "def test_sub():\n    assert sub(2, 1) == 1\ndef test_red():\n    assert 1 == 2\n"
)
FILES = {"calc.py": CODE, "tests/test_calc.py": TESTS, "README.md": "calc\n", "ruff.toml": ""}
ADD, SUB, RED = (f"tests/test_calc.py::test_{name}" for name in ("add", "sub", "red"))
CHECKS = ChecksSettings(python=sys.executable, coverage=False, reruns=0, mypy=False)


def standing(root: Path, told=None) -> TreeEvaluator:
    state = root / ".setpoint"
    return TreeEvaluator(
        Settings(checks=CHECKS), Artifacts(state / "artifacts"), folders_of(root), told or (lambda *_: None)
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    for path, text in {".gitignore": ".setpoint\n__pycache__\n", **FILES}.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        git(made, *words)
    return made


def git(root: Path, *words: str) -> str:
    argv = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", *words)
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def outcomes(root: Path, evaluation) -> dict[str, Outcome]:
    text = Artifacts(root / ".setpoint" / "artifacts").read(evaluation.report)
    report = FullReport.model_validate_json(text)
    return next((dict(each.tests.outcomes) for each in report.results if each.tests), {})


async def _evaluated(bench, evaluate_s: float):
    slow = "import time\ndef test_slow():\n    time.sleep(0.5)\n"
    made = await bench(
        {"calc.py": CODE, "tests/test_calc.py": TESTS, "tests/test_slow.py": slow},
        settings=CHECKS.model_copy(update={"evaluate_s": evaluate_s}),
    )
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a - b", "a * b")})
    return await made.measure(Stage.EVALUATE)


async def test_a_suite_for_which_there_is_time_runs_whole_in_each_round(bench) -> None:
    evaluated = await _evaluated(bench, 60.0)

    assert [failure.test for failure in evaluated.failures] == [SUB]
    assert evaluated.test_counts == {"failed": 2, "passed": 2}


async def test_where_time_is_short_the_tests_that_the_change_reaches_come_first(bench) -> None:
    evaluated = await _evaluated(bench, 0.4)

    assert [failure.test for failure in evaluated.failures] == [SUB]
    assert evaluated.test_counts["failed"] in (1, 2)  # the one that failed before takes no time
    assert "1 wait for the test phase" in evaluated.evidence_of("pytest").reason


def test_tests_are_taken_while_they_fit_those_that_a_change_reaches_first() -> None:
    raw = SimpleNamespace(durations={"a::slow": 5.0, "a::quick": 1.0, "b::other": 0.5, "b::long": 9.0})
    reach = SimpleNamespace(raw=raw, total_s=15.5)
    impact = Impact(names=frozenset({"a"}), share=6 / 15.5)

    assert fitting(reach, impact, 0.0) == ()
    assert fitting(reach, impact, 1.0 / 15.5) == ("a::quick",)
    assert fitting(reach, impact, 6.6 / 15.5) == ("a::quick", "a::slow", "b::other")
    assert len(fitting(reach, impact, 1.0)) == 4


async def test_fast_runs_what_the_change_reaches_and_what_was_red(root: Path) -> None:
    whole = await standing(root).measure(root)
    (root / "calc.py").write_text(CODE.replace("a + b", "b + a"))
    fast = await standing(root).measure(root, fast=True)

    assert outcomes(root, whole) == {ADD: Outcome.PASSED, SUB: Outcome.PASSED, RED: Outcome.FAILED}
    assert outcomes(root, fast) == {ADD: Outcome.PASSED, RED: Outcome.FAILED}


async def test_fast_runs_everything_where_nothing_is_known(root: Path) -> None:
    fast = await standing(root).measure(root, fast=True)
    assert set(outcomes(root, fast)) == {ADD, SUB, RED}


async def test_an_unchanged_tree_is_not_measured_again_unless_asked(root: Path) -> None:
    told: list[CheckResult] = []
    first = await standing(root).measure(root)
    again = await standing(root, lambda _, result: told.append(result)).measure(root)
    assert (again.failures, again.tree) == (first.failures, first.tree)
    assert all(each.cached for each in again.evidence)
    assert told == []

    fresh = await standing(root, lambda _, result: told.append(result)).measure(root, fresh=True)
    assert {each.check for each in fresh.evidence if each.cached} == set()
    assert {each.evidence.check for each in told} == {each.check for each in fresh.evidence}


async def test_own_commands_run_again_where_a_program_came_to_path(root: Path, monkeypatch) -> None:
    programs = root.parent / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    (root / "Makefile").write_text("lint:\n\tlook-at-style .\n")
    told: list[CheckResult] = []

    first = await standing(root).measure(root)
    await standing(root, lambda _, result: told.append(result)).measure(root)
    (programs / "look-at-style").write_text("#!/bin/sh\n")
    denied = await standing(root).measure(root)
    (programs / "look-at-style").chmod(0o755)
    again = await standing(root).measure(root)

    assert first.evidence_of("own_lint").state is CheckState.NOT_MEASURED
    assert told == []
    assert "Permission denied" in denied.evidence_of("own_lint").reason
    assert again.evidence_of("own_lint").state is CheckState.PASS


async def test_what_a_tool_does_not_read_does_not_run_it_again(root: Path) -> None:
    await standing(root).measure(root)
    (root / "README.md").write_text("other\n")
    now = await standing(root).measure(root)

    cached = {each.check: each.cached for each in now.evidence}
    assert (cached["ruff"], cached["pytest"]) == (True, False)
    assert {each.tree for each in now.evidence} == {now.tree}


async def test_the_whole_is_not_kept_where_packages_of_another_language_have_a_say(root: Path) -> None:
    (root / "package.json").write_text("{}")
    told: list[CheckResult] = []
    await standing(root).measure(root)
    again = await standing(root, lambda _, result: told.append(result)).measure(root)
    assert {each.evidence.check for each in told} >= {"pytest", "ruff"}
    assert again.evidence_of("pytest").cached  # though the test that fails is known to do so by now


async def test_checks_of_a_tree_share_the_cache_of_the_type_checker(root: Path) -> None:
    asked = CHECKS.model_copy(update={"pytest": False})
    asked = ChecksSettings.model_validate(
        {**asked.model_dump(), "mypy": True, "ruff": False, "bandit": False}
    )
    state = root / ".setpoint"
    evaluator = TreeEvaluator(Settings(checks=asked), Artifacts(state / "artifacts"), folders_of(root))
    first = await evaluator.measure(root)
    assert first.evidence_of("mypy").state is CheckState.PASS
    assert [each.name for each in (state / "cache" / "tools").iterdir()] == ["shared"]
    kept = (state / "cache" / "tools" / "shared" / "mypy").rglob("*")
    assert any(each.is_file() and each.stat().st_size for each in kept)


async def test_a_deleted_file_and_an_ignored_one_are_seen_in_a_tree_recorded_again(root: Path) -> None:
    first = await standing(root).measure(root, fast=True)
    (root / "extra.py").write_text("X = 1\n")
    more = await standing(root).measure(root, fast=True)
    (root / "extra.py").unlink()
    back = await standing(root).measure(root, fast=True)
    assert first.tree == back.tree != more.tree


async def test_a_file_that_is_tracked_though_ignored_is_seen_after_a_commit(root: Path) -> None:
    await standing(root).measure(root, fast=True)
    (root / ".gitignore").write_text(".setpoint\n__pycache__\n*.gen.py\n")
    (root / "made.gen.py").write_text("X = 1\n")
    for words in (("add", "-A"), ("add", "-f", "made.gen.py"), ("commit", "-qm", "made")):
        git(root, *words)
    made = await standing(root).measure(root, fast=True)
    assert made.tree == git(root, "rev-parse", "HEAD^{tree}")
    (root / "made.gen.py").write_text("X = 2\n")
    assert (await standing(root).measure(root, fast=True)).tree != made.tree


async def test_cancelling_ends_a_grandchild_with_a_session(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    (root / "tests" / "test_slow.py").write_text(
        "import subprocess, sys, time\ndef test_slow():\n"
        "    code = 'import os, sys, time; open(sys.argv[1], \"w\").write(str(os.getpid()));'\n"
        "    code += 'time.sleep(600)'\n"
        f"    place = {str(mark)!r}\n"
        "    subprocess.Popen([sys.executable, '-c', code, place], start_new_session=True)\n"
        "    time.sleep(600)\n"
    )
    task = asyncio.create_task(standing(root).measure(root))
    while not (mark.exists() and mark.read_text()):  # noqa: ASYNC110 - a file of another process
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    stat = Path(f"/proc/{mark.read_text()}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"


async def test_a_place_is_begun_while_the_tree_is_recorded_and_goes_where_it_cannot_be(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = folders_of(root).copies
    begun = []

    async def unreadable(self: TreeRecorder, folder: Path) -> None:
        while not begun:  # the place is made meanwhile
            begun.extend((copies / "repositories").glob("check-*"))
            await asyncio.sleep(0.01)
        raise WorkspaceError("the tree cannot be recorded")

    with monkeypatch.context() as patched:
        patched.setattr(TreeRecorder, "record", unreadable)
        with pytest.raises(WorkspaceError, match="cannot be recorded"):
            await asyncio.wait_for(standing(root).measure(root), 60)
    assert begun
    assert [*(copies / "repositories").glob("check-*")] == [*(copies / "measured").glob("check-*")] == []
    assert (await standing(root).measure(root)).test_counts == {"passed": 2, "failed": 1}


async def test_fast_does_not_call_red_what_only_misses_the_tests_before_it(root: Path) -> None:
    tests = "from calc import add\nSEEN = []\ndef test_one():\n    SEEN.append(1)\n"
    tests += "def test_two():\n    assert SEEN\n    assert add(1, 2) == 3\n"
    (root / "tests" / "test_calc.py").write_text(tests)
    whole = await standing(root).measure(root)
    (root / "calc.py").write_text(CODE.replace("a + b", "b + a"))
    fast = await standing(root).measure(root, fast=True)

    assert whole.failures == fast.failures == ()
    assert outcomes(root, fast) == {"tests/test_calc.py::test_two": Outcome.ORDER_DEPENDENT}
