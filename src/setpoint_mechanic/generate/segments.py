"""Pieces of code that no test reaches, small enough to be asked about one by one (Altmayer Pizzorno 2025)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint_mechanic.engine.wire.cover import JudgedTest
from setpoint_probe.wire.reach import FileReach

_MOST_LINES = 50
"""Lines of one piece."""
Way = tuple[int, bool]


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One piece of a file, with what of it is not reached."""

    file: str
    names: tuple[str, ...]
    """Functions and methods in it."""
    first: int
    last: int
    lines: tuple[int, ...]
    branches: tuple[Way, ...]

    def left(self, missed: Iterable[FileReach]) -> Segment:
        """Return the piece with what is still not reached."""
        found = next((each for each in missed if each.file == self.file), None)
        lines = () if found is None else tuple(line for line in self.lines if line in found.missed_lines)
        ways = () if found is None else tuple(way for way in self.branches if way in found.missed_branches)
        return replace(self, lines=lines, branches=ways)

    def told(self) -> str:
        """Say what is not reached."""
        parts = [f"line {line}" for line in self.lines]
        parts += [
            f"the way {'into the block behind' if taken else 'past'} line {line}"
            for line, taken in self.branches
            if line not in self.lines
        ]
        return ", ".join(parts)

    def shown(self, tree: Path) -> str:
        """Return the code with line numbers; `>` stands before lines that no test reaches."""
        text = (tree / self.file).read_text(encoding="utf-8", errors="replace").splitlines()
        marked = {*self.lines, *(line for line, _ in self.branches)}
        return "\n".join(
            f"{'>' if number in marked else ' '} {number:4} {text[number - 1]}"
            for number in range(self.first, min(self.last, len(text)) + 1)
        )


def segments(missed: Iterable[FileReach]) -> list[Segment]:
    """Cut what is not reached into pieces: functions near each other together, long ones into parts.

    The pieces with the most that is missing come first.
    """
    found = [segment for file in missed for segment in _joined(list(_of_file(file)))]
    return sorted(found, key=lambda each: -(len(each.lines) + len(each.branches)))


def _of_file(file: FileReach) -> Iterator[Segment]:
    """Yield a piece for each function that has something missing, and for what stands outside of all."""
    lines, ways = set(file.missed_lines), set(file.missed_branches)
    for each in sorted(file.functions, key=lambda function: function.first):
        own = tuple(line for line in each.missed_lines if line in lines)
        taken = tuple(way for way in each.missed_branches if way in ways)
        if own or taken:
            lines.difference_update(own)
            ways.difference_update(taken)
            yield from _parts(Segment(
                file=file.file, names=(each.name,), first=each.first, last=each.last, lines=own,
                branches=taken,
            ))  # fmt: skip
    places = sorted({*lines, *(line for line, _ in ways)})
    if places:
        yield from _parts(Segment(
            file=file.file, names=(), first=places[0], last=places[-1],
            lines=tuple(sorted(lines)), branches=tuple(sorted(ways)),
        ))  # fmt: skip


def _parts(segment: Segment) -> Iterator[Segment]:
    """Cut a long piece into windows around what is missing."""
    places = sorted({*segment.lines, *(line for line, _ in segment.branches)})
    if segment.last - segment.first < _MOST_LINES:
        yield segment
        return
    while places:
        first = max(segment.first, places[0] - 3)
        last = min(segment.last, first + _MOST_LINES - 1)
        yield replace(
            segment,
            first=first,
            last=last,
            lines=tuple(line for line in segment.lines if first <= line <= last),
            branches=tuple(way for way in segment.branches if first <= way[0] <= last),
        )
        places = [place for place in places if place > last]


def _joined(parts: list[Segment]) -> Iterator[Segment]:
    """Put neighbours together as long as they stay short."""
    parts = sorted(parts, key=lambda each: each.first)
    held: Segment | None = None
    for each in parts:
        if held is not None and each.last - held.first < _MOST_LINES:
            held = replace(
                held,
                names=tuple(dict.fromkeys((*held.names, *each.names))),
                last=max(held.last, each.last),
                lines=(*held.lines, *each.lines),
                branches=(*held.branches, *each.branches),
            )
            continue
        if held is not None:
            yield held
        held = each
    if held is not None:
        yield held


def less(missed: Iterable[FileReach], gained: Collection[JudgedTest]) -> tuple[FileReach, ...]:
    """Return what is still missed when some tests are kept."""
    found = []
    for each in missed:
        lines = {line for test in gained for line in test.gained.get(each.file, ())}
        ways = {way for test in gained for way in test.taken.get(each.file, ())}
        found.append(
            replace(
                each,
                missed_lines=tuple(line for line in each.missed_lines if line not in lines),
                missed_branches=tuple(way for way in each.missed_branches if way not in ways),
            )
        )
    return tuple(found)
