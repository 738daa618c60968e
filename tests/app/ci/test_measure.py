"""The base measured ahead is the base that a run would measure, both runs of its suite included."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from setpoint.app.checks.measure import measure_tree
from setpoint.app.ci.measure import measure_ahead
from setpoint.errors import UsageError
from setpoint.model.ids import Commit
from setpoint.wiring.project import open_project

SETTINGS = "[checks]\nmypy = false\nruff = false\nbandit = false\ncoverage = false\nreruns = 0\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "setpoint.toml").write_text(SETTINGS)
    (root / "tests/test_a.py").write_text("def test_a(): pass\n")
    git = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*git, *words], cwd=root, check=True, capture_output=True)
    return root


def test_what_was_measured_ahead_is_known_the_next_time(root: Path) -> None:
    project = open_project(root)
    measure_tree(project)  # makes no base known: its suite ran once

    first = asyncio.run(measure_ahead(project, lambda *_: None))
    again = asyncio.run(measure_ahead(project, lambda *_: None))

    assert (first.tests_kept, again.tests_kept) == (False, True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    assert again.commit == Commit(head.stdout.strip())
    assert not list((project.copies / "trees").rglob("test_a.py"))


def test_where_nothing_is_committed_there_is_no_base(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "empty")], check=True)
    with pytest.raises(UsageError, match="no commit yet"):
        asyncio.run(measure_ahead(open_project(tmp_path / "empty"), lambda *_: None))
