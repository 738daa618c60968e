"""What a reader of reports gives back, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from setpoint.domain.finding import Finding


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The measured files, from which findings take their line of code."""

    tree: Path
    """Root of the measured tree."""

    def line(self, file: str, number: int) -> str:
        """Give a line of a file without the space around it; empty where there is none."""
        if number < 1 or not file:
            return ""
        try:
            lines = (self.tree / file).read_bytes().split(b"\n")
        except OSError:
            return ""
        return lines[number - 1].decode("utf-8", "replace").strip() if number <= len(lines) else ""

    def relative(self, path: str) -> str:
        """Give a path as the tool wrote it from the root of the tree, with `/`."""
        place = Path(path)
        if place.is_absolute() and place.is_relative_to(self.tree):
            place = place.relative_to(self.tree)
        return place.as_posix()


@dataclass(frozen=True, kw_only=True)
class ToolReport:
    """A tool's report: what it found, and what it could not look at."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[str, ...] = ()
    """Files or reasons for which the tool gave up; any of them makes the result an error."""


Reader = Callable[[bytes, Sources], ToolReport]
"""Reads standard output; raises `BadReport` where it is not the tool's report."""
