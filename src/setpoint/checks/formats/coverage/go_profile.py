"""The profile that `go test -coverprofile` writes, by statement of the source."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from setpoint.checks.formats.coverage.statements import Start
from setpoint.checks.formats.parsing import bad, lines_of
from setpoint.checks.formats.report import Sources

_BLOCK = re.compile(r"(?P<file>.+):(\d{1,9})\.(\d{1,9}),(\d{1,9})\.(\d{1,9}) (\d{1,9}) (\d{1,18})$")
Place = tuple[int, int]


def blocks_of(text: bytes, sources: Sources) -> dict[str, list[tuple[Place, Place, int]]]:
    """Read begin, end and count of each block, by file as Go names it: by the path of its import."""
    counts: dict[str, dict[tuple[Place, Place], int]] = defaultdict(dict)
    lines = [line for line in lines_of(text, sources) if line]
    if not lines or not lines[0].startswith("mode: "):
        raise bad(sources, "it does not begin with a mode", "in line 1")
    for number, line in enumerate(lines[1:], start=2):
        found = _BLOCK.match(line)
        if found is None:
            raise bad(sources, f"{line[:80]!r} is not a block of Go", f"in line {number}")
        first, begin, last, end, _, ran = (int(each) for each in found.groups()[1:])
        block = ((first, begin), (last, end))
        known = counts[found["file"]]
        known[block] = known.get(block, 0) + ran
    return {
        file: [(begin, end, ran) for (begin, end), ran in blocks.items()] for file, blocks in counts.items()
    }


def hits_of(blocks: list[tuple[Place, Place, int]], statements: tuple[Start, ...]) -> Mapping[int, int]:
    """Return how often the lines ran on which statements begin; what lies in no block is left out."""
    hits: dict[int, int] = {}
    ordered = sorted(blocks)
    for start in statements:
        at = (start.line, start.byte + 1)
        around = [ran for begin, end, ran in ordered if begin <= at < end]
        if around:
            hits[start.line] = max(hits.get(start.line, 0), around[-1])
    return hits
