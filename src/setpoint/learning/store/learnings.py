"""Learnings and their evidence on the store's database; append-only, and the same source counts once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from setpoint.database.connect import Store
from setpoint.database.tables import LEARNING, LEARNING_EVIDENCE
from setpoint.errors import RecordedDataError
from setpoint.learning.policy.confidence import learning_state
from setpoint.learning.policy.maintenance import (
    against_others,
    cleaned,
    first_evidence,
    kept,
    repeated_evidence,
)
from setpoint.learning.policy.merging import placed
from setpoint.learning.store import word_index
from setpoint.model.ids import LearningId
from setpoint.model.learning import (
    EvidenceKind,
    Hit,
    Learning,
    LearningEvidence,
    LearningState,
    LearningStatus,
    Proposal,
)

_LOCK = 0x5E7_0002
_AT_ONCE = 500
_MOST_REFUSED = 200
"""Retired learnings that a proposal is compared with, the newest; the word index does not hold them."""
_OUT = (LearningStatus.RETIRED, LearningStatus.SUPERSEDED)


def _now() -> datetime:
    return datetime.now(UTC)


class SqlMemory:
    """Keeps what was learnt; safe for several processes on one store."""

    def __init__(self, store: Store, now: Callable[[], datetime] = _now) -> None:
        """Use an open store; `now` gives the times of learnings, aware, in UTC."""
        self._store = store
        self._now = now

    def learn(self, proposals: Sequence[Proposal]) -> tuple[LearningId, ...]:
        """Take proposals in: as new learnings, or as evidence for those that say the same.

        The same proposal from the same source changes nothing. Secrets are removed from the texts first.
        """
        with self._writing() as connection:
            return tuple(self._learn(connection, cleaned(each)) for each in proposals)

    def weigh(self, evidence: Sequence[LearningEvidence]) -> tuple[LearningEvidence, ...]:
        """Add evidence; gives what was new. Evidence about a learning that is not kept is left out."""
        with self._writing() as connection:
            return self._weigh(connection, evidence)

    def search(self, question: str, most: int = 50) -> tuple[Hit, ...]:
        """Return learnings that share words with a question, the most relevant first."""
        with self._store.reading() as connection:
            found = {each.id: each for each in word_index.ranked(connection, question, most)}
            known = self._standings(connection, found)
        hits = [
            Hit(standing=each, score=words.score, matched=words.matched, telling=words.telling)
            for each in known
            if each.status not in _OUT
            for words in (found[each.learning.id],)
        ]
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.standing.learning.id)))

    def rebuild(self) -> None:
        """Rebuild the search index."""
        with self._writing() as connection:
            for each in self._standings(connection, None):
                word_index.take_out(connection, each.learning.id)
                if each.status not in _OUT:
                    word_index.put(connection, each.learning.id, each.learning, each.contexts)

    def standings(self, which: Collection[LearningId] | None = None) -> tuple[LearningState, ...]:
        """Return learnings as they are now, oldest first: the named ones, or all."""
        with self._store.reading() as connection:
            return self._standings(connection, which)

    def named(self, beginning: str) -> tuple[LearningId, ...]:
        """Return the ids that begin so."""
        query = sa.select(LEARNING.c.id).where(LEARNING.c.id.startswith(beginning, autoescape=True))
        with self._store.reading() as connection:
            return tuple(LearningId(id_) for id_ in connection.scalars(query) if id_.startswith(beginning))

    def of_source(self, source: str) -> tuple[LearningState, ...]:
        """Return the learnings that come from a source, as they are now."""
        query = sa.select(LEARNING.c.id).where(LEARNING.c.source == source)
        with self._store.reading() as connection:
            return self._standings(connection, [LearningId(id_) for id_ in connection.scalars(query)])

    def mark(self) -> str:
        """Name the state of the memory, so that a change is seen without reading it: it only ever grows."""
        counts = [sa.select(sa.func.count()).select_from(each) for each in (LEARNING, LEARNING_EVIDENCE)]
        with self._store.reading() as connection:
            return " ".join(str(connection.scalar(each)) for each in counts)

    def _learn(self, connection: sa.Connection, proposal: Proposal) -> LearningId:
        known = self._standings(connection, _likely(connection, proposal))
        place = placed(proposal, known)
        at = self._now()
        if place.same is not None:
            known_as = place.same.learning
            self._weigh(connection, repeated_evidence(known_as, proposal, at))
            return known_as.id
        learning = kept(proposal, at)
        connection.execute(sa.insert(LEARNING), row_of(learning))
        word_index.put(connection, learning.id, learning, [learning.situation])
        self._weigh(connection, (*first_evidence(learning), *against_others(learning, place, proposal, at)))
        return learning.id

    def _weigh(
        self, connection: sa.Connection, evidence: Sequence[LearningEvidence]
    ) -> tuple[LearningEvidence, ...]:
        named = {each.learning for each in evidence}
        known = {each.id for each in _learnings(connection, named)}
        held = {(each.learning, each.source) for each in _evidence(connection, named)}
        new: dict[tuple[str, str], LearningEvidence] = {}
        for each in evidence:
            if each.learning in known and (each.learning, each.source) not in held:
                new.setdefault((each.learning, each.source), each)
        if new:
            rows = [_evidence_row(each) for each in new.values()]
            connection.execute(sa.insert(LEARNING_EVIDENCE), rows)
        again = {each.learning for each in new.values() if each.kind is EvidenceKind.REPEATED}
        for now in self._standings(connection, {each.learning for each in new.values()}):
            if now.status in _OUT or now.learning.id in again:
                word_index.take_out(connection, now.learning.id)
            if now.status not in _OUT:
                word_index.put(connection, now.learning.id, now.learning, now.contexts)
        return tuple(new.values())

    def _standings(
        self, connection: sa.Connection, which: Collection[LearningId] | None
    ) -> tuple[LearningState, ...]:
        now = self._now()
        entries: dict[str, list[LearningEvidence]] = {}
        for each in _evidence(connection, which):
            entries.setdefault(each.learning, []).append(each)
        return tuple(
            learning_state(each, entries.get(each.id, ()), now) for each in _learnings(connection, which)
        )

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """Yield a connection that writes; on Postgres writers take turns, as on SQLite they do anyway."""
        with self._store.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            yield connection


def _likely(connection: sa.Connection, proposal: Proposal) -> list[LearningId]:
    """Return learnings that may say the same as a proposal, or something against it."""
    query = sa.select(LEARNING.c.id).where(LEARNING.c.content_hash == proposal.content_hash)
    ids = list(connection.scalars(query))
    if proposal.subject:
        subject = sa.select(LEARNING.c.id).where(LEARNING.c.subject == proposal.subject)
        ids += connection.scalars(subject)
    ids += [each.id for each in word_index.ranked(connection, f"{proposal.title} {proposal.body}", most=20)]
    ids += connection.scalars(
        sa.select(LEARNING.c.id)
        .join(LEARNING_EVIDENCE, LEARNING_EVIDENCE.c.learning_id == LEARNING.c.id)
        .where(
            LEARNING.c.kind == proposal.kind,
            LEARNING.c.scope == proposal.scope,
            LEARNING_EVIDENCE.c.kind.in_((EvidenceKind.REJECTED, EvidenceKind.RETIRED)),
        )
        .order_by(LEARNING.c.id.desc())
        .limit(_MOST_REFUSED)
    )
    return [LearningId(id_) for id_ in dict.fromkeys(ids)]


def row_of(learning: Learning) -> dict[str, Any]:
    """Return a learning as its table holds it."""
    return {
        "id": learning.id,
        "kind": learning.kind,
        "scope": learning.scope,
        "subject": learning.subject,
        "source": learning.source,
        "content_hash": learning.content_hash,
        "made_at": learning.made_at,
        "body": learning.model_dump_json(),
    }


def _evidence_row(entry: LearningEvidence) -> dict[str, Any]:
    return {"learning_id": entry.learning, **entry.model_dump(mode="python", exclude={"learning"})}


def _learnings(connection: sa.Connection, which: Collection[LearningId] | None) -> Iterable[Learning]:
    query = sa.select(LEARNING).order_by(LEARNING.c.id)
    for row in _rows(connection, query, LEARNING.c.id, which):
        try:
            yield Learning.model_validate_json(row.body)
        except ValidationError as error:
            message = f"learning {row.id} cannot be read by this version: {error.errors()[0]['msg']}"
            hint = "update Setpoint: a newer version has written it"
            raise RecordedDataError(message, hint=hint) from error


def _evidence(connection: sa.Connection, which: Collection[LearningId] | None) -> Iterable[LearningEvidence]:
    query = sa.select(LEARNING_EVIDENCE).order_by(LEARNING_EVIDENCE.c.at, LEARNING_EVIDENCE.c.source)
    for row in _rows(connection, query, LEARNING_EVIDENCE.c.learning_id, which):
        values = {name: value for name, value in row._mapping.items() if name != "learning_id"}  # noqa: SLF001 - SQLAlchemy's public name for it
        yield LearningEvidence(learning=LearningId(row.learning_id), **values)


def _rows(
    connection: sa.Connection,
    query: sa.Select[Any],
    column: sa.Column[Any],
    which: Collection[LearningId] | None,
) -> Iterable[sa.Row[Any]]:
    """Run a query for all rows, or for those of named learnings, some at a time."""
    if which is None:
        yield from connection.execute(query).all()
        return
    names = sorted(which)
    for begin in range(0, len(names), _AT_ONCE):
        yield from connection.execute(query.where(column.in_(names[begin : begin + _AT_ONCE]))).all()
