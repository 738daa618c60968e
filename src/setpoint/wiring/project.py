"""A repository opened: its settings, its state and its record."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from setpoint.database.connect import Store, open_store
from setpoint.errors import UsageError
from setpoint.history.queries import (
    EVERY,
    HomeCounts,
    RunFilter,
    RunState,
    RunSummary,
    find,
    home_counts,
    open_runs,
    runs,
)
from setpoint.model.ids import TraceId
from setpoint.settings import Settings, load
from setpoint.system.files.artifacts import Artifacts, RemoteArtifacts
from setpoint.system.files.locks import RunLocks
from setpoint.system.files.private_folder import HiddenFolder, hidden_place
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import repository_root
from setpoint.workspace.copies_folder import cache_folder, copies_folder, known_copies
from setpoint.workspace.state_folder import ensure_state

if TYPE_CHECKING:
    from setpoint.durable.dbos import DbosEngine
    from setpoint.history.event_log import SqlEventLog
    from setpoint.history.reports.run_report import Diff, Read
    from setpoint.model.run import RunOrder
    from setpoint.workspace.shared_repository import SharedRepository

GOES_ON = (RunState.INTERRUPTED, RunState.WAITING)
"""States of a run that can be resumed, in the order in which one is looked for."""


class Project(NamedTuple):
    """A repository with its settings and its state, opened."""

    root: Path
    settings: Settings
    state: Path
    """Folder with everything Setpoint keeps about the repository."""
    copies: Path
    """Folder with its work copies and measured copies, outside the repository."""
    store: Store
    artifacts: Artifacts
    attended: bool = False
    """Whether a person is at the terminal of this process."""

    @property
    def log(self) -> SqlEventLog:
        """What is recorded; a verb that reads no event loads none of their kinds."""
        from setpoint.history.event_log import SqlEventLog

        return SqlEventLog(self.store)

    @property
    def locks(self) -> RunLocks:
        """Who works on which run: on this machine, and on others where they share a database."""
        if not self.settings.database:
            return RunLocks(self.state)
        from setpoint.database.leases import RunLeases

        return RunLeases(self.state, self.store, self.settings.board.lease_s)

    @property
    def engine(self) -> DbosEngine:
        """What drives runs, so that they survive the end of their process."""
        from setpoint.durable.dbos import DbosEngine

        return DbosEngine(self.state, self.store.url if self.settings.database else None, self.locks)

    def shared(self, run: TraceId | None = None) -> SharedRepository | None:
        """Return the repository that several machines share, if any, for a run that this process holds."""
        settings = self.settings
        if not (settings.database and settings.shared_repository):
            return None
        from setpoint.workspace.shared_repository import SharedRepository

        epoch = self.store.fences.get(run or "", 0)
        return SharedRepository(self.root, settings.shared_repository, run, epoch)

    @property
    def folders(self) -> ProjectFolders:
        """Where its things lie."""
        return ProjectFolders(self.root, self.state, self.copies)

    def run_folder(self, trace_id: TraceId) -> Path:
        """Where the files of a run lie that a person can open."""
        return self.state / "runs" / trace_id

    def readers(self, trace_id: TraceId) -> tuple[Read, Diff]:
        """Return what reports read beside the events of a run: its artifacts, and what it changed."""
        from setpoint.workspace.snapshot_store import repository_of_run
        from setpoint.workspace.work_copy import recorded_diff

        return self.artifacts.read, partial(recorded_diff, repository_of_run(self.state, trace_id))


def open_project(where: Path, flags: Mapping[str, Any] | None = None) -> Project:
    """Open the repository that `where` lies in; makes its state folder, which git does not see."""
    root = repository_root(where)
    settings = load(root, flags)
    if settings.plugins:
        from setpoint.wiring.plugins import with_checks

        settings = with_checks(settings)
    state = ensure_state(root, settings.state_dir)
    cache = cache_folder(settings, root)
    # What only reads works where nothing can be written, too.
    copies = copies_folder(root, state, cache) if os.access(state, os.W_OK) else known_copies(state, cache)
    store = open_store(settings.database or state)
    hidden = HiddenFolder(hidden_place(settings.hidden_dir, root), copies.parent.name)
    artifacts = Artifacts(state / "artifacts", hidden=hidden, remote=_remote(settings, store))
    return Project(root, settings, state, copies, store, artifacts)


def _remote(settings: Settings, store: Store) -> RemoteArtifacts | None:
    if not settings.database:
        return None
    from setpoint.database.shared_artifacts import SharedArtifacts

    return SharedArtifacts(store)


def run_list(
    project: Project,
    most: int,
    before: str = "",
    sought: RunFilter = EVERY,
    recorded: Collection[RunState] = (),
) -> tuple[RunSummary, ...]:
    """Return the newest runs with their state; with `before`, runs older than that one."""
    older, owner = find_run(project, before) if before else None, project.locks.owner
    return runs(project.store, owner, limit=most, before=older, sought=sought, recorded=recorded)


def open_list(project: Project) -> tuple[RunSummary, ...]:
    """Return every run that is not over or needs a person, newest first, whatever its age."""
    return open_runs(project.store, project.locks.owner)


def counts_now(project: Project) -> HomeCounts:
    """Count what needs a person and what works, and say what this week cost."""
    return home_counts(project.store, project.locks.owner, datetime.now(UTC))


def find_run(project: Project, which: str = "", *, unfinished: bool = False) -> RunSummary:
    """Return the run whose id begins or ends so, or the newest (unfinished) one."""
    owner = project.locks.owner
    if which:
        return find(project.store, owner, which)
    begun = (RunState.RUNNING, RunState.WAITING) if unfinished else ()
    listed = runs(project.store, owner, recorded=begun)
    wanted = list(listed)
    if unfinished:
        # A waiting run can continue only after an answer, so it comes last.
        wanted = [run for state in GOES_ON for run in listed if run.state is state and run.process is None]
    if not wanted:
        what = "no interrupted or waiting run" if unfinished else "no run yet"
        raise UsageError(f"there is {what} in {project.root}", hint="`setpoint status` lists the runs")
    return wanted[0]


def only_run(project: Project, which: str = "") -> RunSummary:
    """Return the run whose id begins or ends so; without one, the only one that works or is unfinished."""
    if which:
        return find_run(project, which)
    begun = runs(project.store, project.locks.owner, recorded=(RunState.RUNNING, RunState.WAITING))
    fit = [run for run in begun if run.state is RunState.RUNNING] or list(begun)
    if len(fit) == 1:
        return fit[0]
    if not fit:
        raise UsageError(f"no run is open in {project.root}", hint="`setpoint status` lists the runs")
    listed = "".join(f"\n  {run.trace_id}  {run.title}" for run in fit)
    raise UsageError(f"{len(fit)} runs are open:{listed}", hint="name one of them in the command")


def recorded_order(project: Project, trace_id: TraceId) -> RunOrder:
    """Return the order of a recorded run, as it was frozen when the run began."""
    from setpoint.model.events.run import RunStarted

    events = project.log.replay(trace_id)
    if not events or not isinstance(events[0].body, RunStarted):
        raise UsageError(f"{trace_id}: nothing is recorded of how it began", hint="begin a new run")
    return events[0].body.order
