"""What people said and did about runs, over all runs: by person, finding, gate and run."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import EVENT, RUN
from setpoint.history.event_codec import read_body
from setpoint.model.events import Body
from setpoint.model.events.own_agents import FeedbackSuggested, SuggestionSettled
from setpoint.model.events.people import (
    FindingDismissed,
    FindingLifted,
    FixApplied,
    FixRewritten,
    HumanEdited,
)
from setpoint.model.events.run import GateAnswered
from setpoint.model.gate import Via
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant, Text, Value

_KINDS = (
    "gate.answered",
    "feedback.finding_dismissed",
    "feedback.finding_lifted",
    "feedback.fix_applied",
    "feedback.fix_rewritten",
    "feedback.human_edited",
    "feedback.human_comment_added",
    "feedback.delivery_judged",
)

_SUGGESTED = ("feedback.suggested_by_agent", "feedback.suggestion_settled")
_AT_ONCE = 500
"""Rows that are read together."""


class FeedbackEntry(Value):
    """One thing that a person said or did about a run."""

    trace_id: TraceId
    at: Instant
    kind: str
    by: Text = ""
    """Empty where git shows it."""
    finding: str = ""
    gate: str = ""
    body: Body
    """The event itself."""


class FeedbackFilter(Value):
    """Which of what people said is asked for; what is left empty narrows nothing."""

    by: Text = ""
    finding: str = ""
    """The beginning of a finding's id."""
    gate: str = ""
    run: str = ""
    """The name of a run."""
    since: Instant | None = None
    """Only later feedback."""

    def holds(self, told: FeedbackEntry) -> bool:
        """Return whether it is asked for by person, finding and gate."""
        about = told.finding.startswith(self.finding) and self.gate in ("", told.gate)
        return about and self.by in ("", told.by)


def feedback_entries(
    store: Store, root: str, sought: FeedbackFilter | None = None, most: int | None = None
) -> tuple[FeedbackEntry, ...]:
    """Return the feedback on the runs of a project, oldest first, or the last of it.

    Answers that nobody gave are left out.
    """
    sought = sought or FeedbackFilter()
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.at, EVENT.c.kind, EVENT.c.body)
        .join(RUN, RUN.c.trace_id == EVENT.c.trace_id)
        .where(EVENT.c.kind.in_(_KINDS), RUN.c.root == root)
        .order_by(EVENT.c.at.desc(), EVENT.c.seq.desc())
    )
    if sought.since is not None:
        query = query.where(EVENT.c.at > sought.since)
    if sought.run:
        query = query.where(EVENT.c.trace_id == sought.run)
    asked = query.execution_options(yield_per=_AT_ONCE)
    with store.reading() as connection, connection.execute(asked) as rows:
        said = (told for row in rows if (told := _entry(row)) is not None and sought.holds(told))
        last = list(islice(said, most))
    return tuple(reversed(last))


def _entry(row: sa.Row[str, datetime, str, str]) -> FeedbackEntry | None:
    body = read_body(row.kind, row.body)
    if isinstance(body, GateAnswered) and body.answer.via is Via.DEADLINE:
        return None
    return FeedbackEntry(
        trace_id=TraceId(row.trace_id),
        at=row.at,
        kind=row.kind,
        by=body.answer.by if isinstance(body, GateAnswered) else str(getattr(body, "by", "")),
        finding=body.finding
        if isinstance(body, FindingDismissed | FindingLifted | FixApplied | FixRewritten)
        else "",
        gate=body.gate if isinstance(body, GateAnswered | HumanEdited) else "",
        body=body,
    )


def suggestions(
    store: Store, root: str
) -> tuple[tuple[TraceId, datetime, FeedbackSuggested | SuggestionSettled], ...]:
    """Return what agents suggested about the runs of a project, and how people settled it; oldest first."""
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.at, EVENT.c.kind, EVENT.c.body)
        .join(RUN, RUN.c.trace_id == EVENT.c.trace_id)
        .where(EVENT.c.kind.in_(_SUGGESTED), RUN.c.root == root)
        .order_by(EVENT.c.at, EVENT.c.seq)
    )
    with store.reading() as connection:
        read = [(row, read_body(row.kind, row.body)) for row in connection.execute(query)]
    return tuple(
        (TraceId(row.trace_id), row.at, body)
        for row, body in read
        if isinstance(body, FeedbackSuggested | SuggestionSettled)
    )
