"""The table of `bench/repair.py`: tuned-on and fresh packages apart, single and double bugs apart."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from repair_trees import FRESH, TUNED

Row = dict[str, Any]
HEAD = (
    "| | bugs | plausible | verified | correct | as the original | first patch, median CPU s "
    "| wall s, median |"
)


def report(folder: Path, results: Path) -> None:
    """Print what the lines of one label say."""
    files = sorted((folder / "bugs").glob("*.json"))
    bugs = [bug for path in files for bug in json.loads(path.read_text(encoding="utf-8"))["bugs"]]
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    done = {row["name"]: row for row in map(json.loads, lines)}
    rows = [{**bug, **done[bug["name"]]} for bug in bugs if bug["name"] in done]
    single = [row for row in rows if len(row["bugs"]) == 1]
    print(f"{len(rows)} of {len(bugs)} bugs drawn were given to the engine.\n\n{HEAD}\n{'|---' * 8}|")
    _line("single, all", single)
    _line("single, tuned-on packages", [row for row in single if row["package"] in TUNED])
    _line("single, fresh packages", [row for row in single if row["package"] in FRESH])
    _line("double, all", [row for row in rows if len(row["bugs"]) == 2])
    _groups("family", single, lambda row: str(row["bugs"][0]["family"]))
    _groups("package", single, lambda row: str(row["package"]))


def _groups(title: str, rows: Sequence[Row], key: Callable[[Row], str]) -> None:
    print(f"\nBy {title}, single bugs:\n\n{HEAD}\n{'|---' * 8}|")
    for name in sorted({key(row) for row in rows}):
        _line(name, [row for row in rows if key(row) == name])


def _line(name: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    cells = [name, str(len(rows))]
    for what in ("plausible", "verified", "correct", "original"):
        count = sum(bool(row[what]) for row in rows)
        cells.append(f"{count} ({100 * count / len(rows):.0f} %)")
    first = [row["first_s"] for row in rows if row.get("first_s") is not None]
    cells.append(f"{statistics.median(first):.1f}" if first else "")
    cells.append(f"{statistics.median(row['wall_s'] for row in rows):.1f}")
    print(f"| {' | '.join(cells)} |")
