"""`setpoint check --watch`: an edit ends the measurement of the tree before it, with every process of it."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from setpoint.app.checks.watch import keep_measuring
from setpoint.model.evaluation import Evaluation
from setpoint.model.ids import Tree
from setpoint.wiring.project import Project, open_project

SLOW = (
    "import os, subprocess, sys, time\n"
    "from pathlib import Path\n"
    "def test_slow():\n"
    "    argv = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
    "    child = subprocess.Popen(argv, start_new_session=True)\n"
    "    Path({place!r}).write_text(str(child.pid))\n"
    "    time.sleep(600)\n"
)
SETTINGS = "[checks]\nmypy = false\nruff = false\nbandit = false\ncoverage = false\nreruns = 0\n"
SETTINGS += "[sandbox]\nchecks_write = ['{place}']\n"


class Told:
    """Keeps what it is told, and lets a test wait for it."""

    def __init__(self) -> None:
        self.trees: list[tuple[Tree, bool]] = []
        self.evaluations: asyncio.Queue[Evaluation] = asyncio.Queue()

    def began(self, tree: Tree, *, ended_another: bool) -> None:
        self.trees.append((tree, ended_another))

    def measured(self, evaluation: Evaluation) -> None:
        self.evaluations.put_nowait(evaluation)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (tmp_path / "seen").mkdir()
    (root / "setpoint.toml").write_text(SETTINGS.format(place=tmp_path / "seen"))
    (root / "tests/test_a.py").write_text("def test_a(): pass\n")
    git = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*git, *words], cwd=root, check=True, capture_output=True)
    return open_project(root)


@contextlib.asynccontextmanager
async def watched(project: Project) -> Iterator[Told]:
    told = Told()
    task = asyncio.create_task(keep_measuring(project, lambda *_: None, told))
    try:
        yield told
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def alive(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def status(root: Path) -> list[str]:
    argv = ("git", "status", "--porcelain")
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout.split()


async def until(true) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(0.05)


async def test_each_edit_is_measured_and_an_edit_ends_what_still_runs(
    project: Project, tmp_path: Path
) -> None:
    tests, child = project.root / "tests/test_a.py", tmp_path / "seen" / "child"
    async with watched(project) as told, asyncio.timeout(120):
        first = await told.evaluations.get()
        tests.write_text(SLOW.format(place=str(child)))
        await until(lambda: child.is_file() and child.read_text())
        process = int(child.read_text())
        assert alive(process)

        tests.write_text("def test_a():\n    assert 0\n")
        second = await told.evaluations.get()

        assert (len(first.failures), len(second.failures)) == (0, 1)
        assert [ended for _, ended in told.trees] == [False, False, True]
        assert second.tree == told.trees[-1][0] != first.tree
        assert not alive(process)


async def test_what_is_watched_is_left_as_it_is_and_ends_with_its_processes(
    project: Project, tmp_path: Path
) -> None:
    child = tmp_path / "seen" / "child"
    (project.root / "tests/test_a.py").write_text(SLOW.format(place=str(child)))
    async with watched(project):
        await until(lambda: child.is_file() and child.read_text())
    assert not alive(int(child.read_text()))
    assert status(project.root) == ["M", "tests/test_a.py"]
    assert list((project.copies / "measured").iterdir()) == []


async def test_other_settings_count_from_the_next_measurement_on(project: Project) -> None:
    async with watched(project) as told, asyncio.timeout(60):
        first = await told.evaluations.get()
        settings = (project.root / "setpoint.toml").read_text()
        (project.root / "setpoint.toml").write_text(settings.replace("[checks]", "[checks]\npytest = false"))
        second = await told.evaluations.get()
    assert (first.evidence_of("pytest") is None, second.evidence_of("pytest") is None) == (False, True)
