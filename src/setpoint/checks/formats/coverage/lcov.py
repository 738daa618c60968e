"""The tracefile of LCOV, the coverage format of C and JavaScript tools."""

from __future__ import annotations

from collections import defaultdict

from setpoint.checks.formats.coverage.covered_lines import Reached, counted
from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources

_PARTS_OF_LINE, _PARTS_OF_BRANCH = 2, 4
_KNOWN = frozenset(
    {"TN", "SF", "VER", "FN", "FNDA", "FNF", "FNH", "FNL", "FNA", "DA", "BRDA", "BRF", "BRH", "LF", "LH"}
) | {"MCDC", "MCF", "MCH"}
_DIGITS = 18


def read(text: bytes, sources: Sources) -> Reached:
    """Read a tracefile; a record without its end was cut."""
    hits, branches = lines_and_branches(text, sources)
    reached = counted(hits, (sum(branches.values()), len(branches)))
    if not reached.statements:
        raise bad(sources, "it names no line that could be run")
    return reached


def hits_of(text: bytes, sources: Sources) -> dict[str, dict[int, int]]:
    """Return how often each line ran, by file."""
    return lines_and_branches(text, sources)[0]


def lines_and_branches(
    text: bytes, sources: Sources
) -> tuple[dict[str, dict[int, int]], dict[tuple[str, str], bool]]:
    """Return how often each line ran, by file, and whether each branch was taken, by file and place."""
    hits: dict[str, dict[int, int]] = defaultdict(dict)
    branches: dict[tuple[str, str], bool] = {}
    file = ""
    for number, line in enumerate(lines_of(text, sources), start=1):
        where = f"in line {number}"
        key, _, value = line.strip().partition(":")
        if not key or key.startswith("#"):
            continue
        if key == "end_of_record":
            file = ""
        elif key not in _KNOWN:
            raise bad(sources, f"{key[:60]!r} is not a word of LCOV", where)
        elif key == "SF":
            file = _begun(file, value, sources, where)
        elif key == "DA":
            at, times = _line(value, file, sources, where)
            hits[file][at] = hits[file].get(at, 0) + times
        elif key == "BRDA":
            place, taken = _branch(value, file, sources, where)
            branches[file, place] = branches.get((file, place), False) or taken
    if file:
        raise bad(sources, f"the record of {file} has no end", "at its end")
    return hits, branches


def _begun(file: str, value: str, sources: Sources, where: str) -> str:
    if file or not value:
        raise bad(sources, f"the record of {file} has no end" if file else "a record of no file", where)
    return sources.relative(value)


def _line(value: str, file: str, sources: Sources, where: str) -> tuple[int, int]:
    parts = value.split(",")
    whole = len(parts) >= _PARTS_OF_LINE and all(_is_count(part) for part in parts[:_PARTS_OF_LINE])
    if not whole or not file:
        raise bad(sources, f"DA:{value[:60]} says nothing of a line", where)
    return int(parts[0]), int(parts[1])


def _branch(value: str, file: str, sources: Sources, where: str) -> tuple[str, bool]:
    place, _, taken = value.rpartition(",")
    whole = place.count(",") >= _PARTS_OF_BRANCH - _PARTS_OF_LINE and (taken == "-" or _is_count(taken))
    if not whole or not file:
        raise bad(sources, f"BRDA:{value[:60]} says nothing of a branch", where)
    return place, taken != "-" and int(taken) > 0


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
