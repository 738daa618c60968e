"""A folder elsewhere, in which the tree of a result or of its base is run plainly."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.measurement import furnish
from setpoint.checks.suites.plain_runs import PlainPlace, show_packages
from setpoint.checks.suites.steps_before import run_before
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.checks.trees.checkout import put_at, repository_of
from setpoint.checks.verdict.subject import Subject
from setpoint.model.ids import Commit
from setpoint.system.git.separate_repository import around

_TRIES = 2


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """Another folder, which is called as the project's own is."""

    subject: Subject
    folder: Path
    """Holds the tree, and beside it what the runs leave."""
    seed: int

    def plain(self, limit_s: float) -> PlainPlace:
        """Return where tests run."""
        project = self.subject.task.project
        tree = self.folder / "src" / "in" / project.root.name
        left = self.folder / "out"
        return PlainPlace(project=project, tree=tree, left=left, seed=self.seed, limit_s=limit_s)

    async def hold(self, commit: Commit, limit_s: float) -> PlainPlace:
        """Check out a commit, with nothing left of the one before."""
        place, project, copy = self.plain(limit_s), self.subject.task.project, self.subject.place.copy
        await put_at(place.tree, repository_of(copy), commit)
        await furnish(project, place.tree)
        await asyncio.to_thread(show_packages, around(Path(copy.path)), (place.tree.parent, self.folder))
        call = project.layout.python_call
        if call is not None:
            await run_before(call.before, call.shown, place.tree, place.variables())
        return place

    async def refuses(self, command: Acceptance, commit: Commit) -> bool:
        """Whether a command fails on a commit, each time that it is tried."""
        for _ in range(_TRIES):
            place = await self.hold(commit, command.timeout_s)
            argv = ("/bin/sh", "-c", command.command)
            if (await place.call(argv, place.variables(), memory_bytes=command.memory_bytes)).ok:
                return False
        return True


@asynccontextmanager
async def elsewhere_of(subject: Subject, seed: int) -> AsyncIterator[Elsewhere]:
    """Make such a folder, and remove it afterwards."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        yield Elsewhere(subject=subject, folder=folder, seed=seed)
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))
