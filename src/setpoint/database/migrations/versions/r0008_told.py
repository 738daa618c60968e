"""A column for the fold of a run, so that a list of runs reads no event; older rows are filled when read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column."""
    op.add_column("run", sa.Column("told", sa.Text))
