"""An index from which the runs in each state, and with each ending, are counted without reading the runs."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index."""
    op.create_index("run_by_ending", "run", ["state", "ending"])
