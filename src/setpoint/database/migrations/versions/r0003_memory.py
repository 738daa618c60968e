"""What was learnt, what spoke for and against it, and the words by which it is found."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from setpoint.database.tables import Utc

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and the triggers that keep learnings and evidence as they are."""
    op.create_table(
        "learning",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False, unique=True),
        sa.Column("made_at", Utc, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("learning_by_source", "learning", ["source"])
    op.create_table(
        "learning_evidence",
        sa.Column("learning_id", sa.Text, sa.ForeignKey("learning.id"), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("weight", sa.Float, nullable=False),
        sa.Column("at", Utc, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("trace_id", sa.Text),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("learning_id", "source", name="learning_evidence_once_per_source"),
    )
    op.create_table(
        "bm_doc",
        sa.Column("learning_id", sa.Text, primary_key=True),
        sa.Column("length", sa.Integer, nullable=False),
    )
    op.create_table(
        "bm_post",
        sa.Column("term", sa.Text, nullable=False),
        sa.Column("learning_id", sa.Text, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("term", "learning_id", name="bm_post_once_per_term"),
    )
    op.create_index("bm_post_by_learning", "bm_post", ["learning_id"])
    script = Path(__file__).with_name(f"r0003_append_only.{op.get_bind().dialect.name}.sql")
    for statement in script.read_text("utf-8").split("\n\n"):
        op.execute(statement)
