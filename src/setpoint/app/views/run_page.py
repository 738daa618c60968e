"""What the dashboard shows of runs: the same read side as the verbs', in the shapes that pages need."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from markupsafe import Markup

from setpoint.app.people.findings import FindingView, findings_in
from setpoint.app.views.check_outputs import GridRow, grid
from setpoint.app.views.live import LiveRun, Moment
from setpoint.app.views.live.moment import call_text
from setpoint.errors import RecordedDataError, UsageError, WorkspaceError
from setpoint.history import phrases
from setpoint.history.iteration_rows import iteration_rows
from setpoint.history.iterations import Lap, laps
from setpoint.history.metrics.metrics import amount
from setpoint.history.queries import RunSummary, newest_seq
from setpoint.history.replay import History, history
from setpoint.history.reports.metrics_page import FILTERS as METRIC_FILTERS
from setpoint.history.reports.run_report import product_html
from setpoint.model.events import Event
from setpoint.model.events.learning import LearningsJudged, MemoryRecalled
from setpoint.model.events.live import ProofStep
from setpoint.model.events.people import CommentAdded, Feedback
from setpoint.model.events.run import (
    GateAnswered,
    GateOpened,
    HaltingDecided,
    IterationEvaluated,
    ProofMeasured,
    RunFinished,
)
from setpoint.model.facts.halting import shadow_line
from setpoint.model.facts.spending import in_words
from setpoint.model.gate import Answer, Choice
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.proof import RUNS, Obligation
from setpoint.model.value import Instant, Value
from setpoint.model.wording import lasted
from setpoint.ports import WorkCopy
from setpoint.wiring.project import Project, find_run
from setpoint.workspace.snapshot_store import repository_of_run, snapshot_store_of
from setpoint.workspace.work_copy import GitWorkspace

FILTERS = METRIC_FILTERS | {
    "ago": lambda seconds: round((time.time() - seconds) * 1000),
    "amount": amount,
    "argv": phrases.argv_line,
    "call_text": call_text,
    "change": phrases.change_line,
    "duration": phrases.duration,
    "figure": phrases.figure,
    "lasted": lasted,
    "one_line": phrases.one_line,
    "shadow_line": shadow_line,
}
"""How figures and texts from outside are written on a page."""
place_of = phrases.place
_ACTS = GateAnswered | HaltingDecided | GateOpened | RunFinished
"""Answers, and what a run does once it has acted on one."""


class DecisionLine(Value):
    """What a person said or did about a run."""

    at: Instant
    body: Feedback | GateAnswered
    """An answer, where it dismissed the objection."""


class Comment(Value):
    """What a person said about a line of a run's change."""

    at: Instant
    body: CommentAdded


class IterationView(NamedTuple):
    """A learning that a run was shown."""

    learning: str
    title: str
    phases: tuple[str, ...]
    """The phases whose agents saw it."""
    followed: bool | None
    """Whether the trace shows that it was acted on; none where nobody looked yet."""
    how: str = ""
    """What in the trace shows it."""


class RunStory(NamedTuple):
    """Everything of one run."""

    summary: RunSummary
    told: History
    events: tuple[Event, ...]
    laps: tuple[Lap, ...]
    rows: tuple[str, ...]
    """Each iteration in a line, and what their figures mean."""
    cost: str
    metric_names: tuple[str, ...]
    """Metrics of the quality vector that were measured at least once."""
    found: tuple[FindingView, ...]
    """Every finding, as it was seen last; worst first."""
    decided: dict[str, tuple[DecisionLine, ...]]
    """What people decided about findings, by fingerprint, oldest first."""
    comments: tuple[Comment, ...]
    shown: tuple[IterationView, ...]
    """Learnings that its agents saw."""
    moment: Moment
    """What it is doing now."""
    answered: Answer | None
    """What a person answered last, where the run has not acted on it yet."""
    paused: bool
    product: Markup
    """What was shown of the product, before and after."""
    grid: tuple[GridRow, ...]
    """Gates and checks by iteration."""
    proof: tuple[Obligation, ...] = ()
    """Steps of the proof that is being measured and are done."""
    ahead: tuple[str, ...] = ()
    """Runs of the proof that may still follow."""


def run_story(project: Project, which: str) -> RunStory:
    """Read a run in full; `UsageError` where there is none or several that begin so."""
    summary = find_run(project, which)
    events = project.log.replay(summary.trace_id)
    told, every, run = history(events), laps(events), LiveRun(events)
    return RunStory(
        summary=summary,
        told=told,
        events=events,
        laps=every,
        rows=tuple(iteration_rows(events)),
        cost=in_words(told.account),
        metric_names=_measured(told, every),
        found=findings_in(told),
        decided=_decided(events),
        comments=_comments(events),
        shown=_shown(told),
        moment=run.moment(datetime.now(UTC)),
        answered=_unheeded(events),
        paused=run.paused,
        product=product_html(events, project.artifacts.read),
        grid=grid(told.base, every),
        proof=(steps := _steps(events)),
        ahead=tuple(name for name in RUNS if steps and name not in {each.name for each in steps}),
    )


def comments_of(project: Project, trace_id: TraceId) -> tuple[Comment, ...]:
    """Return what people said about lines of a run's change, oldest first."""
    return _comments(project.log.replay(trace_id))


def decisions_of(project: Project, trace_id: TraceId) -> dict[str, tuple[DecisionLine, ...]]:
    """Return what people decided about the findings of a run, by fingerprint, oldest first."""
    return _decided(project.log.replay(trace_id))


def _steps(events: Sequence[Event]) -> tuple[Obligation, ...]:
    """Return the steps of the proof that is being measured; none once it is, and before it begins."""
    found: list[Obligation] = []
    for event in events:
        if isinstance(event.body, IterationEvaluated | ProofMeasured):
            found.clear()
        elif isinstance(event.body, ProofStep):
            found.append(event.body.obligation)
    return tuple(found)


def _comments(events: Sequence[Event]) -> tuple[Comment, ...]:
    return tuple(
        Comment(at=event.at, body=event.body) for event in events if isinstance(event.body, CommentAdded)
    )


def _decided(events: Sequence[Event]) -> dict[str, tuple[DecisionLine, ...]]:
    found: dict[str, tuple[DecisionLine, ...]] = {}
    asked = {
        body.gate.id: body.gate.objections
        for body in (each.body for each in events)
        if isinstance(body, GateOpened)
    }
    for event in events:
        body = event.body
        if isinstance(body, GateAnswered) and body.answer.choice is Choice.DISMISS:
            about = asked.get(body.gate, ())
        elif isinstance(body, Feedback):
            about = (getattr(body, "finding", ""),)
        else:
            continue
        for finding in filter(None, about):
            found[finding] = (*found.get(finding, ()), DecisionLine(at=event.at, body=body))
    return found


def _unheeded(events: Sequence[Event]) -> Answer | None:
    acts = (event.body for event in reversed(events) if isinstance(event.body, _ACTS))
    newest = next(acts, None)
    return newest.answer if isinstance(newest, GateAnswered) else None


def _shown(told: History) -> tuple[IterationView, ...]:
    judged = {
        item.learning: item
        for each in told.memory
        if isinstance(each, LearningsJudged)
        for item in each.items
    }
    found: dict[str, IterationView] = {}
    for each in (body for body in told.memory if isinstance(body, MemoryRecalled)):
        for item in each.shown:
            known, followed = found.get(item.learning), judged.get(item.learning)
            found[item.learning] = IterationView(
                learning=item.learning,
                title=item.title,
                phases=tuple(dict.fromkeys((*(known.phases if known else ()), each.phase))),
                followed=followed.followed if followed else None,
                how=followed.how if followed else "",
            )
    return tuple(found.values())


def run_mark(project: Project, which: str) -> str:
    """Name the state of a run's record, so that a change is seen without reading it."""
    summary = find_run(project, which)
    return f"{newest_seq(project.store, summary.trace_id)} {summary.state}"


def diff_of(project: Project, which: str, iteration: int) -> str:
    """Return what an iteration changed against the state before it; iteration 0: `state_shown`.

    Raises `UsageError` for an iteration that left nothing, and `RecordedDataError` where git has lost it.
    """
    told = history(project.log.replay(find_run(project, which).trace_id))
    before, after = _ends(told, iteration)
    repository = str(repository_of_run(project.state, told.trace_id))  # the work copy itself may be gone
    copy = WorkCopy(told.trace_id, repository, told.order.base, Tree(""), repository=repository)
    try:
        return asyncio.run(GitWorkspace(project.folders).diff(copy, before, after))
    except (WorkspaceError, OSError) as error:
        raise RecordedDataError(
            f"{told.trace_id}: the change is gone: {getattr(error, 'message', error)}",
            hint="look at the delivered branch with git",
        ) from None


def diff_so_far(project: Project, which: str) -> str:
    """Return how the files of a run's work copy differ from its base now, while an agent works on them.

    Raises `WorkspaceError` where git cannot read them at this moment, and `UsageError` where there are none.
    """
    told = history(project.log.replay(find_run(project, which).trace_id))
    folder = project.folders.work_of(told.trace_id)
    if not folder.is_dir():
        raise UsageError(f"{told.trace_id}: nobody works on it now", hint="look at its iterations")
    store, base = snapshot_store_of(project.folders, told.trace_id), told.order.base
    copy = WorkCopy(told.trace_id, str(folder), base, Tree(""), repository=str(store.directory))

    async def read() -> str:
        return await GitWorkspace(project.folders).diff(copy, base, Commit(await store.glanced(base)))

    return asyncio.run(read())


def changes_of(project: Project, trace_id: TraceId) -> tuple[int, ...]:
    """Name what `diff_of` can show of a run: its iterations that changed something, and 0 for all."""
    told = history(project.log.replay(trace_id))
    changed = tuple(past.number for past in told.rounds if not past.snapshot.empty)
    return (0, *changed) if told.rounds else changed


def git_diff(project: Project, trace_id: TraceId, iteration: int) -> tuple[str, ...]:
    """Return the command that shows a change as git does, in the user's own repository.

    So its settings count, and none that an agent may have written into that of the run.
    """
    ends = _ends(history(project.log.replay(trace_id)), iteration)
    objects = repository_of_run(project.state, trace_id) / "objects"
    return ("env", f"GIT_ALTERNATE_OBJECT_DIRECTORIES={objects}", "git", "diff", *ends)


def state_shown(told: History) -> Commit | None:
    """Return what a run delivered or offers; where nothing was better than its base, what it tried last."""
    if told.outcome and told.outcome.best != told.order.base:
        return told.outcome.best
    tried = [each for each in told.rounds if each.changed_against_base] or told.rounds
    return tried[-1].snapshot.commit if tried else None


def _ends(told: History, iteration: int) -> tuple[Commit, Commit]:
    if iteration == 0 and (shown := state_shown(told)):
        return told.order.base, shown
    for past in told.rounds:
        if past.number == iteration:
            return past.snapshot.parent, past.snapshot.commit
    raise UsageError(f"{told.trace_id}: iteration {iteration} has left no change yet", hint="wait for it")


def _measured(told: History, every: Sequence[Lap]) -> tuple[str, ...]:
    vectors = [lap.latest.quality for lap in every if lap.latest]
    vectors += [told.base.quality] if told.base else []
    return tuple(dict.fromkeys(name for vector in vectors for name in vector.measured))
