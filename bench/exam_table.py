"""Recompute the table of `exam.py` from the answers and outcomes that are kept."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from exam_set import DATA, LANGUAGES

Row = dict[str, Any]
_Z = 1.96
"""Of an interval of 95 %."""


def rows() -> list[Row]:
    """Return the newest outcome of each patch, with its review."""
    kept: dict[tuple[str, str], Row] = {}
    for line in (DATA / "outcomes.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        review = DATA / "review" / f"{row['request']}.{row['patch']}.json"
        kept[row["request"], row["patch"]] = {**row, "review": json.loads(review.read_text("utf-8"))}
    return list(kept.values())


def withdrawn() -> dict[str, list[str]]:
    """Return the files of hidden tests that their authors withdrew, by `request.patch`."""
    file = DATA / "withdrawn.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {}


def refused_by_hidden(row: Row, taken_back: dict[str, list[str]]) -> bool:
    """Whether hidden tests refuse a patch, after those that their author withdrew are left out."""
    left = set(row.get("red", ())) - set(taken_back.get(f"{row['request']}.{row['patch']}", ()))
    return bool(left)


def refused_by_review(row: Row) -> bool:
    """Whether a review refuses a patch: an objection that reproduces, or one of weight that stands."""
    errors = [each for each in row["review"]["findings"] if each["severity"] in {"error", "critical"}]
    bare = [each for each in errors if not each.get("reproduction")]
    return any(row["reproduced"]) or bool(bare)


def interval(count: int, of: int) -> str:
    """Return a share with its interval by Wilson."""
    if not of:
        return "-"
    share, square = count / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return f"{count} of {of} = {share:.0%} ({max(middle - half, 0):.0%} to {min(middle + half, 1):.0%})"


def table(found: list[Row]) -> str:
    """Return the table as Markdown."""
    back = withdrawn()
    ways: dict[str, Callable[[Row], bool]] = {
        "(a) hidden tests": lambda row: refused_by_hidden(row, back),
        "(a) before authors withdraw": lambda row: bool(row.get("red")),
        "(b) review": refused_by_review,
        "(b) objections that reproduce alone": lambda row: any(row["reproduced"]),
        "(c) both": lambda row: refused_by_hidden(row, back) or refused_by_review(row),
        "(d) neither: the seven runs alone": lambda row: not row.get("neither", False),
        "the fix's own tests": lambda row: not row["oracle"],
    }
    lines = ["| examined by | wrong patches accepted | right patches refused |", "|---|---|---|"]
    for name, refuses in ways.items():
        wrong = [row for row in found if not row["right"]]
        right = [row for row in found if row["right"]]
        accepted = sum(not refuses(row) for row in wrong)
        shares = interval(accepted, len(wrong)), interval(sum(map(refuses, right)), len(right))
        lines.append(f"| {name} | {shares[0]} | {shares[1]} |")
    return "\n".join(lines)


def by_language(found: list[Row]) -> str:
    """Return the same table for each language."""
    parts = [(language, [row for row in found if row["language"] == language]) for language in LANGUAGES]
    return "\n\n".join(f"{language}\n\n{table(some)}" for language, some in parts if some)
