"""The map of what each test reached, as our plugin wrote it, kept with the tree it was made on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from setpoint import __version__
from setpoint.domain.value import Text, Value
from setpoint.store.files import write_atomic

UNSEEN = 0
"""Number of the point that stands for another process or thread, which nobody saw."""


class RawReach(Value):
    """What the plugin wrote (`inside/setpoint_reach.py`); `tests` point into `sets`, these into `points`."""

    points: tuple[tuple[Text, int], ...]
    """A file and the first line of a function."""
    tests: dict[Text, int]
    imports: dict[Text, int]
    """What importing a test file reached, by file."""
    shared: int
    """What was reached for all tests."""
    durations: dict[Text, float]
    """Seconds of each test."""
    data: tuple[Text, ...]
    """Files of the tree, other than Python's, that were opened."""
    listed: tuple[Text, ...]
    """Folders of the tree that were listed."""
    sets: tuple[tuple[int, ...], ...]


class Reach(Value):
    """A map with the tree it is true of."""

    tree: Text
    blobs: dict[Text, str]
    """Id of each file's content in that tree."""
    red: tuple[Text, ...] = ()
    """Tests that were red on it."""
    raw: RawReach

    @cached_property
    def total_s(self) -> float:
        """Seconds that all tests took together, without what collecting them takes."""
        return sum(self.raw.durations.values())

    def tests_reaching(self, points: frozenset[int]) -> set[str]:
        """Give the tests that reached one of the points, and the files whose import did."""
        hit = {number for number, members in enumerate(self.raw.sets) if not points.isdisjoint(members)}
        return {
            name
            for named in (self.raw.tests, self.raw.imports)
            for name, number in named.items()
            if number in hit
        }

    def points_of(self, path: str, lines: frozenset[int]) -> frozenset[int]:
        """Give the numbers of the functions of a file that begin at these lines."""
        return frozenset(
            number for number, (file, line) in enumerate(self.raw.points) if file == path and line in lines
        )

    @property
    def shared(self) -> frozenset[int]:
        """Points that were reached for all tests."""
        return frozenset(self.raw.sets[self.raw.shared])


class ReachFile:
    """Where the newest map of a project is kept."""

    def __init__(self, folder: Path, parts: tuple[str, ...]) -> None:
        """Name the file by all that decides what tests reach, but for the tree."""
        key = hashlib.sha256(
            "\x1f".join((__version__, *parts)).encode("utf-8", "surrogateescape")
        ).hexdigest()
        self._path = folder / f"{key[:24]}.json"

    def load(self) -> Reach | None:
        """Give the newest map; none where none was made, or by a version that wrote it otherwise."""
        try:
            return Reach.model_validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def keep(self, written: Path, tree: str, blobs: Mapping[str, str], red: Iterable[str]) -> Reach | None:
        """Keep what the plugin wrote of a tree; none where it wrote nothing that can be read."""
        try:
            raw = RawReach.model_validate_json(written.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        reach = Reach(tree=tree, blobs=dict(blobs), red=tuple(sorted(red)), raw=raw)
        write_atomic(self._path, reach.model_dump_json())
        return reach
