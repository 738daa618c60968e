"""An index by which a list finds the runs that ended last, among very many."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index."""
    op.create_index("run_by_end", "run", ["state", sa.text("coalesce(finished_at, started_at)")])
