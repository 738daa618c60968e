"""Measure how well and how fast learnings are found: by words, by meaning, and by both.

    python bench/retrieval.py quality [--cosqa CHECKOUT] [--sets decisions,taught]
    python bench/retrieval.py speed [--sizes 1000,10000,100000] [--questions 100] [--meaning]

`quality` gives recall@5 and nDCG@10 on the sets of `retrieval_sets.py`, with intervals over the questions (95
in 100, by resampling). `speed` gives p50 and p95 of a whole search: terms, ranking in SQL, the question's
vector, and reading the fifty best with all their evidence, by the clock and of the processor. Its texts are
as long as learnings are, of invented words as frequent as those of a language are (Zipf and Mandelbrot);
with `--meaning` each has a vector made by chance.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np
import retrieval_sets as sets
import sqlalchemy as sa

from setpoint.database.connect import Store, open_store
from setpoint.database.tables import LEARNING_VECTOR
from setpoint.learning.store import SqlMemory, word_index
from setpoint.learning.store.embedding import DIMENSIONS, Meaning, meaning_here
from setpoint.learning.store.vectors import Vectors

VOCABULARY = 8000
FILLER = 30
"""Most frequent words of a language that are no terms."""
WORDS = 60
"""Words of a learning, about 400 characters."""
Ranking = Callable[[str], Sequence[str]]


def rankings(store: Store, meaning: Meaning) -> dict[str, Ranking]:
    """Give the ways of finding that are compared; each answers with ids, the best first."""
    memory, vectors = SqlMemory(store, meaning=meaning), Vectors(store, meaning)
    print(f"  {memory.rebuild()} vectors made")

    def by_words(question: str) -> Sequence[str]:
        with store.reading() as connection:
            return [each.id for each in word_index.ranked(connection, question, 50)]

    def by_meaning(question: str) -> Sequence[str]:
        near = vectors.nearness(question)
        return sorted(near, key=lambda id_: (-near[id_], id_))[:50]

    def by_both(question: str) -> Sequence[str]:
        return [hit.standing.learning.id for hit in memory.search(question)]

    return {"words": by_words, "meaning": by_meaning, "both": by_both}


def recall(found: Sequence[str], answers: frozenset[str], most: int = 5) -> float:
    """Give the share of the answers among the first."""
    return len(answers & set(found[:most])) / len(answers)


def ndcg(found: Sequence[str], answers: frozenset[str], most: int = 10) -> float:
    """Give the discounted gain of the answers among the first, against the best there could be."""
    gain = sum(1 / math.log2(place + 2) for place, id_ in enumerate(found[:most]) if id_ in answers)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(answers), most)))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Give the interval of a mean by resampling."""
    chance = random.Random(3)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(1000))
    return means[25], means[974]


def quality(names: Sequence[str], checkout: Path | None) -> None:
    """Measure each set."""
    meaning = meaning_here()
    if meaning is None:
        raise SystemExit("the extra 'semantic' is not installed")
    for name in (*names, *(["cosqa"] if checkout else [])):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            made = (
                sets.cosqa(folder, checkout) if name == "cosqa" and checkout else getattr(sets, name)(folder)
            )
            print(f"{name}: {len(made.asked)} questions")
            for way, ranked in rankings(made.store, meaning).items():
                found = [(ranked(each.text), each.answers) for each in made.asked]
                for figure, measure in (("recall@5", recall), ("nDCG@10", ndcg)):
                    values = [measure(*each) for each in found]
                    low, high = interval(values)
                    print(f"  {way:8} {figure:9} {statistics.fmean(values):.3f} [{low:.3f}, {high:.3f}]")
            made.store.close()


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Invent words, and give how often each has occurred when it and all before it have (Mandelbrot's law).

    The first words of a language, those that stand in every sentence, are filler and no terms: the curve
    begins after them.
    """
    chance, words = random.Random(11), set[str]()
    while len(words) < VOCABULARY:
        words.add("".join(chance.choice("bdfgklmnprtvz") + chance.choice("aeiou") for _ in range(3)) + "k")
    return sorted(words), list(accumulate(1.0 / (place + FILLER) for place in range(1, VOCABULARY + 1)))


def text(chance: random.Random, words: int) -> str:
    """Make a text of so many words."""
    known, often = vocabulary()
    return " ".join(chance.choices(known, cum_weights=often, k=words))


def fill(store: Store, size: int, chance: random.Random, meaning: Meaning | None) -> float:
    """Keep that many learnings; gives the seconds it took."""
    began = time.perf_counter()
    for begin in range(0, size, 1000):
        numbers = range(begin, min(begin + 1000, size))
        sets.keep(
            store, [sets.learning(f"{each:08}", text(chance, 8), text(chance, WORDS)) for each in numbers]
        )
        if meaning is not None:
            rows = [
                {
                    "learning_id": f"lrn-{each:08}",
                    "model": meaning.name,
                    "text_hash": "x",
                    "vector": unit(chance),
                }
                for each in numbers
            ]
            with store.writing() as connection:
                connection.execute(sa.insert(LEARNING_VECTOR), rows)
    return time.perf_counter() - began


def unit(chance: random.Random) -> bytes:
    """Make a vector of length 1."""
    values = np.random.default_rng(chance.getrandbits(32)).normal(size=DIMENSIONS)
    return (values / np.linalg.norm(values)).astype("<f4").tobytes()


def speed(sizes: Sequence[int], questions: int, *, by_meaning: bool) -> None:
    """Measure each size in a store of its own."""
    meaning = meaning_here() if by_meaning else None
    for size in sizes:
        chance = random.Random(size)
        with tempfile.TemporaryDirectory() as place:
            store = open_store(Path(place))
            seconds = fill(store, size, chance, meaning)
            memory = SqlMemory(store, meaning=meaning)
            taken: list[float] = []
            worked: list[float] = []
            began = time.perf_counter()
            memory.search(text(chance, 12))
            first = time.perf_counter() - began
            for _ in range(questions):
                asked = text(chance, 12)
                began, cpu = time.perf_counter(), time.process_time()
                memory.search(asked)
                taken.append((time.perf_counter() - began) * 1000)
                worked.append((time.process_time() - cpu) * 1000)
            store.close()
        told = ", ".join(
            f"{what} p50 {statistics.median(each):.1f} ms, p95 {statistics.quantiles(each, n=20)[18]:.1f} ms"
            for what, each in (("clock", taken), ("processor", worked))
        )
        print(f"{size}: {told}; the first {first:.1f} s, filled in {seconds:.1f} s", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("quality", "speed"))
    parser.add_argument("--sets", default="decisions,taught")
    parser.add_argument("--cosqa", type=Path, help="a checkout of Jun-jie-Huang/CoCLR")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--meaning", action="store_true")
    given = parser.parse_args()
    if given.what == "quality":
        quality([name for name in given.sets.split(",") if name], given.cosqa)
    else:
        speed([*map(int, given.sizes.split(","))], given.questions, by_meaning=given.meaning)


if __name__ == "__main__":
    main()
