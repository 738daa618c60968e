"""What people said and did about runs, over all runs: by person, finding, gate and run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import sqlalchemy as sa

from setpoint.domain.events import BODY, Body, GateAnswered
from setpoint.domain.gate import Via
from setpoint.domain.ids import TraceId
from setpoint.domain.memory_events import Feedback, FindingDismissed, FixApplied, FixRewritten, HumanEdited
from setpoint.domain.value import Instant, Text, Value
from setpoint.store.connect import Store
from setpoint.store.tables import EVENT, RUN

_KINDS = (
    "gate.answered",
    "feedback.finding_dismissed",
    "feedback.fix_applied",
    "feedback.fix_rewritten",
    "feedback.human_edited",
    "feedback.human_comment_added",
    "feedback.delivery_judged",
)


class Opinion(Value):
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


def opinions(store: Store, root: str, since: datetime | None = None) -> Iterator[Opinion]:
    """Give all of a project, oldest first; answers that nobody gave are left out."""
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.at, EVENT.c.kind, EVENT.c.body)
        .join(RUN, RUN.c.trace_id == EVENT.c.trace_id)
        .where(EVENT.c.kind.in_(_KINDS), RUN.c.root == root)
        .order_by(EVENT.c.at, EVENT.c.seq)
    )
    if since is not None:
        query = query.where(EVENT.c.at > since)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        body = BODY.validate_json(row.body)
        if isinstance(body, GateAnswered) and body.answer.via is Via.DEADLINE:
            continue
        yield Opinion(
            trace_id=TraceId(row.trace_id),
            at=row.at,
            kind=row.kind,
            by=body.answer.by if isinstance(body, GateAnswered) else str(getattr(body, "by", "")),
            finding=body.finding if isinstance(body, FindingDismissed | FixApplied | FixRewritten) else "",
            gate=body.gate if isinstance(body, GateAnswered | HumanEdited) else "",
            body=body,
        )


def feedback_since(store: Store, root: str, since: datetime) -> tuple[Feedback, ...]:
    """Give what people said of findings and deliveries since a time."""
    return tuple(each.body for each in opinions(store, root, since) if isinstance(each.body, Feedback))
