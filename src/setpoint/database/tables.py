"""The tables of the store, the same on SQLite and on Postgres."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect


class Utc(TypeDecorator[datetime]):
    """An aware point in time, kept in UTC to the microsecond also where the database knows no zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Bring a time to UTC; SQLite's own type takes it without its zone."""
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


METADATA = sa.MetaData()
"""All tables; migrations are tested to lead to exactly these."""

EVENT = sa.Table(
    "event",
    METADATA,
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
    sa.Index("event_by_kind", "kind", "at"),
)
"""Facts, append-only: triggers deny updates and deletes. `body` is JSON; `place` counts within a key."""

RUN = sa.Table(
    "run",
    METADATA,
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
    sa.Column("recalled", sa.Text),  # of earlier versions, as the next one
    sa.Column("held_out", sa.Boolean),
    sa.Column("told", sa.Text),
    sa.Index("run_by_start", "started_at"),
    sa.Index("run_by_state", "state", "started_at"),
    sa.Index("run_by_end", "state", sa.text("coalesce(finished_at, started_at)")),
    sa.Index("run_by_ending", "state", "ending"),
    sa.Index("run_by_story", "story_id", "trace_id"),
    sa.Index("run_by_recalled", "recalled", "root"),
)
"""One row per run for listings, written with the events that it follows from; nothing rests on it alone.

`recalled` names the kinds of what memory first held for the run, with commas; null where it held nothing.
`told` is the run as `history.run_fold` stores it; null in rows of earlier versions, until they are read.
"""

LEASE = sa.Table(
    "lease",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("until", Utc, nullable=False),
)
"""Who works on which run where several machines share a database; rows stay, so that epochs only rise."""

ARTIFACT = sa.Table(
    "artifact",
    METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""Artifacts by their sha256, where several machines share a database; on one machine they are files."""

LEARNING = sa.Table(
    "learning",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False, unique=True),
    sa.Column("made_at", Utc, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index("learning_by_source", "source"),
)
"""What was learnt, append-only; `body` is the whole learning as JSON, the other columns serve searches."""

LEARNING_EVIDENCE = sa.Table(
    "learning_evidence",
    METADATA,
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
"""What spoke for and against each learning, append-only; belief and status are derived from it."""

BM_DOC = sa.Table(
    "bm_doc",
    METADATA,
    sa.Column("learning_id", sa.Text, primary_key=True),
    sa.Column("length", sa.Integer, nullable=False),
)
"""Length of each learning that can be found, in terms; made from `learning`, so it may be made again."""

BM_POST = sa.Table(
    "bm_post",
    METADATA,
    sa.Column("term", sa.Text, nullable=False),
    sa.Column("learning_id", sa.Text, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("term", "learning_id", name="bm_post_once_per_term"),
    sa.Index("bm_post_by_learning", "learning_id"),
)
"""How often each term occurs in a learning."""

LEARNING_VECTOR = sa.Table(
    "learning_vector",
    METADATA,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("learning_id", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("vector", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("learning_id", "model", "text_hash", name="learning_vector_once_per_text"),
)
"""Vectors of an earlier version; nothing reads them."""

METRICS_SNAPSHOT = sa.Table(
    "metrics_snapshot",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", Utc, nullable=False),
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("occasion", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.UniqueConstraint("occasion", "days", name="metrics_snapshot_once_per_occasion"),
    sa.Index("metrics_snapshot_by_time", "at"),
)
"""Reports of the metrics at their time, `body` as JSON; an event that is recorded later changes none.

`occasion` names why it was stored, a day or a person's request: one report of each length for each.
"""

METRICS_DAY = sa.Table(
    "metrics_day",
    METADATA,
    sa.Column("tally", sa.Text, primary_key=True),
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)
"""What was counted of days that are over, so that they are counted once; may be emptied at any time."""
