"""Store what memory first held for a run in its row, so that one sum over runs gives memory's worth."""

from __future__ import annotations

import hashlib
import json
import random
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from setpoint.database.tables import EVENT, RUN

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns, and fill them from what was recorded."""
    op.add_column("run", sa.Column("recalled", sa.Text))
    op.add_column("run", sa.Column("held_out", sa.Boolean))
    op.create_index("run_by_recalled", "run", ["recalled", "root"])
    connection = op.get_bind()
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.body)
        .where(EVENT.c.kind == "memory.recalled")
        .order_by(EVENT.c.trace_id, EVENT.c.seq)
    )
    found = []
    for run, rows in groupby(connection.execute(query).all(), key=lambda row: str(row.trace_id)):
        first = next((told for row in rows if _kinds(told := _told(row.body))), None)
        if first is not None:
            held = first.get("held_out")
            values = {"held_out": _coin(connection, run) if held is None else held}
            found.append({"of": run, "recalled": ",".join(sorted(_kinds(first))), **values})
    if found:
        connection.execute(sa.update(RUN).where(RUN.c.trace_id == sa.bindparam("of")), found)


def _coin(connection: sa.Connection, run: str) -> bool:
    """Throw the coin of a run that did not record it once more: its name and its order decide."""
    started = sa.select(EVENT.c.body).where(EVENT.c.trace_id == run, EVENT.c.kind == "run.started")
    order = _told(connection.scalar(started) or "{}").get("order") or {}
    return _held_out(run, (order.get("memory") or {}).get("hold_out", 0.0))


def _held_out(run: str, share: float) -> bool:
    """Return whether a run is one of the share that is shown nothing; the rule as it was in this revision."""
    seed = int.from_bytes(hashlib.sha256(f"{run}\x1fcoin:".encode()).digest()[:8])
    return random.Random(seed).random() < share  # noqa: S311 - a fair coin, no secret


def _kinds(told: dict[str, Any]) -> set[str]:
    items = told.get("items")
    every = items if isinstance(items, list) else []
    return {str(item["kind"]) for item in every if isinstance(item, dict) and "kind" in item}


def _told(body: str) -> dict[str, Any]:
    """Read a body; nothing where it is damaged, which `setpoint show` says: the store opens all the same."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
