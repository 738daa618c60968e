"""Indexes by which a listing finds runs that are not over, and the newest run of a story, among very many."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both indexes."""
    op.create_index("run_by_state", "run", ["state", "started_at"])
    op.create_index("run_by_story", "run", ["story_id", "trace_id"])
