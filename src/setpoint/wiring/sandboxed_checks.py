"""Checks run what agents wrote; that code is held back from everything but its own copy."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.discovery.interpreter import environments, own_code
from setpoint.errors import SettingsError
from setpoint.model.config.sandbox import Means
from setpoint.model.evaluation import Evaluation
from setpoint.model.proof import NOBODY, HiddenTests, HiddenTrial, Proof, Vouched
from setpoint.settings import Settings, inherited
from setpoint.system.files.private_folder import temporary_place
from setpoint.system.processes import Hold, Trial, clean_environment, holding, withholding
from setpoint.system.processes.available import AvailableMeans
from setpoint.system.processes.confinement import usable_devices
from setpoint.system.processes.writable_paths import Places
from setpoint.wiring.project import Project
from setpoint.workspace.copies_folder import cache_folder

if TYPE_CHECKING:
    from setpoint.agents.selection import Agents
    from setpoint.checks.run_evaluator import ProjectEvaluator
    from setpoint.model.product import ProductView, Shown
    from setpoint.model.run import RunOrder
    from setpoint.ports import Measured, Toolbox, WorkCopy

_AVAILABLE = AvailableMeans()
"""What works on this machine does not change while Setpoint runs, and each measurement asks."""


async def sandbox_of_checks(settings: Settings) -> Trial | None:
    """Return what holds the commands of checks; none where nothing does, or shall.

    Raises `SandboxUnavailable` where the means that is asked for does not work here.
    """
    return await _AVAILABLE.usable(settings.sandbox.checks, "sandbox.checks")


async def sandbox_in_words(settings: Settings) -> str:
    """Describe what holds checks, or why nothing does."""
    if (found := await sandbox_of_checks(settings)) is not None:
        return found.words
    if settings.sandbox.checks is Means.NONE:
        return "not held, by setting: tests can write wherever you can"
    return f"not held, so tests can write wherever you can; {await _AVAILABLE.why_none()}"


@asynccontextmanager
async def held_checks(project: Project, settings: Settings) -> AsyncIterator[None]:
    """Hold the commands of this block: each writes to its measured tree and to a home of its own."""
    with holding(await hold_of(project, settings)):
        yield


async def hold_of(project: Project, settings: Settings) -> Hold | None:
    """Make what holds the checks of a project; none where nothing does, or shall.

    Raises `SettingsError` where a place is opened that holds the repository, the state or Setpoint's code.
    """
    found = await sandbox_of_checks(settings)
    if found is None:
        return None
    measured = project.copies / "measured"
    hold = Hold(
        means=found.means,
        places=(measured.resolve(),),
        depth=2,  # of the run, and with the name of the project
        opened=_opened(project, settings),
        devices=usable_devices(settings.sandbox.devices),
        covered=covered(project),
    )
    means = await _of_hidden_tests(settings, found.means)
    hidden = project.artifacts.hidden
    apart = hidden.place / hidden.project / "caches" if hidden else None
    return replace(hold, withholding=replace(hold, means=means, apart=apart))


async def _of_hidden_tests(settings: Settings, means: Means) -> Means:
    """Prefer bubblewrap: it gives each command its own devices, processes and shared memory, too."""
    alone = settings.sandbox.checks is Means.AUTO and (await _AVAILABLE.tried(Means.BWRAP)).works
    return Means.BWRAP if alone else means


def covered(project: Project) -> tuple[str, ...]:
    """Return the places in which no code of a maker reads anything but its own.

    They hold hidden tests, the state, passwords of a database, and the copies and temporary files of agents
    and of other checks.
    """
    copies = (project.copies / name for name in ("work", "measured", "repositories"))
    hidden = project.artifacts.hidden
    places = (project.state, temporary_place(), *copies, *([hidden.place] if hidden else ()))
    named = ("~/.pgpass", "~/.pg_service.conf", *inherited(("PGPASSFILE", "PGSERVICEFILE")).values())
    known = (Path(each).expanduser() for each in (named if project.settings.database else ()))
    secrets = (path for path in known if path.is_file())
    return (*(str(path.resolve()) for path in (*places, *secrets)), *(hidden.covered if hidden else ()))


def _opened(project: Project, settings: Settings) -> tuple[str, ...]:
    named = settings.sandbox.checks_write
    if not named:
        return ()
    cache = cache_folder(project.settings, project.root)
    protected = [
        path.resolve() for path in (project.root, project.state, cache, *map(Path, covered(project)))
    ]
    code = [path.resolve() for path in (*own_code(), *environments(project.root, settings.checks))]
    places = Places(clean_environment(), protected, code, "sandbox.checks_write")
    opened = places.opened(named, (), caches=False)
    temp = Path(tempfile.gettempdir()).resolve()
    if above := next((each for each in opened if temp.is_relative_to(each)), ""):
        raise SettingsError(
            f"setting sandbox.checks_write: {above} holds the homes, reports and trees of other checks",
            hint=f"name a folder of your own within {temp}, or let the tests use TMPDIR",
        )
    return tuple(opened)


async def readable(settings: Settings, agents: Agents, maker: str, author: str) -> str:
    """Say why a maker could read the hidden tests of an author; empty where it could not.

    Raises `SandboxUnavailable` where the means that is asked for does not work here.
    """
    none = {"none": "no sandbox works here", "none, by setting": "it has no sandbox, by setting"}
    told = none.get((await agents.held_by(maker)).partition("; ")[0], "")
    found = await sandbox_of_checks(settings)
    if not told and found is None:
        told = "checks are not held"
    elif not told and found and await _of_hidden_tests(settings, found.means) is Means.LANDLOCK:
        told = "under Landlock alone, code under test could hand them on; bubblewrap prevents it"
    elif not told and settings.sandbox.checks_write:
        told = f"sandbox.checks_write opens {', '.join(settings.sandbox.checks_write)} to them"
    return told or agents.shows_sessions(author)


class HeldEvaluator:
    """Wraps the evaluator of a run: its processes run in the configured sandbox."""

    def __init__(self, inner: ProjectEvaluator, project: Project, settings: Settings) -> None:
        """Take the evaluator and what tells how it is held."""
        self._inner, self._project, self._settings = inner, project, settings

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""
        async with held_checks(self._project, self._settings):
            return await self._inner.prepare(order, copy)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Restore protected files that the maker changed to the base; return their paths."""
        async with held_checks(self._project, self._settings):
            return await self._inner.protect(order, copy)

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""
        async with held_checks(self._project, self._settings):
            return await self._inner.evaluate(order, measured)

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Measure what proves a tree."""
        async with held_checks(self._project, self._settings):
            return await self._inner.prove(order, measured, vouched)

    async def show(self, order: RunOrder, tree: Measured, asked: Shown) -> ProductView:
        """Show the product on a tree."""
        async with held_checks(self._project, self._settings):
            return await self._inner.show(order, tree, asked)

    async def try_hidden(self, order: RunOrder, copy: WorkCopy | Measured, tests: HiddenTests) -> HiddenTrial:
        """Run hidden tests at the base."""
        async with held_checks(self._project, self._settings):
            with withholding():
                return await self._inner.try_hidden(order, copy, tests)

    async def without(
        self, order: RunOrder, measured: Measured, changes: Sequence[str], tests: tuple[str, ...]
    ) -> tuple[frozenset[str] | None, ...]:
        """Run tests on a tree without its changes, one by one."""
        async with held_checks(self._project, self._settings):
            return await self._inner.without(order, measured, changes, tests)
