"""Which runs memory held something for, shown or held back, and what came of them: counted in the log."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from setpoint.domain.events import RunStarted
from setpoint.domain.ids import TraceId
from setpoint.domain.learning import LearningKind
from setpoint.domain.memory_events import MemoryRecalled
from setpoint.domain.run import Ending
from setpoint.events.tallies import SAYS_NOTHING
from setpoint.events.window import Body
from setpoint.policies.recall import held_out
from setpoint.policies.uplift import Alike
from setpoint.store.connect import Store
from setpoint.store.tables import EVENT, RUN

_RECALLED = MemoryRecalled.model_fields["kind"].default
_STARTED = RunStarted.model_fields["kind"].default


def uses(store: Store, root: str) -> Iterator[Alike]:
    """Give the finished runs of a project that memory held something for, those that are alike together.

    What counts is what fitted when memory first held something for a run.
    """
    with store.reading() as connection:
        rows = connection.execute(_query(root, postgres=connection.dialect.name == "postgresql")).all()
    for row in rows:
        held = row.held
        if held is None:  # a record of an older version: the run's name and its order throw the coin again
            held = held_out(TraceId(row.run), row.hold_out)
        yield Alike(
            kinds=frozenset(map(LearningKind, row.kinds.split(","))),
            held_out=held,
            verified=row.ending == Ending.VERIFIED,
            iterations=row.iterations,
            runs=row.runs,
            told=row.told,
            cost_usd=row.cost or 0.0,
            squared_usd=row.squared or 0.0,
        )


def _query(root: str, *, postgres: bool) -> sa.Select[tuple[object, ...]]:
    """Count runs by what is compared; those of older versions stay apart, each by its name."""
    run = _each(root, postgres=postgres)
    alike = (run.c.held, run.c.run, run.c.hold_out, run.c.kinds, run.c.ending, run.c.iterations)
    sums = (
        sa.func.count().label("runs"),
        sa.func.count(run.c.cost).label("told"),
        sa.func.sum(run.c.cost).label("cost"),
        sa.func.sum(run.c.cost * run.c.cost).label("squared"),
    )
    return sa.select(*alike, *sums).group_by(*alike)


def _each(root: str, *, postgres: bool) -> sa.CTE:
    """Give each finished run with what memory first held for it; named only where a coin is to be thrown."""
    asked = _first_asked(postgres=postgres)
    started = EVENT.alias("started")
    coin = Body(postgres=postgres, body=started.c.body).number("order.memory.hold_out")
    hold_out = sa.select(coin).where(started.c.trace_id == asked.c.run, started.c.kind == _STARTED)
    of_old = asked.c.held.is_(None)
    return (
        sa.select(
            asked.c.held,
            sa.case((of_old, asked.c.run)).label("run"),
            sa.case((of_old, hold_out.scalar_subquery())).label("hold_out"),
            asked.c.kinds,
            RUN.c.ending,
            RUN.c.iterations,
            sa.cast(RUN.c.cost_usd, sa.Double).label("cost"),
        )
        .join(asked, asked.c.run == RUN.c.trace_id)
        .where(RUN.c.root == root, RUN.c.ending.is_not(None), RUN.c.ending.not_in(SAYS_NOTHING))
        .cte("each")
    )


def _first_asked(*, postgres: bool) -> sa.CTE:
    """Give, for each run, what memory said when it first held something for it."""
    json = Body(postgres=postgres, body=EVENT.c.body)
    first = (
        sa.select(EVENT.c.trace_id, sa.func.min(EVENT.c.seq).label("seq"))
        .where(EVENT.c.kind == _RECALLED, json.length("items") > 0)
        .group_by(EVENT.c.trace_id)
        .cte("first")
    )
    items, item = json.elements("items")
    kinds = sa.select(sa.func.aggregate_strings(item.text("kind"), ",")).select_from(items)
    same = sa.and_(EVENT.c.trace_id == first.c.trace_id, EVENT.c.seq == first.c.seq)
    return (
        sa.select(
            EVENT.c.trace_id.label("run"),
            json.flag("held_out").label("held"),
            kinds.scalar_subquery().label("kinds"),
        )
        .join(first, same)
        .cte("asked")
    )
