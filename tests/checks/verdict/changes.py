"""Changes of small projects, measured as a run measures them, for the runs of a verdict."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from checks.conftest import git, write
from plain_pytest import PLAIN
from setpoint.checks.measurement import Measuring, Task
from setpoint.checks.survey import Surveyor
from setpoint.checks.trees.checkout import check_out
from setpoint.checks.verdict.subject import Subject, subject_of
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.attempt import Attempt, Stop
from setpoint.model.evaluation import Stage
from setpoint.model.exam import Examiner
from setpoint.model.ids import Commit, StoryId, TraceId, Tree
from setpoint.model.proof import ObligationState, ProofTerms
from setpoint.model.stories.story import Story
from setpoint.ports import Measured
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace.work_copy import GitWorkspace

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0, python=sys.executable, pytest_args=PLAIN)


def soon(seconds: float = 60.0) -> float:
    """Return a time until which a run may work."""
    return time.monotonic() + seconds


def _recorded(root: Path, files: Mapping[str, str | None], said: str) -> tuple[Commit, Tree]:
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-qm", said)
    return Commit(git(root, "rev-parse", "HEAD")), Tree(git(root, "rev-parse", "HEAD^{tree}"))


async def changed(
    root: Path,
    base: Mapping[str, str],
    change: Mapping[str, str | None],
    *,
    checks: ChecksSettings = QUICK,
    **story: object,
) -> Subject:
    """Make a project at `root`, change it, and measure both."""
    folders = ProjectFolders(root, root / ".setpoint", root.with_name(f"{root.name}.copies"))
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    first, tree = _recorded(root, {".gitignore": ".setpoint\n__pycache__\n", **base}, "base")
    folders.state.mkdir()
    settings, artifacts = Settings(checks=checks), Artifacts(folders.state / "artifacts")
    workspace = GitWorkspace(folders)
    copy = await workspace.open(TraceId("run-1"), first)
    project = await Surveyor(settings, artifacts, folders).look_at(root, copy, first)
    told = Story(id=StoryId("s"), **{"title": "Do it", **story})
    measuring = Measuring(settings=settings, artifacts=artifacts, state=folders.state)
    there = await check_out(folders, Measured(copy=copy, commit=first, tree=tree, stage=Stage.BASE))
    task = Task(project=project, story=told)
    stood = await measuring.measure(task, there)
    write(Path(copy.path), change)
    attempt = Attempt(agent="t", stop=Stop.END_TURN, started_at=datetime.now(UTC), duration_s=0)
    made = await workspace.snapshot(copy, "make-1", attempt)
    there = Measured(copy=copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    place = await check_out(folders, there)
    task = Task(project=project, story=told, base=stood)
    scratch = Path(tempfile.mkdtemp(dir=root.parent))
    return await subject_of(measuring, task, place, ProofTerms(), scratch)


def witnesses_of(subject: Subject) -> tuple[Witness, ...]:
    """Return the tests that pass on the result and not at the base."""
    new = sorted(passed_in(subject.now.tests) - passed_in(subject.base.tests))
    return tuple(Witness(name=test, why="new", by=Examiner.MAKER) for test in new)
