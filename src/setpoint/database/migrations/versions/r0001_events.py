"""The append-only event table and the listing of runs."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from setpoint.database.tables import Utc

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables, and the triggers that keep events as they are."""
    op.create_table(
        "event",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("trace_id", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", Utc, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("trace_id", "seq", name="event_once_per_seq"),
        sa.UniqueConstraint("trace_id", "key", "place", name="event_once_per_key"),
    )
    op.create_index("event_by_kind", "event", ["kind", "at"])
    op.create_table(
        "run",
        sa.Column("trace_id", sa.Text, primary_key=True),
        sa.Column("story_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("ending", sa.Text),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("branch", sa.Text, nullable=False, server_default=""),
        sa.Column("iterations", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cost_usd", sa.Text),
        sa.Column("process", sa.Integer),
        sa.Column("started_at", Utc, nullable=False),
        sa.Column("finished_at", Utc),
    )
    op.create_index("run_by_start", "run", ["started_at"])
    script = Path(__file__).with_name(f"r0001_append_only.{op.get_bind().dialect.name}.sql")
    for statement in script.read_text("utf-8").split("\n\n"):
        op.execute(statement)
