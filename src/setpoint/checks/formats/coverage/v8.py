"""Read what V8 counted in the processes of a test run, as `node_coverage.cjs` writes it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.branches import Arm
from setpoint.checks.formats.coverage.source_map import line_offsets, read_map
from setpoint.checks.formats.coverage.statements import Start
from setpoint.model.value import Value

Ranges = tuple[tuple[int, int, int], ...]
"""First and last offset of a piece of a script, and how often it ran."""


class Script(Value):
    """What one process counted of one script."""

    file: str
    source: str
    """Name of the file that holds its text, without the ending."""
    map: str = ""
    """Where its source map lies."""
    ranges: tuple[Ranges, ...]
    """Pieces of each function: the function itself, then what ran more or less often."""


_BEYOND = re.compile("[\U00010000-\U0010ffff]")
"""Characters that are two units of UTF-16, in which V8 counts."""
_BEFORE_ARM = re.compile(r"[\s?:&|]*")
_SCRIPTS = TypeAdapter(tuple[Script, ...])


@dataclass(frozen=True, kw_only=True)
class _Offsets:
    """Where the parts of one source lie in a compiled script."""

    lines: dict[int, list[int]]
    """Statements that begin on each line."""
    arms: dict[str, tuple[int, int | None]]
    """Arms by their place, each with the body besides which it is taken."""


@dataclass(kw_only=True)
class Counted:
    """Adds up what processes counted."""

    folder: Path
    """Where they wrote it."""
    tree: Path
    statements: Mapping[str, tuple[Start, ...]]
    """Of the files that count, by path from the root of the tree."""
    hits: dict[str, dict[int, int]] = field(default_factory=dict)
    """How often each line ran, by file; files that no process loaded are missing."""
    arms: Mapping[str, tuple[Arm, ...]] = field(default_factory=dict)
    """Ways that conditions of the same files can go."""
    taken: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Whether an arm ran, by its file and place, of files that a process loaded."""
    _places: dict[tuple[str, str], dict[str, _Offsets]] = field(default_factory=dict)
    """By compiled script: what of each source lies where in it."""

    def read(self) -> None:
        """Read all that was written; raises `BadReport` where a file of it is not what it should be."""
        for report in sorted(self.folder.glob("*.json")):
            try:
                scripts = _SCRIPTS.validate_json(report.read_bytes())
            except (OSError, ValidationError) as error:
                said = str(error).splitlines()[0]
                raise BadReport(f"what V8 counted ({report.name}) is not readable: {said}") from None
            for script in scripts:
                self._add(script)

    def only(self, scripts: Iterable[Script]) -> dict[str, dict[int, int]]:
        """Return the hits of some scripts alone."""
        self.hits = {}
        for script in scripts:
            self._add(script)
        return self.hits

    def _add(self, script: Script) -> None:
        starts, counts = _flat(each for function in script.ranges for each in function)
        for file, known in self._of(script).items():
            hits = self.hits.setdefault(file, {})
            for line, offsets in known.lines.items():
                ran = max((_count(starts, counts, each) for each in offsets), default=0)
                hits[line] = hits.get(line, 0) + ran
            for place, (at, body) in known.arms.items():
                besides = _count(starts, counts, body) if body is not None else 0
                ran_it = _count(starts, counts, at) > besides
                self.taken[file, place] = self.taken.get((file, place), False) or ran_it

    def _of(self, script: Script) -> dict[str, _Offsets]:
        key = (script.file, script.source)
        if key not in self._places:
            text = (self.folder / f"{script.source}.source").read_text("utf-8", "replace")
            self._places[key] = self._mapped(script, text)
        return self._places[key]

    def _mapped(self, script: Script, text: str) -> dict[str, _Offsets]:
        found = read_map(script.map, Path(script.file))
        if found is None:
            file = self._relative(script.file)
            return {file: self._unmapped(file)} if file in self.statements else {}
        offsets, known = line_offsets(text), {}
        units = _BEYOND.sub("__", text)

        def at(source: str, start: Start, end: Start | None) -> int | None:
            behind = (end.line - 1, end.column) if end else None
            place = found.of(source, (start.line - 1, start.column), behind)
            return None if place is None else offsets[place[0]] + place[1]

        def begun(source: str, start: Start, end: Start | None) -> int | None:
            place = at(source, start, end)
            # A map may lead to the blank or the sign before an arm, which V8 counts with what is around it.
            before = _BEFORE_ARM.match(units, place) if place is not None else None
            return before.end() if before else None

        for source in found.places:
            file = self._relative(source)
            if file not in self.statements:
                continue
            lines: dict[int, list[int]] = {}
            own = self.statements[file]
            for start, behind in zip(own, (*own[1:], None), strict=True):
                place = at(source, start, behind)
                if place is not None:  # else the compiler left nothing of it: it is about types alone
                    lines.setdefault(start.line, []).append(place)
            known[file] = _Offsets(lines=lines, arms=self._arms(file, partial(begun, source)))
        return known

    def _arms(
        self, file: str, at: Callable[[Start, Start | None], int | None]
    ) -> dict[str, tuple[int, int | None]]:
        """Locate arms in a script; those of which the compiler left no trace are left out."""
        known = {}
        for arm in self.arms.get(file, ()):
            first = at(arm.start, arm.end)
            body = at(*arm.besides) if arm.besides else None
            if first is not None and (body is not None or arm.besides is None):
                known[arm.place] = (first, body)
        return known

    def _unmapped(self, file: str) -> _Offsets:
        lines: dict[int, list[int]] = {}
        for start in self.statements[file]:
            lines.setdefault(start.line, []).append(start.offset)
        return _Offsets(lines=lines, arms=self._arms(file, lambda start, _: start.offset))

    def _relative(self, file: str) -> str:
        place = Path(file)
        return place.relative_to(self.tree).as_posix() if place.is_relative_to(self.tree) else ""


def _flat(ranges: Iterable[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Turn nested pieces into one row of them: where each begins, and how often it ran."""
    starts, counts = [-1], [0]
    around: list[tuple[int, int]] = []

    def closed(upto: float) -> None:
        while around and around[-1][0] <= upto:
            end, _ = around.pop()
            starts.append(end)
            counts.append(around[-1][1] if around else 0)

    for first, last, count in sorted(ranges, key=lambda each: (each[0], -each[1])):
        closed(first)
        starts.append(first)
        counts.append(count)
        around.append((last, count))
    closed(float("inf"))
    return starts, counts


def _count(starts: list[int], counts: list[int], offset: int) -> int:
    return counts[bisect_right(starts, offset) - 1]
