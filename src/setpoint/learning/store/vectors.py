"""What learnings mean, as vectors in an ordinary table; made from `learning`, so they may be made again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from threading import Lock
from typing import Any

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import BM_DOC, LEARNING_VECTOR
from setpoint.learning.store.embedding import DIMENSIONS, Meaning
from setpoint.learning.store.word_index import MOST_CONTEXTS
from setpoint.model.ids import LearningId
from setpoint.model.learning import LearningState

DIGITS = 4
"""Nearness is rounded, so that machines whose last bits differ choose the same."""
MOST_BODY = 600
"""Letters of a learning's text that its vector is made of."""


class Vectors:
    """Keeps a vector for what each learning says and for each situation it was taught in."""

    def __init__(self, store: Store, meaning: Meaning) -> None:
        """Use an open store and a model."""
        self._store, self._meaning = store, meaning
        self._lock = Lock()
        self._last = 0
        self._owners: list[LearningId] = []
        self._matrix: Any = None

    def lacking(self, most: int) -> tuple[LearningId, ...]:
        """Name learnings that can be found and have no vector of this model, the newest first."""
        of_model = LEARNING_VECTOR.c.model == self._meaning.name
        joined = BM_DOC.outerjoin(
            LEARNING_VECTOR, sa.and_(LEARNING_VECTOR.c.learning_id == BM_DOC.c.learning_id, of_model)
        )
        query = (
            sa.select(BM_DOC.c.learning_id)
            .select_from(joined)
            .where(LEARNING_VECTOR.c.seq.is_(None))
            .order_by(BM_DOC.c.learning_id.desc())
            .limit(most)
        )
        with self._store.reading() as connection:
            return tuple(LearningId(id_) for id_ in connection.scalars(query))

    def add(self, standings: Collection[LearningState]) -> int:
        """Make the vectors that these learnings lack, outside any transaction; gives how many were made."""
        wanted = {(each.learning.id, _hash(text)): text for each in standings for text in texts_of(each)}
        known = self._known({id_ for id_, _ in wanted})
        new = [key for key in wanted if key not in known]
        made = self._meaning.vectors([wanted[key] for key in new]) if new else ()
        with self._store.writing() as connection:
            held = self._held(connection, {id_ for id_, _ in new})
            rows = [
                {"learning_id": id_, "model": self._meaning.name, "text_hash": hash_, "vector": vector}
                for (id_, hash_), vector in zip(new, made, strict=True)
                if (id_, hash_) not in held  # another process may have been here meanwhile
            ]
            if rows:
                connection.execute(sa.insert(LEARNING_VECTOR), rows)
        return len(rows)

    def nearness(self, question: str) -> dict[LearningId, float]:
        """Say of every learning with a vector how near the nearest of its texts is to a question, -1 to 1."""
        import numpy as np  # noqa: PLC0415 - only the extra brings it

        with self._lock:
            self._read_new()
            owners, matrix = tuple(self._owners), self._matrix
        if matrix is None:
            return {}
        (asked,) = self._meaning.vectors([question])
        found: dict[LearningId, float] = {}
        for owner, value in zip(owners, matrix @ np.frombuffer(asked, dtype="<f4"), strict=True):
            near = round(float(value), DIGITS)
            if near > found.get(owner, -2.0):
                found[owner] = near
        return found

    def _read_new(self) -> None:
        """Take in what was added since; vectors never change, so nothing is read twice."""
        import numpy as np  # noqa: PLC0415 - only the extra brings it

        query = (
            sa.select(LEARNING_VECTOR.c.seq, LEARNING_VECTOR.c.learning_id, LEARNING_VECTOR.c.vector)
            .where(LEARNING_VECTOR.c.seq > self._last, LEARNING_VECTOR.c.model == self._meaning.name)
            .order_by(LEARNING_VECTOR.c.seq)
        )
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return
        self._last = rows[-1].seq
        self._owners += [LearningId(row.learning_id) for row in rows]
        new = np.frombuffer(b"".join(bytes(row.vector) for row in rows), dtype="<f4")
        new = new.reshape(-1, DIMENSIONS)
        self._matrix = new if self._matrix is None else np.concatenate([self._matrix, new])

    def _known(self, which: Collection[LearningId]) -> set[tuple[LearningId, str]]:
        with self._store.reading() as connection:
            return self._held(connection, which)

    def _held(self, connection: sa.Connection, which: Collection[LearningId]) -> set[tuple[LearningId, str]]:
        query = sa.select(LEARNING_VECTOR.c.learning_id, LEARNING_VECTOR.c.text_hash).where(
            LEARNING_VECTOR.c.model == self._meaning.name, LEARNING_VECTOR.c.learning_id.in_(sorted(which))
        )
        return {(LearningId(id_), hash_) for id_, hash_ in connection.execute(query)}


def texts_of(standing: LearningState) -> Sequence[str]:
    """Return what a learning is found by: what it says, and each situation it was taught in."""
    known = standing.learning
    return (f"{known.title}\n{known.body[:MOST_BODY]}".strip(), *standing.contexts[-MOST_CONTEXTS:])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
