"""The map of what each test reached, as our plugin wrote it, kept with the tree it was made on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from setpoint.model.value import Text, Value
from setpoint.system.files.atomic import write_atomic
from setpoint.version import __version__

MOST_MAPS = 4
_STOOD = ".tree.json"
UNSEEN = 0
"""Number of the point that stands for another process or thread, which nobody saw."""


class RawReach(Value):
    """What the plugin wrote (`setpoint_reach.py`); `tests` point into `sets`, these into `points`."""

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


class Stood(Value):
    """The tree that a map is true of."""

    tree: Text
    blobs: dict[Text, str]
    """Id of each file's content in that tree."""
    red: tuple[Text, ...] = ()
    """Tests that failed on it."""


class Reach(Stood):
    """A map with the tree it is true of."""

    raw: RawReach

    @cached_property
    def total_s(self) -> float:
        """Seconds that all tests took together, without what collecting them takes."""
        return sum(self.raw.durations.values())

    def tests_reaching(self, points: frozenset[int]) -> set[str]:
        """Return the tests that reached one of the points, and the files whose import did."""
        hit = {number for number, members in enumerate(self.raw.sets) if not points.isdisjoint(members)}
        return {
            name
            for named in (self.raw.tests, self.raw.imports)
            for name, number in named.items()
            if number in hit
        }

    def points_of(self, path: str, lines: frozenset[int]) -> frozenset[int]:
        """Return the numbers of the functions of a file that begin at these lines."""
        return frozenset(
            number for number, (file, line) in enumerate(self.raw.points) if file == path and line in lines
        )

    @cached_property
    def idle(self) -> frozenset[str]:
        """Files that were collected and of which no test was wanted: to collect them again gives nothing."""
        ran = {test.partition("::")[0] for test in (*self.raw.tests, *self.red)}
        return frozenset(self.raw.imports.keys() - ran)

    @property
    def shared(self) -> frozenset[int]:
        """Points that were reached for all tests."""
        return frozenset(self.raw.sets[self.raw.shared])


class ReachFile:
    """Where the newest maps of a project are kept.

    More than one: where an edit is taken back, the map of the tree before it is nearer than the newest.
    """

    def __init__(self, folder: Path, parts: tuple[str, ...]) -> None:
        """Name the folder by everything that decides what tests reach, except the tree."""
        key = hashlib.sha256(
            "\x1f".join((__version__, *parts)).encode("utf-8", "surrogateescape")
        ).hexdigest()
        self._folder = folder / key[:24]

    def load(self, now: Mapping[str, str]) -> Reach | None:
        """Return the map of the tree that differs least from `now`, the newest of equals.

        None where no map was made, or only by a version that wrote it otherwise.
        """
        nearest: tuple[int, Path, Stood] | None = None
        for path in self._newest_first():
            try:
                stood = Stood.model_validate_json(path.read_bytes())
            except (FileNotFoundError, ValidationError):
                continue
            distance = len(stood.blobs.items() ^ now.items())
            if nearest is None or distance < nearest[0]:
                nearest = (distance, path, stood)
        if nearest is None:
            return None
        try:
            raw = RawReach.model_validate_json(_raw_beside(nearest[1]).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return Reach(tree=nearest[2].tree, blobs=nearest[2].blobs, red=nearest[2].red, raw=raw)

    def keep(self, written: Path, tree: str, blobs: Mapping[str, str], red: Iterable[str]) -> None:
        """Keep what the plugin wrote of a tree; nothing where it wrote nothing that can be read."""
        try:
            text = written.read_text("utf-8")
            RawReach.model_validate_json(text)
        except (FileNotFoundError, ValueError):
            return
        stood = Stood(tree=tree, blobs=dict(blobs), red=tuple(sorted(red)))
        path = self._folder / f"{tree}{_STOOD}"
        write_atomic(_raw_beside(path), text, flush=False)
        write_atomic(path, stood.model_dump_json(), flush=False)
        for old in self._newest_first()[MOST_MAPS:]:
            old.unlink(missing_ok=True)
            _raw_beside(old).unlink(missing_ok=True)

    def _newest_first(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_STOOD}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _raw_beside(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix(_STOOD)}.json")
