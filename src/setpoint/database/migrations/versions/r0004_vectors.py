"""What learnings mean, as vectors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "learning_vector",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("learning_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("learning_id", "model", "text_hash", name="learning_vector_once_per_text"),
    )
