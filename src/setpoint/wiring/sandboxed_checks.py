"""Checks run what agents wrote; where it is asked for, that code is kept from the record and the user."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.model.evaluation import Evaluation
from setpoint.model.proof import NOBODY, Proof, SealedTest, SealedTrial, Vouched
from setpoint.model.run import RunOrder
from setpoint.ports import Evaluator, Measured, Toolbox, WorkCopy
from setpoint.settings import Settings
from setpoint.system.processes import Confinement, Trial, confining
from setpoint.wiring.project import Project
from setpoint.workspace import cache_folder

PERSONAL = (
    ".ssh", ".gnupg", ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".gitconfig", ".netrc", ".pypirc", ".npmrc",
)  # fmt: skip
"""Files in the home folder that later run with the user's rights, or that contain keys."""


async def holder_of_checks(settings: Settings) -> Trial | None:
    """Return what holds the commands of checks; none where nothing does, or shall.

    Raises `SandboxUnavailable` where the means that is asked for does not work here.
    """
    return await Sandbox().usable(settings.sandbox.checks, "sandbox.checks")


@asynccontextmanager
async def shielded(project: Project, settings: Settings) -> AsyncIterator[None]:
    """Keep the commands of this block from the user's tree, the state and the personal files of the home."""
    held = await holder_of_checks(settings)
    if held is None:
        yield
        return
    home, cache = Path.home(), cache_folder(project.settings, project.root)
    places = [project.root, project.state, cache, *(home / name for name in PERSONAL)]
    kept = tuple(dict.fromkeys(str(place.resolve()) for place in places if place.exists()))
    # Checks work in the first, tools keep their caches in the second.
    inner = [project.copies / "measured", project.state / "cache" / "tools"]
    for folder in inner:
        folder.mkdir(parents=True, exist_ok=True)
    # Where what is kept lies below the folder for temporary files, nothing new may be made there.
    temp = Path(tempfile.mkdtemp(prefix="setpoint-")).resolve()
    below = any(Path(place).is_relative_to(temp.parent) for place in kept)
    confinement = Confinement(
        means=held.means,
        shielded=kept,
        writable=tuple(str(folder.resolve()) for folder in inner),
        environment={"TMPDIR": str(temp)} if below else {},
    )
    try:
        with confining(confinement):
            yield
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, temp, ignore_errors=True))


class ShieldedEvaluator:
    """Wraps the evaluator of a run: its processes run in the configured sandbox."""

    def __init__(self, inner: Evaluator, project: Project, settings: Settings) -> None:
        """Take the evaluator and what tells how it is held."""
        self._inner, self._project, self._settings = inner, project, settings

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""
        async with shielded(self._project, self._settings):
            return await self._inner.prepare(order, copy)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Restore protected files that the maker changed to the base; return their paths."""
        return await self._inner.protect(order, copy)

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""
        async with shielded(self._project, self._settings):
            return await self._inner.evaluate(order, measured)

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Measure what proves a tree."""
        async with shielded(self._project, self._settings):
            return await self._inner.prove(order, measured, vouched)

    async def try_sealed(self, order: RunOrder, copy: WorkCopy, tests: tuple[SealedTest, ...]) -> SealedTrial:
        """Run sealed tests at the base."""
        async with shielded(self._project, self._settings):
            return await self._inner.try_sealed(order, copy, tests)
