"""The overview of a run, for views that stay open while it works."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from setpoint.history import phrases
from setpoint.history.iterations import laps
from setpoint.history.queries import RunSummary
from setpoint.history.replay import History, history
from setpoint.model.facts.spending import in_words
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project, find_run


class RunOverview(NamedTuple):
    """What one wants to know of a run without reading its log."""

    trace_id: TraceId
    title: str
    state: str
    """running, waiting, interrupted, or how it ended."""
    where: str
    """Phase and iteration."""
    used: str
    """Time, money and tokens against their limits."""
    scores: tuple[float, ...]
    """Quality by iteration, oldest first, of those that have one."""
    open: str
    """What blocks by the newest measurement and review."""
    doing: str
    """The newest tool call of an agent; empty before the first."""
    question: str
    """What a person is asked; empty where nobody is."""


def run_overview(project: Project, trace_id: TraceId) -> RunOverview:
    """Look at a run; `UsageError` where there is none."""
    summary = find_run(project, trace_id)
    events = project.log.replay(summary.trace_id)
    told, every = history(events), laps(events)
    scores = tuple(lap.latest.score for lap in every if lap.latest and lap.latest.score is not None)
    calls = [call for of in told.calls.values() for call in of]
    return RunOverview(
        trace_id=summary.trace_id,
        title=phrases.one_line(summary.title, 80),
        state=str(summary.ending or summary.state),
        where=_where(told),
        used=_used(told, summary),
        scores=scores,
        open=_open(told),
        doing=phrases.one_line(f"{calls[-1].name} {calls[-1].title}", 100) if calls else "",
        question=phrases.one_line(told.waiting.question, 160) if told.waiting else "",
    )


def _where(told: History) -> str:
    number = f", iteration {told.iteration} of {told.limits.max_iterations}" if told.iteration else ""
    return f"{told.phase or 'start'}{number}"


def _used(told: History, summary: RunSummary) -> str:
    # What happened since the newest event is not recorded yet, though it counts.
    idle = summary.process is not None and told.outcome is None
    since = (datetime.now(UTC) - told.last_at).total_seconds() if idle else 0.0
    time = f"{phrases.duration(told.active_s + since)} of {phrases.duration(told.limits.max_wall_s)}"
    limit = f" of ${told.limits.max_cost_usd:.2f}" if told.limits.max_cost_usd else ""
    return f"{time}; {in_words(told.account)}{limit}"


def _open(told: History) -> str:
    if not told.rounds:
        return "nothing measured yet"
    newest = told.rounds[-1]
    parts = []
    if failures := len(newest.latest.failures):
        parts.append(f"{failures} failing test{'s' if failures != 1 else ''}")
    blocking = len(newest.latest.blocking) + (len(newest.verdict.blocking) if newest.verdict else 0)
    if blocking:
        parts.append(
            f"{blocking} finding{'s' if blocking != 1 else ''} that block{'' if blocking != 1 else 's'}"
        )
    return " and ".join(parts) or "nothing"
