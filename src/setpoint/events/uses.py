"""Which learnings fitted which runs, shown or held back, and what came of the runs: read from the log."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from setpoint.domain.memory_events import MemoryRecalled
from setpoint.domain.run import Ending
from setpoint.events.tallies import SAYS_NOTHING
from setpoint.policies.uplift import Use
from setpoint.store.connect import Store
from setpoint.store.tables import EVENT, RUN


def uses(store: Store, root: str) -> Iterator[Use]:
    """Give each learning that fitted a finished run of a project, once for each run."""
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.body, RUN.c.ending, RUN.c.iterations, RUN.c.cost_usd)
        .join(RUN, RUN.c.trace_id == EVENT.c.trace_id)
        .where(
            EVENT.c.kind == MemoryRecalled.model_fields["kind"].default,
            RUN.c.root == root,
            RUN.c.ending.is_not(None),
            RUN.c.ending.not_in(SAYS_NOTHING),
        )
        .order_by(EVENT.c.trace_id, EVENT.c.seq)
    )
    seen: set[tuple[str, str]] = set()
    with store.reading() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        for item in MemoryRecalled.model_validate_json(row.body).items:
            if (row.trace_id, item.learning) in seen:
                continue
            seen.add((row.trace_id, item.learning))
            yield Use(
                trace_id=row.trace_id,
                learning=item.learning,
                kind=item.kind,
                shown=item.shown,
                propensity=item.propensity,
                verified=row.ending == Ending.VERIFIED,
                iterations=row.iterations,
                cost_usd=None if row.cost_usd is None else float(row.cost_usd),
            )
