"""Which runs memory held something for, shown or held back, and what came of them: counted in the listing."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import RUN
from setpoint.history.metrics.event_counts import SAYS_NOTHING
from setpoint.model.ending import Ending
from setpoint.model.learning import LearningKind, RunGroup


def uses(store: Store, root: str) -> Iterator[RunGroup]:
    """Yield the finished runs of a project that memory held something for, those that are alike together.

    What counts is what fitted when memory first held something for a run.
    """
    alike = (RUN.c.held_out, RUN.c.recalled, RUN.c.ending, RUN.c.iterations)
    cost = sa.cast(RUN.c.cost_usd, sa.Double)
    query = (
        sa.select(
            *alike,
            sa.func.count().label("runs"),
            sa.func.count(cost).label("told"),
            sa.func.sum(cost).label("cost"),
            sa.func.sum(cost * cost).label("squared"),
        )
        .where(
            RUN.c.root == root,
            RUN.c.recalled.is_not(None),
            RUN.c.held_out.is_not(None),
            RUN.c.ending.is_not(None),
            RUN.c.ending.not_in(SAYS_NOTHING),
        )
        .group_by(*alike)
    )
    with store.reading() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        yield RunGroup(
            kinds=frozenset(map(LearningKind, row.recalled.split(","))),
            held_out=row.held_out,
            verified=row.ending == Ending.VERIFIED,
            iterations=row.iterations,
            runs=row.runs,
            told=row.told,
            cost_usd=row.cost or 0.0,
            squared_usd=row.squared or 0.0,
        )
