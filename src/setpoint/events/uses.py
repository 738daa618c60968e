"""Which learnings fitted which runs, shown or held back, and what came of the runs: read from the log."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from setpoint.domain.events import RunStarted
from setpoint.domain.ids import TraceId
from setpoint.domain.memory_events import MemoryRecalled
from setpoint.domain.run import Ending
from setpoint.events.tallies import SAYS_NOTHING
from setpoint.policies.recall import held_out
from setpoint.policies.uplift import Use
from setpoint.store.connect import Store
from setpoint.store.tables import EVENT, RUN


def uses(store: Store, root: str) -> Iterator[Use]:
    """Give each learning that fitted a finished run of a project when memory first held something for it."""
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
    seen: set[str] = set()
    with store.reading() as connection:
        rows = connection.execute(query).all()
        for row in rows:
            recalled = None if row.trace_id in seen else MemoryRecalled.model_validate_json(row.body)
            if recalled is None or not recalled.items:
                continue
            seen.add(row.trace_id)
            held = recalled.held_out
            if held is None:
                held = _was_held_out(connection, TraceId(row.trace_id))
            for item in recalled.items:
                yield Use(
                    trace_id=row.trace_id,
                    learning=item.learning,
                    kind=item.kind,
                    shown=item.shown,
                    propensity=item.propensity,
                    held_out=held,
                    verified=row.ending == Ending.VERIFIED,
                    iterations=row.iterations,
                    cost_usd=None if row.cost_usd is None else float(row.cost_usd),
                )


def _was_held_out(connection: sa.Connection, run: TraceId) -> bool:
    """Throw the coin of a run of an older version again: its name and its order decide."""
    started = RunStarted.model_fields["kind"].default
    query = sa.select(EVENT.c.body).where(EVENT.c.trace_id == run, EVENT.c.kind == started)
    body = str(connection.execute(query).scalar_one())
    return held_out(run, RunStarted.model_validate_json(body).order.memory.hold_out)
