"""Measure what memory is worth: the same tasks with what earlier ones taught, and without.

    python bench/memory.py [--pairs 10] [--only bugs|conventions] [--keep FOLDER] [--json]

Two kinds of tasks, six families each, in turn, with one memory for all families of a kind. `bugs`: the
mechanic mends seeded bugs (`memory_bugs.py`). `conventions`: a maker that does what its prompt says works in
areas with unwritten rules (`memory_conventions.py`). The first task of a family only teaches; each later one
is done twice from the same state, with memory and with memory withheld, in alternating order. With `--keep` a
bench that was stopped goes on where it was. Intervals hold 95 in 100, of the paired differences.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import memory_bugs as bugs
import memory_conventions as conventions

from setpoint.database.connect import open_store
from setpoint.learning.store import SqlMemory
from setpoint.model.config.memory_terms import MemoryTerms

SHOWN = MemoryTerms(hold_out=0.0, withhold=0.0, max_reflection_usd=Decimal(0))
BLIND = MemoryTerms(recall=False, reflect=False)
FIGURES = {
    "bugs": ("right", "tried", "search_s"),
    "conventions": ("right", "iterations", "cost_usd"),
}
Work = Callable[[Path, MemoryTerms], Awaitable[dict[str, Any]]]


async def compared(folder: Path, number: int, work: Work) -> dict[str, Any]:
    """Do one task both ways; the first of a family only with memory, as there is nothing to compare yet."""
    ways = {"without": BLIND, "with": SHOWN} if number else {"with": SHOWN}
    turn = list(ways) if number % 2 else [*reversed(ways)]
    # With memory comes first in every other pair: it teaches only once its own run is over.
    return {way: await work(folder / f"{way}", ways[way]) for way in turn}


async def measure(kind: str, pairs: int, folder: Path) -> list[dict[str, Any]]:
    """Do all tasks of a kind that are not done yet, each after those before it."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "rows.jsonl"
    rows = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    done = {(row["family"], row["task"]) for row in rows}
    store = open_store(folder / "state")
    memory = SqlMemory(store)

    def of_bugs(task: tuple[str, str, str], word: str) -> Work:
        return lambda place, terms: bugs.worked(place, task, word, memory, terms)

    def of_conventions(name: str, wish: str) -> Work:
        area = conventions.AREAS[name]
        return lambda place, terms: conventions.worked(place, area, wish, memory, terms)

    works: list[tuple[str, int, Work]] = (
        [(name, number, of_bugs(task, word)) for name, number, task, word in bugs.tasks(pairs)]
        if kind == "bugs"
        else [(name, number, of_conventions(name, wish)) for name, number, wish in conventions.tasks(pairs)]
    )
    for name, number, work in works:
        if (name, number) in done:
            continue
        came = await compared(folder / f"{name}-{number}", number, work)
        rows.append({"kind": kind, "family": name, "task": number, **came})
        with record.open("a") as stream:
            stream.write(json.dumps(rows[-1]) + "\n")
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    store.close()
    return rows


def paired(rows: Sequence[dict[str, Any]], figure: str) -> tuple[float, float, float]:
    """Give the mean difference, with less without, and its interval by the normal law."""
    gaps = [float(row["with"][figure]) - float(row["without"][figure]) for row in rows]
    half = 1.96 * statistics.stdev(gaps) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.inf
    mean = statistics.fmean(gaps)
    return mean, mean - half, mean + half


def told(kind: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print what came out, family by family and together."""
    compared_rows = [row for row in rows if "without" in row]
    for name in (*dict.fromkeys(row["family"] for row in rows), "all"):
        of = [row for row in compared_rows if name in ("all", row["family"])]
        if not of:
            continue
        print(f"{kind}, {name}: {len(of)} pairs")
        for figure in FIGURES[kind]:
            mean, low, high = paired(of, figure)
            one, other = (
                statistics.fmean(float(row[way][figure]) for row in of) for way in ("with", "without")
            )
            print(
                f"  {figure:10} {one:8.3f} with, {other:8.3f} without: {mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            )


def main() -> None:
    """Measure and say what came out, whatever it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10, help="pairs in each family")
    parser.add_argument("--only", choices=sorted(FIGURES), help="only tasks of this kind")
    parser.add_argument("--keep", type=Path, help="where the state of the bench is kept")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place)
        for kind in (given.only,) if given.only else FIGURES:
            rows = asyncio.run(measure(kind, given.pairs, folder / kind))
            if given.json:
                print(json.dumps(rows, indent=1))
            else:
                told(kind, rows)


if __name__ == "__main__":
    main()
