"""Measure how well and how fast learnings are found by their words.

    python bench/retrieval.py quality [--cosqa CHECKOUT] [--sets decisions,taught]
    python bench/retrieval.py speed [--sizes 1000,10000,100000] [--questions 100]

`quality` gives recall@5 and nDCG@10 on the sets of `retrieval_sets.py`, with intervals over the questions (95
in 100, by resampling). `speed` gives p50 and p95 of a whole search: terms, ranking in SQL,
and reading the fifty best with all their evidence, by the clock and of the processor. Its texts are
as long as learnings are, of invented words as frequent as those of a language are (Zipf and Mandelbrot).
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

import retrieval_sets as sets

from setpoint.database.connect import Store, open_store
from setpoint.learning.store import SqlMemory, word_index

VOCABULARY = 8000
FILLER = 30
"""Most frequent words of a language that are no terms."""
WORDS = 60
"""Words of a learning, about 400 characters."""


def by_words(store: Store, question: str) -> Sequence[str]:
    """Return ids, the best first."""
    with store.reading() as connection:
        return [each.id for each in word_index.ranked(connection, question, 50)]


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
    for name in (*names, *(["cosqa"] if checkout else [])):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            made = (
                sets.cosqa(folder, checkout) if name == "cosqa" and checkout else getattr(sets, name)(folder)
            )
            print(f"{name}: {len(made.asked)} questions")
            found = [(by_words(made.store, each.text), each.answers) for each in made.asked]
            for figure, measure in (("recall@5", recall), ("nDCG@10", ndcg)):
                values = [measure(*each) for each in found]
                low, high = interval(values)
                print(f"  {figure:9} {statistics.fmean(values):.3f} [{low:.3f}, {high:.3f}]")
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


def fill(store: Store, size: int, chance: random.Random) -> float:
    """Keep that many learnings; gives the seconds it took."""
    began = time.perf_counter()
    for begin in range(0, size, 1000):
        numbers = range(begin, min(begin + 1000, size))
        sets.keep(
            store, [sets.learning(f"{each:08}", text(chance, 8), text(chance, WORDS)) for each in numbers]
        )
    return time.perf_counter() - began


def speed(sizes: Sequence[int], questions: int) -> None:
    """Measure each size in a store of its own."""
    for size in sizes:
        chance = random.Random(size)
        with tempfile.TemporaryDirectory() as place:
            store = open_store(Path(place))
            seconds = fill(store, size, chance)
            memory = SqlMemory(store)
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
    given = parser.parse_args()
    if given.what == "quality":
        quality([name for name in given.sets.split(",") if name], given.cosqa)
    else:
        speed([*map(int, given.sizes.split(","))], given.questions)


if __name__ == "__main__":
    main()
