"""A reviewed tree of a recorded run, opened once more as it was, in a place that is thrown away."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic, time
from typing import NamedTuple

from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.durable.inline import InlineDurable
from setpoint.errors import WorkspaceError
from setpoint.history.memory_log import MemoryEventLog
from setpoint.history.replay import history
from setpoint.history.reports.run_report import scratchpad
from setpoint.history.reviewer_truth import ReviewedTree
from setpoint.model.attempt import AttemptLimits, Role
from setpoint.model.events import Event
from setpoint.model.events.learning import MemoryRecalled
from setpoint.model.ids import TraceId
from setpoint.model.run import Round, RunOrder
from setpoint.model.value import Usd
from setpoint.pipelines import render
from setpoint.ports import Agent, RunPorts, WorkCopy
from setpoint.runs.context import RunContext
from setpoint.runs.journal import Journal
from setpoint.settings import Settings
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.files.removal import remove_folder
from setpoint.wiring.agents import agents_of, prompt_folder
from setpoint.wiring.memory import memory_of
from setpoint.wiring.ordered_settings import ordered_settings
from setpoint.wiring.project import Project
from setpoint.wiring.reviewing import reviewing_of
from setpoint.wiring.sandboxed_checks import HeldEvaluator
from setpoint.wiring.workbench import AgentsWorkbench
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.snapshot_store import snapshot_store_of
from setpoint.workspace.work_copy import GitWorkspace

_PLACE = "replays"
_ABANDONED_S = 86_400.0
"""Age of a place after which nobody can still work there."""


class Allowed(NamedTuple):
    """What one replayed review may use."""

    cost_usd: Usd | None
    """US dollars; none for no limit."""
    wall_s: float


class FrozenRun(NamedTuple):
    """A run up to the review of one of its trees."""

    context: RunContext
    rounds: tuple[Round, ...]
    """The last one is to be judged."""
    texts: dict[str, str]
    """Texts of its thinking phases."""


class _ClockOfThen:
    """time that continues from a moment in the past."""

    def __init__(self, then: datetime) -> None:
        self._then, self._begun_s = then, monotonic()

    def now(self) -> datetime:
        """Return the moment with the time that has passed since it was taken."""
        return self._then + timedelta(seconds=monotonic() - self._begun_s)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


@asynccontextmanager
async def frozen_run(
    project: Project, tree: ReviewedTree, agent: Agent, allowed: Allowed
) -> AsyncIterator[FrozenRun]:
    """Open a reviewed tree with all that was known when it was reviewed; nothing recorded is changed.

    The order, the measured results, the answers of people and the recalled learnings are those of then; the
    prompt templates are those of now. Raises `WorkspaceError` where the run's snapshots are gone, and
    `RecordedDataError` where this version cannot read its settings.
    """
    events = _until(project.log.replay(tree.trace_id), tree)
    told = history(events)
    if not told.rounds or told.rounds[-1].number != tree.iteration:
        message = f"{tree.trace_id}: iteration {tree.iteration} was not measured before its review"
        raise WorkspaceError(message, hint="replay other runs")
    settings = ordered_settings(told.order)
    token = secrets.token_hex(6)
    place = project.copies / _PLACE / token
    await asyncio.to_thread(_remove_abandoned, place.parent)
    folders = ProjectFolders(project.root, place / "state", place / "trees" / "copies")
    order = _bounded(told.order, TraceId(f"replay-{token}"), project.root, allowed)
    try:
        copy = await _opened(project, GitWorkspace(folders), order, told.order.trace_id, told.rounds[-1])
        ports = _ports(project, settings, folders, agent, events)
        recalls = any(each.key == f"recall:{_label(tree)}" for each in events if _recalled(each))
        ports = ports._replace(memory=memory_of(project) if recalls else None)
        tools = await ports.evaluator.prepare(order, copy)
        log = MemoryEventLog(ports.clock.now)
        log.load(order.trace_id, events)
        journal = Journal(order.trace_id, log, ports.durable)
        run = RunContext(order=order, ports=ports._replace(log=log), copy=copy, tools=tools, journal=journal)
        yield FrozenRun(run, told.rounds, told.texts)
    finally:
        await asyncio.to_thread(remove_folder, place)


def _remove_abandoned(places: Path) -> None:
    """Remove what a killed Setpoint left."""
    for each in places.glob("*"):
        if time() - each.stat().st_mtime > _ABANDONED_S:
            remove_folder(each)


def _label(tree: ReviewedTree) -> str:
    return f"{tree.phase}-{tree.kind}-{tree.iteration}"


def _recalled(event: Event) -> bool:
    return isinstance(event.body, MemoryRecalled)


def _until(events: Sequence[Event], tree: ReviewedTree) -> tuple[Event, ...]:
    """Return the events before a review, with what its reviewers were shown of memory."""
    shown = [each for each in events[tree.seq :] if _recalled(each) and each.key == f"recall:{_label(tree)}"]
    return (*events[: tree.seq], *shown)


def _bounded(order: RunOrder, trace: TraceId, root: Path, allowed: Allowed) -> RunOrder:
    """Return the order under another name, with the bounds of the replay in place of the run's."""
    limits = order.limits.model_copy(
        update={
            "max_cost_usd": 0,
            "max_tokens": None,
            "deadline_s": None,
            "max_wall_s": float("1e9"),
            "max_agent_breakages": 1,
            "max_limit_wait_s": min(order.limits.max_limit_wait_s, allowed.wall_s),
        }
    )
    attempt = AttemptLimits(
        wall_s=min(order.attempt.wall_s, allowed.wall_s),
        idle_s=min(order.attempt.idle_s, allowed.wall_s),
        cost_usd=allowed.cost_usd,
        tokens=order.attempt.tokens,
        same_calls=order.attempt.same_calls,
    )
    changed = {"trace_id": trace, "root": str(root), "limits": limits, "attempt": attempt}
    return order.model_copy(update=changed)


async def _opened(
    project: Project, workspace: GitWorkspace, order: RunOrder, recorded: TraceId, judged: Round
) -> WorkCopy:
    """Make a work copy that holds the judged tree; the run's own snapshots are only read."""
    kept = snapshot_store_of(project.folders, recorded)
    if not kept.directory.is_dir():
        hint = "replay newer runs"
        raise WorkspaceError(f"{recorded}: its snapshots are gone from {kept.directory}", hint=hint)
    copy = await workspace.open(order.trace_id, order.base)
    theirs = WorkCopy(recorded, str(kept.path), order.base, copy.base_tree, repository=str(kept.directory))
    await workspace.restore(copy, judged.snapshot.commit, of=theirs)
    return copy


def _ports(
    project: Project, settings: Settings, folders: ProjectFolders, agent: Agent, events: Sequence[Event]
) -> RunPorts:
    evaluator = ProjectEvaluator(settings, project.artifacts, folders, lambda *_: None)
    workspace = GitWorkspace(folders)
    clock = _ClockOfThen(events[-1].at)
    return RunPorts(
        agents={Role.REVIEWER: agent},
        workspace=workspace,
        forge=GitBranchForge(folders.root),
        evaluator=HeldEvaluator(evaluator, project, settings),
        workbench=AgentsWorkbench(evaluator, workspace, project, settings),
        log=MemoryEventLog(clock.now),
        durable=InlineDurable(),
        clock=clock,
        keep=project.artifacts.keep,
        read=project.artifacts.read,
        kept_at=project.artifacts.kept_at,
        render=partial(render, overrides=prompt_folder(project.root)),
        publish=lambda _: None,
        folder=str(folders.state),
        scratchpad=lambda _: scratchpad(events),
        reviewing=reviewing_of(project, settings, agents_of(project)),
    )
