"""Measure how fast learnings are found: p50 and p95 of a search among 1,000, 10,000 and more of them.

    python bench/retrieval.py [--sizes 1000,10000] [--questions 100]

Texts are made of words with a skewed frequency, as long as learnings are. What is measured is the whole
search: terms, ranking in SQL, and reading the fifty best with all their evidence.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from setpoint.domain.ids import LearningId
from setpoint.domain.learning import Learning, LearningKind
from setpoint.memory import SqlMemory, index
from setpoint.memory.learnings import row_of
from setpoint.store.connect import Store, open_store
from setpoint.store.tables import LEARNING

VOCABULARY = 8000
WORDS = 60
"""Words of a learning, about 400 characters."""


def text(chance: random.Random, words: int) -> str:
    """Make a text; a few words are in nearly every one, most are rare."""
    return " ".join(f"w{min(int(chance.paretovariate(0.7)), VOCABULARY)}x" for _ in range(words))


def fill(store: Store, size: int, chance: random.Random) -> float:
    """Keep that many learnings; gives the seconds it took."""
    began, at = time.perf_counter(), datetime.now(UTC)
    with store.writing() as connection:
        for number in range(size):
            known = Learning(
                id=LearningId(f"lrn-{number:08}"),
                made_at=at,
                kind=LearningKind.SEMANTIC,
                title=text(chance, 8),
                body=text(chance, WORDS),
                source=f"bench:{number}",
            )
            connection.execute(sa.insert(LEARNING), row_of(known))
            index.put(connection, known.id, known)
    return time.perf_counter() - began


def main() -> None:
    """Measure each size in a store of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    for size in map(int, given.sizes.split(",")):
        chance = random.Random(size)
        with tempfile.TemporaryDirectory() as place:
            store = open_store(Path(place))
            seconds = fill(store, size, chance)
            memory, taken = SqlMemory(store), []
            for _ in range(given.questions):
                asked = text(chance, 12)
                began = time.perf_counter()
                memory.search(asked)
                taken.append((time.perf_counter() - began) * 1000)
            store.close()
        cuts = statistics.quantiles(taken, n=20)
        print(
            f"{size}: p50 {statistics.median(taken):.1f} ms, p95 {cuts[18]:.1f} ms, filled in {seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
