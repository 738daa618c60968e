"""What the dashboard shows of runs: the same read side as the verbs', in the shapes that pages need."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from setpoint.domain.events import Event
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.domain.memory_events import CommentAdded, Feedback, LearningsJudged, MemoryRecalled
from setpoint.domain.value import Instant, Value
from setpoint.errors import RecordedDataError, UsageError, WorkspaceError
from setpoint.events import words
from setpoint.events.course import Lap, laps
from setpoint.events.metric_page import by_loop, day_plot
from setpoint.events.metrics import amount
from setpoint.events.plot import points, quality_plot
from setpoint.events.queries import RunSummary, newest_seq
from setpoint.events.replay import History, history
from setpoint.policies.spending import in_words
from setpoint.ports import WorkCopy
from setpoint.wiring.people.findings import Seen, findings_in
from setpoint.wiring.project import Project, find_run
from setpoint.workspace import GitWorkspace

FILTERS = {
    "amount": amount,
    "argv": words.argv_line,
    "by_loop": by_loop,
    "change": words.change_line,
    "day_plot": day_plot,
    "duration": words.duration,
    "figure": words.figure,
    "one_line": words.one_line,
}
"""How figures and texts from outside are written on a page."""
place_of = words.place


class Said(Value):
    """What a person said or did about a run."""

    at: Instant
    body: Feedback


class Comment(Value):
    """What a person said about a line of a run's change."""

    at: Instant
    body: CommentAdded


class Shown(NamedTuple):
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
    plot: Markup
    cost: str
    metric_names: tuple[str, ...]
    """Metrics of the quality vector that were measured at least once."""
    found: tuple[Seen, ...]
    """Every finding, as it was seen last; worst first."""
    decided: dict[str, tuple[Said, ...]]
    """What people decided about findings, by fingerprint, oldest first."""
    comments: tuple[Comment, ...]
    shown: tuple[Shown, ...]
    """Learnings that its agents saw."""


def run_story(project: Project, which: str) -> RunStory:
    """Read a run in full; `UsageError` where there is none or several that begin so."""
    summary = find_run(project, which)
    events = project.log.replay(summary.trace_id)
    told, every = history(events), laps(events)
    return RunStory(
        summary=summary,
        told=told,
        events=events,
        laps=every,
        plot=quality_plot(points(told, every)),
        cost=in_words(told.account),
        metric_names=_measured(told, every),
        found=findings_in(told),
        decided=_decided(events),
        comments=_comments(events),
        shown=_shown(told),
    )


def comments_of(project: Project, trace_id: TraceId) -> tuple[Comment, ...]:
    """Give what people said about lines of a run's change, oldest first."""
    return _comments(project.log.replay(trace_id))


def decided_of(project: Project, trace_id: TraceId) -> dict[str, tuple[Said, ...]]:
    """Give what people decided about the findings of a run, by fingerprint, oldest first."""
    return _decided(project.log.replay(trace_id))


def _comments(events: Sequence[Event]) -> tuple[Comment, ...]:
    return tuple(
        Comment(at=event.at, body=event.body) for event in events if isinstance(event.body, CommentAdded)
    )


def _decided(events: Sequence[Event]) -> dict[str, tuple[Said, ...]]:
    found: dict[str, tuple[Said, ...]] = {}
    for event in events:
        body = event.body
        if isinstance(body, Feedback) and (finding := getattr(body, "finding", "")):
            found[finding] = (*found.get(finding, ()), Said(at=event.at, body=body))
    return found


def _shown(told: History) -> tuple[Shown, ...]:
    judged = {
        item.learning: item
        for each in told.memory
        if isinstance(each, LearningsJudged)
        for item in each.items
    }
    found: dict[str, Shown] = {}
    for each in (body for body in told.memory if isinstance(body, MemoryRecalled)):
        for item in each.shown:
            known, followed = found.get(item.learning), judged.get(item.learning)
            found[item.learning] = Shown(
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
    """Give what an iteration changed against the state before it; iteration 0: all that is delivered or best.

    Raises `UsageError` for an iteration that left nothing, and `RecordedDataError` where git has lost it.
    """
    told = history(project.log.replay(find_run(project, which).trace_id))
    before, after = _ends(told, iteration)
    copy = WorkCopy(trace_id=told.trace_id, path=told.workdir, base=told.order.base, base_tree=Tree(""))
    try:
        return asyncio.run(GitWorkspace(project.root, project.state).diff(copy, before, after))
    except (WorkspaceError, OSError) as error:
        raise RecordedDataError(
            f"{told.trace_id}: the change is gone: {error}", mend="look at the delivered branch with git"
        ) from None


def changes_of(project: Project, trace_id: TraceId) -> tuple[int, ...]:
    """Name what `diff_of` can show of a run: its iterations that changed something, and 0 for all."""
    told = history(project.log.replay(trace_id))
    changed = tuple(past.number for past in told.rounds if not past.snapshot.empty)
    return (0, *changed) if told.rounds else changed


def _ends(told: History, iteration: int) -> tuple[Commit, Commit]:
    if iteration == 0:
        best = told.outcome.best if told.outcome else told.rounds[-1].snapshot.commit if told.rounds else None
        if best is not None:
            return told.order.base, best
    for past in told.rounds:
        if past.number == iteration:
            return past.snapshot.parent, past.snapshot.commit
    raise UsageError(f"{told.trace_id}: iteration {iteration} has left no change yet", mend="wait for it")


def _measured(told: History, every: Sequence[Lap]) -> tuple[str, ...]:
    vectors = [lap.latest.quality for lap in every if lap.latest]
    vectors += [told.base.quality] if told.base else []
    return tuple(dict.fromkeys(name for vector in vectors for name in vector.measured))
