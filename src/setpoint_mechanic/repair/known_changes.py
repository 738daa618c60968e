"""Changes that memory holds: what was verified for such a failure before is tried before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from setpoint.model.learning import Recollection

_MOST_LINES = 12
Change = tuple[tuple[str, ...], tuple[str, ...]]
"""Lines that were taken out, lines that were put in."""


def known_changes(recalled: Sequence[Recollection]) -> tuple[Change, ...]:
    """Read the changes out of what is recalled, most fitting first; only added lines have no place."""
    found = [change for item in recalled for change in _changes(item.body)]
    return tuple(
        dict.fromkeys(change for change in found if change[0] and max(map(len, change)) <= _MOST_LINES)
    )


def _changes(body: str) -> Iterator[Change]:
    """Yield each run of removed lines with the added ones behind it."""
    out: list[str] = []
    put: list[str] = []
    for line in [*body.split("\n"), "@@"]:
        if line.startswith("-") and not line.startswith("---"):
            if put:
                yield tuple(out), tuple(put)
                out, put = [], []
            out.append(line[1:])
        elif line.startswith("+") and not line.startswith("+++"):
            put.append(line[1:])
        elif out or put:
            yield tuple(out), tuple(put)
            out, put = [], []
