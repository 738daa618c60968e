"""Drive a run until it ends or waits."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

from setpoint.app.project.person import require_person
from setpoint.app.project.upkeep import drop_delivered, drop_left_over
from setpoint.app.runs.board import story_folder
from setpoint.app.runs.notices import telling
from setpoint.app.views.export import send_finished
from setpoint.app.views.metrics import store_due_metrics
from setpoint.checks.cache.eviction import forget, trim
from setpoint.checks.measurement import CheckListener
from setpoint.errors import RecordedDataError, RunCancelled, RunInUse, RunWaiting, SetpointError
from setpoint.history.replay import history
from setpoint.model.events import Body, Event
from setpoint.model.events.run import RunResumed
from setpoint.model.ids import TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.wording import counted
from setpoint.people.questions import waiting
from setpoint.phase import loop
from setpoint.ports import Durable
from setpoint.stories.story_writer import ObservedLog, StoryWriter
from setpoint.system.files.private_folder import private_temporary_files
from setpoint.system.processes import end_left, owned, owner_of
from setpoint.wiring.plugins import changed
from setpoint.wiring.project import Project
from setpoint.wiring.run_ports import run_ports_of
from setpoint.workspace.held_base import hold_base, release_bases

Runner = Callable[[Coroutine[Any, Any, RunOutcome]], RunOutcome]
"""Runs a coroutine in an event loop of its own, as `asyncio.run` does."""

_LOG = logging.getLogger(__name__)


def _unheard(_body: Body) -> None:
    pass


def drive_run(
    project: Project,
    ordered: RunOrder,
    before: Callable[[Body], None] = _unheard,
    told: CheckListener = lambda *_: None,
    *,
    heard: Callable[[Event], None] = lambda _: None,
    runner: Runner = asyncio.run,
) -> RunOutcome:
    """Drive a run to its end in this process; continue a run that another process left.

    `before` receives each event before it is recorded; what it raises leaves the run as it is, to be resumed.
    `told` is given each check's result as soon as it is known, before the checks beside it are done. `heard`
    receives each event after it is recorded; what it raises leaves the run to be resumed, too.

    Raises `RunWaiting` where a person has to answer first. A run that a person cancels meanwhile is driven
    once more, to its end with the best state.
    """
    require_person(project)
    events = project.log.replay(ordered.trace_id)
    gate = history(events).waiting if events else None
    if gate is not None and not gate.expired(datetime.now(UTC)):
        raise waiting(ordered.trace_id, gate)
    changed(ordered)  # where a plug-in is gone, the run stays as it is
    with telling(project, ordered, heard) as heard_and_told:
        try:
            outcome = runner(_driven(project, ordered, before, told, heard_and_told))
        except RunCancelled:
            if history(project.log.replay(ordered.trace_id)).cancel is None:
                raise
            outcome = runner(_driven(project, ordered, before, told, heard_and_told))
        except (RunWaiting, RunInUse):
            raise
        except Exception as error:
            fault = str(error) if isinstance(error, SetpointError) else f"internal error: {error!r}"
            project.log.broke(ordered.trace_id, fault)
            raise
    try:
        store_due_metrics(project)
    except RecordedDataError as error:  # the record of an older run is damaged; this outcome is valid
        _LOG.warning("the metrics of days that are over were not stored: %s", error)
    send_finished(project, ordered.trace_id)
    forget(project.state, ordered.trace_id)
    drop_delivered(project, ordered, outcome)
    if trim(project.state):
        drop_left_over(project)
    return outcome


async def _driven(
    project: Project,
    ordered: RunOrder,
    before: Callable[[Body], None],
    told: CheckListener,
    heard: Callable[[Event], None],
) -> RunOutcome:
    owner = owner_of(project.state, ordered.trace_id)

    async def run(order: RunOrder, durable: Durable) -> RunOutcome:
        order = order.model_copy(update={"root": str(project.root)})  # it may have moved since it was ordered
        events = project.log.replay(order.trace_id)
        writer = StoryWriter(story_folder(project), order, events)

        def after(event: Event) -> None:
            writer.take(event)
            heard(event)

        log = ObservedLog(project.log, before, after, events[-1].seq if events else 0)
        # Here the run's lock is held, so a resumption that was refused leaves no trace.
        if events:
            key = f"resumed:{datetime.now(UTC).isoformat()}:{os.getpid()}"
            reason = "; ".join(part for part in (changed(order), await _ended(owner)) if part)
            log.append(order.trace_id, key, (RunResumed(process=os.getpid(), reason=reason),))
        if shared := project.shared(order.trace_id):
            await shared.bring(project.folders, order.trace_id, order.base)
        await hold_base(project.folders, order.trace_id, order.base)
        with owned(owner):
            return await loop.drive(order, run_ports_of(project, order, durable, log, told), durable)

    with private_temporary_files(project.artifacts.hidden):
        outcome = await project.engine.drive(ordered, run)
    await release_bases(project.root, lambda each: _finished(project, each))
    return outcome


def _finished(project: Project, trace_id: TraceId) -> bool:
    events = project.log.replay(trace_id)
    return bool(events) and history(events).outcome is not None


async def _ended(owner: str) -> str:
    """End what an earlier process of the run left, so that nothing edits the work copy beside the agent."""
    count = await asyncio.to_thread(end_left, f"{owner}/")
    return f"ended {counted(count, 'process')} that the run had left" if count else ""
