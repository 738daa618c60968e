"""Artifacts in the database that several machines share, so that each reads what another kept."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from setpoint.database.connect import Store
from setpoint.database.tables import ARTIFACT


class SharedArtifacts:
    """Bytes by their sha256; what is put there never changes."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def put(self, digest: str, data: bytes, *, hidden: bool) -> None:
        """Keep bytes; `hidden` says that no process of a maker may read them."""
        known = sa.select(ARTIFACT.c.digest).where(ARTIFACT.c.digest == digest)
        with self._store.reading() as connection:
            if connection.execute(known).first() is not None:
                return
        row = insert(ARTIFACT).values(digest=digest, hidden=hidden, data=data).on_conflict_do_nothing()
        with self._store.writing() as connection:
            connection.execute(row)

    def get(self, digest: str) -> tuple[bytes, bool] | None:
        """Return bytes, and whether they are hidden; none where they were never kept."""
        query = sa.select(ARTIFACT.c.data, ARTIFACT.c.hidden).where(ARTIFACT.c.digest == digest)
        with self._store.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else (bytes(row.data), bool(row.hidden))
