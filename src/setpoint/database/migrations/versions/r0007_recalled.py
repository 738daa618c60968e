"""Columns for what memory first held for a run; nothing reads them any more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns."""
    op.add_column("run", sa.Column("recalled", sa.Text))
    op.add_column("run", sa.Column("held_out", sa.Boolean))
    op.create_index("run_by_recalled", "run", ["recalled", "root"])
