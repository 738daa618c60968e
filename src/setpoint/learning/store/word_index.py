"""The words of learnings in ordinary tables, and BM25 over them: the same ranking on every database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from setpoint.database.tables import BM_DOC, BM_POST
from setpoint.learning.policy import tokenizer
from setpoint.learning.policy.bm25 import DIGITS, K1, B, rarities, telling
from setpoint.learning.policy.tokenizer import terms
from setpoint.model.ids import LearningId
from setpoint.model.learning import Proposal

TITLE_COUNTS = 2
"""How often a term of the title or the context counts."""
MOST_CONTEXTS = 8
"""Situations in which a learning was taught that it is found by, the newest."""


class Ranked(NamedTuple):
    """A learning that holds terms of a question."""

    id: LearningId
    score: float
    matched: int
    telling: float


def words_of(learning: Proposal, contexts: Sequence[str]) -> dict[str, int]:
    """Return the terms by which a learning is found, with what each counts.

    Whoever teaches the same again in another situation makes it findable there, too.
    """
    head = terms(" ".join((learning.title, *contexts[-MOST_CONTEXTS:], *learning.tags)))
    body = terms(f"{learning.body} {' '.join(learning.hint.files)} {learning.hint.command}")
    return {term: TITLE_COUNTS * head[term] + body[term] for term in sorted({*head, *body})}


def put(connection: sa.Connection, id_: LearningId, learning: Proposal, contexts: Sequence[str]) -> None:
    """Make a learning findable; nothing happens where it is already."""
    if connection.scalar(sa.select(BM_DOC.c.learning_id).where(BM_DOC.c.learning_id == id_)) is not None:
        return
    words = words_of(learning, contexts)
    connection.execute(sa.insert(BM_DOC), {"learning_id": id_, "length": sum(words.values())})
    rows = [{"term": term, "learning_id": id_, "count": count} for term, count in words.items()]
    if rows:
        connection.execute(sa.insert(BM_POST), rows)


def take_out(connection: sa.Connection, id_: LearningId) -> None:
    """Let a learning be found no more."""
    connection.execute(sa.delete(BM_POST).where(BM_POST.c.learning_id == id_))
    connection.execute(sa.delete(BM_DOC).where(BM_DOC.c.learning_id == id_))


def ranked(connection: sa.Connection, question: str, most: int) -> tuple[Ranked, ...]:
    """Return the learnings that hold terms of a question, the most relevant first."""
    asked = tokenizer.telling(question)
    count, average = connection.execute(
        sa.select(sa.func.count(), sa.func.avg(BM_DOC.c.length)).select_from(BM_DOC)
    ).one()
    if not asked or not count:
        return ()
    weights = rarities(int(count), _holding(connection, asked))
    if not weights:
        return ()
    matched = sa.func.count().label("matched")
    score = sa.func.sum(_part(weights, float(average))).label("score")
    query = (
        sa.select(BM_POST.c.learning_id, score, matched)
        .join(BM_DOC, BM_DOC.c.learning_id == BM_POST.c.learning_id)
        .where(BM_POST.c.term.in_(weights))
        .group_by(BM_POST.c.learning_id)
        .order_by(sa.desc("score"), BM_POST.c.learning_id)
        .limit(most)
    )
    found = [
        Ranked(
            LearningId(row.learning_id),
            round(float(row.score), DIGITS),
            int(row.matched),
            telling(float(row.score), int(count)),
        )
        for row in connection.execute(query)
    ]
    return tuple(sorted(found, key=lambda each: (-each.score, each.id)))


def _holding(connection: sa.Connection, asked: list[str]) -> dict[str, int]:
    """Count the learnings that hold each term."""
    held: dict[str, int] = {}
    for begin in range(0, len(asked), 500):
        query = (
            sa.select(BM_POST.c.term, sa.func.count())
            .where(BM_POST.c.term.in_(asked[begin : begin + 500]))
            .group_by(BM_POST.c.term)
        )
        held |= {term: int(holding) for term, holding in connection.execute(query)}
    return held


def _part(weights: Mapping[str, float], average: float) -> sa.ColumnElement[Any]:
    """Write what one term of one learning adds to its score."""
    weight = _weight(weights)
    count = sa.cast(BM_POST.c.count, sa.Float)
    length = sa.cast(BM_DOC.c.length, sa.Float)
    held_back = sa.literal(K1 * (1.0 - B), sa.Float) + sa.literal(K1 * B / average, sa.Float) * length
    return weight * count * sa.literal(K1 + 1.0, sa.Float) / (count + held_back)


def _weight(weights: Mapping[str, float]) -> sa.ColumnElement[Any]:
    """Write the weight of a term."""
    return sa.case(
        *((BM_POST.c.term == term, sa.literal(value, sa.Float)) for term, value in weights.items()),
        else_=sa.literal(0.0, sa.Float),
    )
