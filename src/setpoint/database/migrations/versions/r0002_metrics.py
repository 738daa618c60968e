"""Metrics: stored reports, and what was counted of days that are over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from setpoint.database.tables import Utc

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of stored reports and that of counted days."""
    op.create_table(
        "metrics_snapshot",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("at", Utc, nullable=False),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("occasion", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("occasion", "days", name="metrics_snapshot_once_per_occasion"),
    )
    op.create_index("metrics_snapshot_by_time", "metrics_snapshot", ["at"])
    op.create_table(
        "metrics_day",
        sa.Column("tally", sa.Text, primary_key=True),
        sa.Column("version", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
