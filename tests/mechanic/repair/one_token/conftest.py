"""Small projects whose failing tests the mechanic is asked to repair, with the commands of the checks."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from setpoint.checks.suites.suite_commands import suite_commands
from setpoint.checks.survey import Surveyor
from setpoint.model.attempt import AttemptLimits, Brief, Role
from setpoint.model.evidence import Cause, Failure
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.story import Story
from setpoint.ports import WorkCopy
from setpoint.system.git.git import head, tree_of
from setpoint.wiring.project import open_project

Ask = Callable[..., Awaitable[Brief]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    async def make(files: dict[str, str], *tests: str, program: str) -> Brief:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
        root = tmp_path / "project"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        for words in (
            ("init", "-q"),
            ("add", "-A"),
            ("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-qm", "start"),
        ):
            await asyncio.to_thread(subprocess.run, ("git", *words), cwd=root, check=True)
        project = await asyncio.to_thread(open_project, root)
        base = await head(root)
        tree = await tree_of(root, base)
        copy = WorkCopy(trace_id=TraceId("t1"), path=str(root), base=base, base_tree=tree)
        surveyor = Surveyor(project.settings, project.artifacts, project.folders)
        seen = await surveyor.look_at(root, copy, base)
        commands = suite_commands(seen, project.settings.checks, project.artifacts, tmp_path / "cache")
        return Brief(
            role=Role.MAKER,
            session="s1",
            label="implement-1",
            prompt="mend it",
            workdir=str(root),
            story=Story(id=StoryId("mend"), title="Mend"),
            limits=AttemptLimits(wall_s=120.0),
            failures=tuple(Failure(test=test, cause=Cause.ASSERTION, message="") for test in tests),
            suite_commands=commands,
        )

    return make
