"""Checks that are spared the files they looked at before, seen as `setpoint check --fast` uses them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checks.conftest import folders_of
from setpoint.checks.judge import FullReport
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts

BAD = "import subprocess\nsubprocess.call('x', shell=True)\n"
FILES = {
    "bad.py": BAD,
    "good.py": "X = 1\n",
    ".bandit": "[bandit]\n",
    ".gitignore": ".setpoint\n__pycache__\n",
    "tests/test_a.py": "def test_a(): pass\n",
}
CHECKS = ChecksSettings(python=sys.executable, coverage=False, mypy=False, ruff=False, bandit=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


async def bandit(root: Path, *, fast: bool = True):
    """Give bandit's result, the files that it was really pointed at, and those with findings."""
    artifacts = Artifacts(root / ".setpoint" / "artifacts")
    made = await TreeEvaluator(Settings(checks=CHECKS), artifacts, folders_of(root)).measure(root, fast=fast)
    report = FullReport.model_validate_json(artifacts.read(made.report))
    result = next(each for each in report.results if each.evidence.check == "bandit")
    looked = tuple(word for word in result.evidence.argv if word.endswith(".py"))
    return result, looked, {finding.file for finding in result.findings}


async def test_only_changed_files_are_looked_at_and_the_findings_of_the_others_stay(root: Path) -> None:
    _, first, _ = await bandit(root, fast=False)
    (root / "good.py").write_text("X = 2\n")
    result, looked, found = await bandit(root)

    assert (first, looked, found) == (("bad.py", "good.py"), ("good.py",), {"bad.py"})
    assert result.state is CheckState.FAIL
    assert result.evidence.counts["findings"] == len(result.findings) > 0
    assert result.evidence.counts["files_unchanged"] == 1

    (root / "bad.py").write_text("X = 3\n")
    result, looked, found = await bandit(root)
    assert (looked, found, result.state) == (("bad.py",), set(), CheckState.PASS)

    (root / "good.py").write_text(BAD)
    result, looked, found = await bandit(root, fast=False)  # what a verdict rests on looks at all
    assert (looked, found) == (("bad.py", "good.py"), {"good.py"})


async def test_other_settings_of_the_tool_look_at_all_again(root: Path) -> None:
    await bandit(root, fast=False)
    (root / ".bandit").write_text("[bandit]\nskips = B404,B602,B607\n")

    result, looked, found = await bandit(root)

    assert (looked, found, result.state) == (("bad.py", "good.py"), set(), CheckState.PASS)


async def test_a_file_that_cannot_be_read_stays_an_error_and_nothing_of_the_run_is_kept(root: Path) -> None:
    await bandit(root, fast=False)
    (root / "good.py").write_text("def f(:\n")
    broken, _, _ = await bandit(root)
    (root / "tests/test_a.py").write_text("def test_a():\n    assert True\n")
    again, looked, _ = await bandit(root)

    assert (broken.state, again.state) == (CheckState.ERROR, CheckState.ERROR)
    assert looked == ("good.py",)


async def test_a_moved_file_is_looked_at_again(root: Path) -> None:
    await bandit(root, fast=False)
    (root / "bad.py").rename(root / "worse.py")

    _, looked, found = await bandit(root)

    assert (looked, found) == (("worse.py",), {"worse.py"})


async def test_syntax_errors_of_unchanged_files_are_told_again(root: Path) -> None:
    (root / "bad.py").write_text("def f(:\n")
    await bandit(root, fast=False)
    (root / "good.py").write_text("X = 2\n")
    artifacts = Artifacts(root / ".setpoint" / "artifacts")
    made = await TreeEvaluator(Settings(checks=CHECKS), artifacts, folders_of(root)).measure(root, fast=True)

    parsed = next(each for each in made.evidence if each.check == "parse")
    assert (parsed.state, parsed.counts["findings"]) == (CheckState.FAIL, 1)
    assert {finding.file for finding in made.findings if finding.source == "parse"} == {"bad.py"}
