"""A small repository with a work copy, as a run would have it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.survey import Survey, Surveyor
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.attempt import Attempt, Role, Stop
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import RunOrder, Snapshot
from setpoint.model.stories.story import Story
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace.work_copy import GitWorkspace

PIPELINE = Pipeline(
    name="p",
    phases=(
        Phase(name="make", kind=PhaseKind.MAKE, role=Role.MAKER),
        Phase(name="evaluate", kind=PhaseKind.MEASURE, stage=Stage.EVALUATE),
        Phase(name="test", kind=PhaseKind.MEASURE, stage=Stage.TEST),
    ),
)


def git(root: Path, *argv: str) -> str:
    words = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", *argv)
    return subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def write(root: Path, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        place = root / path
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")


def folders_of(root: Path) -> ProjectFolders:
    """Name the folders of a project as these tests lay them out."""
    return ProjectFolders(root, root / ".setpoint", root.with_name(f"{root.name}.copies"))


@dataclass
class Bench:
    """A project, its work copy, and the evaluator under test."""

    root: Path
    order: RunOrder
    copy: WorkCopy
    evaluator: ProjectEvaluator
    workspace: GitWorkspace
    artifacts: Artifacts
    state: Path
    settings: Settings
    number: int = 0
    last: Snapshot | None = None
    restored: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def folders(self) -> ProjectFolders:
        return folders_of(self.root)

    @property
    def copies(self) -> Path:
        return self.folders.copies

    @property
    def tree(self) -> Path:
        return Path(self.copy.path)

    async def change(self, files: dict[str, str | None]) -> Snapshot:
        """Do what a maker does, protect the tests, and record it."""
        write(self.tree, files)
        return await self.record()

    async def record(self) -> Snapshot:
        self.restored.append(await self.evaluator.protect(self.order, self.copy))
        self.number += 1
        attempt = Attempt(agent="t", stop=Stop.END_TURN, started_at=datetime.now(UTC), duration_s=0)
        self.last = await self.workspace.snapshot(self.copy, f"make-{self.number}", attempt)
        return self.last

    async def measure(self, stage: Stage, *suspects: str) -> Evaluation:
        commit = self.order.base if stage is Stage.BASE or self.last is None else self.last.commit
        tree = self.copy.base_tree if stage is Stage.BASE or self.last is None else self.last.tree
        measured = Measured(copy=self.copy, commit=commit, tree=tree, stage=stage, suspects=suspects)
        return await self.evaluator.evaluate(self.order, measured)

    def use(self, settings: Settings) -> None:
        self.settings = settings
        self.evaluator = ProjectEvaluator(settings, self.artifacts, self.folders)

    async def standing(self) -> Evaluation:
        return await TreeEvaluator(self.settings, self.artifacts, self.folders).measure(self.root)

    async def survey(self) -> Survey:
        return await Surveyor(self.settings, self.artifacts, self.folders).survey(self.root)


@pytest.fixture
def bench(tmp_path: Path):
    """Make a bench of files at the base; keyword arguments go to the story."""

    async def make(
        files: dict[str, str | None], *, settings: ChecksSettings | None = None, **story: object
    ) -> Bench:
        root, state = tmp_path / "project", tmp_path / "project" / ".setpoint"
        write(root, {".gitignore": ".setpoint\n__pycache__\n", **files})
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "base")
        state.mkdir()
        base = Commit(git(root, "rev-parse", "HEAD"))
        order = RunOrder(
            trace_id=TraceId("run-1"),
            root=str(root),
            base=base,
            story=Story(id=StoryId("s"), title="Do it", **story),
            pipeline=PIPELINE,
            branch="setpoint/s",
            started_at=datetime.now(UTC),
        )
        workspace, artifacts = GitWorkspace(folders_of(root)), Artifacts(state / "artifacts")
        checks = settings or ChecksSettings(bandit=False, coverage=False, reruns=0)
        ours = {"python": sys.executable, "pytest_args": checks.pytest_args or PLAIN}
        if "evaluate_s" not in checks.model_fields_set:
            ours["evaluate_s"] = 0.0  # most tests of `evaluate` are about what is chosen where time is short
        chosen = Settings(checks=checks.model_copy(update=ours))
        evaluator = ProjectEvaluator(chosen, artifacts, folders_of(root))
        copy = await workspace.open(order.trace_id, base)
        return Bench(root, order, copy, evaluator, workspace, artifacts, state, chosen)

    return make
