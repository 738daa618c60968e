"""Finds out with what a project is measured: its interpreter, its layout and its tools."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.cancel_all import end
from setpoint.checks.discovery.bytecode import with_bytecode
from setpoint.checks.discovery.interpreter import (
    Interpreters,
    find_interpreter,
    own_interpreter,
    programs_stamp,
)
from setpoint.checks.discovery.interpreter_cache import Probes
from setpoint.checks.discovery.tool_start import Starts
from setpoint.checks.needs.carried_files import fingerprint_of, needs_of
from setpoint.checks.needs.kept_elsewhere import beside
from setpoint.checks.trees.checkout import check_out_commit, remove, repository_of
from setpoint.model.config.local_needs import NOTHING, Needs
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, TraceId, sortable
from setpoint.presets import Via, presets
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import head, tree_of
from setpoint.system.git.repository_names import names_of_repository

if TYPE_CHECKING:
    from setpoint.checks.discovery.own_commands.command import OwnCommand
    from setpoint.checks.discovery.project import Project
    from setpoint.checks.discovery.toolchains import Toolchain
    from setpoint.ports import Measured, WorkCopy

Trying = Callable[["Project", "Measured"], Awaitable[None]]
"""Tries what a project needs in the copy of a commit."""


@dataclass(frozen=True, kw_only=True)
class Survey:
    """With what a project would be measured."""

    python: str
    """The project's interpreter."""
    reason: str
    """Why it was chosen."""
    checks: dict[str, str]
    """Checks that would be made, with the reason for each."""
    missing: dict[str, str]
    """Those of them that cannot be used, with the reason and what to do."""
    suggested: dict[str, str]
    """Tools that are not used, though a lock file or a CI server names them, with the reason for each."""
    toolchains: tuple[Toolchain, ...] = ()
    """What builds the project in other languages than Python."""
    own: tuple[OwnCommand, ...] = ()
    """What the project's people type for tests, lint, types and build."""
    unread: tuple[str, ...] = ()
    """What the files of these commands say that is not read, each with where it is."""
    packages: tuple[tuple[str, str], ...] = ()
    """The packages of the repository, where it has several: folder, and what is known and run there."""
    needs: Needs = NOTHING
    """What the checks get beside what git holds."""
    for_python: bool = True
    """Whether the project holds anything that Python runs."""


class Surveyor:
    """Chooses the checks of projects; remembers only what interpreters answered."""

    def __init__(self, settings: Settings, artifacts: Artifacts, folders: ProjectFolders) -> None:
        """Keep raw output in `artifacts`, everything else in the folders of the repository."""
        self._settings = settings
        self._artifacts = artifacts
        self._folders = folders
        self._probes = Probes(folders.state / "cache" / "interpreters.json", folders.root)
        self._starts = folders.state / "cache" / "starts.json"

    async def survey(self, root: Path, trying: Trying | None = None) -> Survey:
        """Say with what the project's last commit would be measured, and measure nothing.

        `trying` is called with the project and the copy of that commit; then every tool is started again.
        """
        from setpoint.checks.discovery.package_rows import package_rows
        from setpoint.checks.discovery.toolchains import needs_python, toolchains
        from setpoint.ports import Measured, WorkCopy

        trace = TraceId(sortable("check", datetime.now(UTC)))
        base = await head(root)
        copy = WorkCopy(trace_id=trace, path=str(root), base=base, base_tree=await tree_of(root, base))
        try:
            project = await self.look_at(root, copy, copy.base, starts=Starts() if trying else None)
            place = self._folders.measured_of(trace)
            builds = await toolchains(project, place)
            if trying is not None:
                there = copy._replace(path=str(place))
                await trying(project, Measured(there, copy.base, copy.base_tree, Stage.BASE))
        finally:
            await asyncio.to_thread(remove, self._folders, trace)
        interpreter = project.interpreter
        chosen = dict(project.chosen)
        suggested = {name: why for name, why in project.layout.suggested.items() if name not in chosen}
        return Survey(
            python=interpreter.path,
            reason=interpreter.reason,
            checks=chosen,
            missing=project.missing,
            suggested=suggested,
            toolchains=builds,
            own=project.layout.own,
            unread=project.layout.unread,
            packages=package_rows(project.layout, chosen) if project.layout.workspaces.several else (),
            needs=project.needs,
            for_python=needs_python(project),
        )

    async def interpreters(self, root: Path) -> Interpreters:
        """Ask the project's interpreter and Setpoint's own what they are."""
        ask, checks = self._probes.ask, self._settings.checks
        own = asyncio.create_task(own_interpreter(ask))
        try:
            found = await find_interpreter(root, checks, ask)
            project = await asyncio.to_thread(with_bytecode, found, self._folders.copies)
            asked = self._settings.copied, self._settings.environment
            needs = await needs_of(root, self._folders.state, *asked)
            decides = f"{project.fingerprint}{fingerprint_of(needs, root)}"
            project = replace(project, passed=needs.variables, fingerprint=decides)
            return Interpreters(project=project, own=await own, needs=needs)
        finally:
            await end(own)

    async def look_at(
        self,
        root: Path,
        copy: WorkCopy,
        base: Commit,
        asking: Awaitable[Interpreters] | None = None,
        starts: Starts | None = None,
    ) -> Project:
        """Choose the checks; `asking` gives the interpreters where they are asked already.

        `starts` remembers which tools have started; none: a file of the project does.
        """
        from setpoint.checks.discovery import project as found
        from setpoint.checks.tools.custom import reasons

        checks = self._settings.checks
        answer = asyncio.ensure_future(asking or self.interpreters(root))
        if asking is None:
            await answer  # an interpreter that does not work is reported before anything is made
        tasks = (
            asyncio.create_task(found.layout_at(repository_of(copy), base)),
            asyncio.create_task(check_out_commit(self._folders, copy, base)),
            asyncio.create_task(beside(root, repository_of(copy), base)),
        )
        try:
            layout, place, apart = await asyncio.gather(*tasks)
            both = await answer
        finally:  # nothing still runs in a place that may be removed
            await end(*tasks)
        layout, leak = await found.found_leak(root, place, both.project, layout)
        known, layout = layout, found.without_switched_off(layout, checks)
        chosen = found.choose(checks, layout, both)
        starts = starts or Starts(self._starts)
        programs = await found.find_programs(root, chosen, both, layout.package_folders, starts)
        chosen = found.with_pins(chosen, layout, programs)
        missing = apart.missing | found.without_tests(chosen, known)
        chosen |= reasons(self._settings.check, both.project) | missing
        return found.Project(
            root=root,
            interpreter=both.project,
            layout=layout,
            chosen=chosen,
            programs=programs,
            unseen=missing,
            apart=apart,
            names=await names_of_repository(root),
            needs=both.needs,
            to_agents=self._to_agents(both.needs),
            leak=leak,
        )

    def _to_agents(self, needs: Needs) -> Needs:
        """Return what of the needs agents get, too."""
        return Needs(
            files=needs.files if self._settings.copied.agents else (),
            variables=needs.variables if self._settings.environment.agents else (),
        )

    def decides(self, both: Interpreters) -> Iterator[str]:
        """Yield everything that decides what is measured, except the tree itself, where `lasts` holds."""
        settings = self._settings
        yield settings.model_dump_json(exclude={"database"})
        yield from (f"{each.path} {each.version} {each.fingerprint}" for each in (both.project, both.own))
        yield from programs_stamp()
        for name, asked in settings.check.items():
            from setpoint.checks.tools.custom import CustomTool

            tool = CustomTool(
                name=name, asked=asked, project=both.project, imports=(), artifacts=self._artifacts
            )
            yield from tool.identity

    def lasts(self, project: Project) -> bool:
        """Whether an evaluation holds until the tree, the settings or an interpreter's packages change.

        It does not where anything comes from elsewhere: a server, programs and packages of other languages.
        Own commands start programs of PATH, which is among what decides.
        """
        from setpoint.checks.discovery.project import OWN_CHECKS
        from setpoint.checks.tools.custom import lasting

        known, chosen = presets(), project.chosen
        tools = [known[name] for name in chosen if name in known and name not in OWN_CHECKS]
        outside = any(tool.via in (Via.NODE, Via.PATH) for tool in tools)
        asking = not all(lasting(asked) for asked in self._settings.check.values())
        return not (outside or asking or project.layout.package_folders or self._settings.sonarqube.url)
