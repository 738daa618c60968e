"""What a reader of reports gives back, whatever the format."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.finding import Finding

_BUILT = frozenset({"node_modules", "target", "build", "vendor"})
"""Folders that hold no source of the project."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The measured files, from which findings take their line of code."""

    tree: Path
    """Root of the measured tree."""
    folder: str = ""
    """Where in it the tool ran, from which it may count its paths; empty for the root."""
    report: str = "the report"
    """What an error calls the report: whose it is, and where it was."""
    named: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)
    """Paths of the tree by file name, once somebody asked for one by the end of its path."""
    held: dict[str, list[bytes]] = field(default_factory=dict, repr=False, compare=False)
    """Files that were read already, as a report names the same ones again and again."""

    def line(self, file: str, number: int) -> str:
        """Return a line of a file without the space around it; empty where there is none."""
        return self.whole_line(file, number).strip()

    def whole_line(self, file: str, number: int) -> str:
        """Return a line of a file; empty where there is none, or where it is not in the tree."""
        lines = self.lines(file) if number > 0 else ()
        return lines[number - 1].decode("utf-8", "replace") if 0 < number <= len(lines) else ""

    def lines(self, file: str) -> Sequence[bytes]:
        """Return all lines of a file, without their ends; none where it is not in the tree."""
        if file and file not in self.held:
            self.held[file] = self._lines(file)
        return self.held[file] if file else ()

    def relative(self, path: str) -> str:
        """Return a path as the tool wrote it from the root of the tree, with `/`."""
        place = Path(path)
        for root in (self.tree, self.tree.resolve()) if place.is_absolute() else ():
            if place.is_relative_to(root):
                return place.relative_to(root).as_posix()
        if self.folder and self.holds(f"{self.folder}/{place.as_posix()}"):
            return posixpath.normpath(f"{self.folder}/{place.as_posix()}")
        return place.as_posix()

    def holds(self, file: str) -> bool:
        """Whether there is such a file in the tree."""
        try:
            return not Path(file).is_absolute() and (self.tree / file).is_file()
        except (OSError, ValueError):  # a name that no file can have
            return False

    def ending(self, path: str) -> str:
        """Return the only file of the tree whose path ends so; empty where there is none, or several."""
        if not self.named:
            for folder, folders, files in os.walk(self.tree):
                folders[:] = [each for each in folders if not each.startswith(".") and each not in _BUILT]
                within = Path(folder).relative_to(self.tree)
                for file in files:
                    self.named.setdefault(file, []).append((within / file).as_posix())
        found = [
            each for each in self.named.get(path.rpartition("/")[2], ()) if f"/{each}".endswith(f"/{path}")
        ]
        return found[0] if len(found) == 1 else ""

    def _lines(self, file: str) -> list[bytes]:
        try:
            place = (self.tree / file).resolve()
            inside = place.is_relative_to(self.tree.resolve()) and place.is_file()
            return place.read_bytes().split(b"\n") if inside else []
        except (OSError, ValueError, RuntimeError):  # no such file, no name for one, or a ring of links
            return []


@dataclass(frozen=True, kw_only=True)
class ToolReport:
    """A tool's report: what it found, and what it could not look at."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[str, ...] = ()
    """Files or reasons for which the tool gave up; any of them makes the result an error."""
    left_out: int = 0
    """Results that do not count, as somebody has suppressed them."""
    looked: frozenset[str] | None = None
    """Files that it looked at; none where the report does not name them."""
    duplicated: Mapping[str, tuple[int, ...]] | None = None
    """Duplicated lines, by file; none where the tool does not look for them."""


Reader = Callable[[bytes, Sources], ToolReport]
"""Reads standard output; raises `BadReport` where it is not the tool's report."""
