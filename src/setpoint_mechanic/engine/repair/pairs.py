"""Two edits at once: for two bugs that the same test meets, which no single edit makes pass.

An edit that lets a failing test get further without making it pass may be one half. The best of them are the
beam; each is tried together with the likeliest other edits of its file (beam search).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence

from .candidates import Candidate

BEAM = 12
"""First halves that are kept."""
_SECONDS = 700
"""Second halves that each of them is tried with."""
_TURN = 24
"""Second halves of one first half, before the next one gets its turn."""


class Beam:
    """The edits that let a failing test get further, best first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._heap: list[tuple[float, int, Candidate]] = []
        self._count = itertools.count()

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self._heap)

    def add(self, candidate: Candidate, gain: int) -> None:
        """Keep an edit if it is among the best by its gain (tests that got further) and score."""
        worth = gain + candidate.score / 2
        entry = (worth, -next(self._count), candidate)
        if len(self._heap) < BEAM:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def best(self) -> list[Candidate]:
        """Return them, best first."""
        return [
            candidate for _, _, candidate in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)
        ]


def pairs(
    first: Sequence[Candidate], second: Iterable[Candidate], partial: Sequence[Candidate]
) -> Iterator[Candidate]:
    """Yield pairs of edits of one file: two partial repairs first, then the beam with other edits."""
    for left, right in itertools.combinations(partial, 2):
        both = paired(left, right)
        if both is not None:
            yield both
    others = list(itertools.islice(second, _SECONDS))
    for start in range(0, len(others), _TURN):
        for left in first:
            for right in others[start : start + _TURN]:
                both = paired(left, right)
                if both is not None:
                    yield both


def paired(left: Candidate, right: Candidate) -> Candidate | None:
    """Join two edits; none where they meet, are of two files, or cannot be swapped in together."""
    if left.source is not right.source or not (left.unit.is_function and right.unit.is_function):
        return None
    if left.double or right.double:
        return None
    edits = tuple(sorted((*left.edits, *right.edits)))
    if any(a.end > b.start or a.start == b.start for a, b in zip(edits, edits[1:])):
        return None
    return Candidate(
        source=left.source,
        unit=left.unit,
        edits=edits,
        template=f"{left.template} and {right.template}",
        size=left.size + right.size + 2,
        line=min(left.line, right.line),
        score=left.score * right.score,
        leaning=min(left.leaning, right.leaning),
        also=None if left.unit is right.unit else right.unit,
        double=True,
    )
