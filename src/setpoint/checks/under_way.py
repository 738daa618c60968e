"""What the checks of this process do at this moment, for a person who waits."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from setpoint.model.wording import lasted

_SLOW_S = 5.0
"""Seconds from which a single test is worth naming."""


@dataclass(eq=False)
class _Running:
    """A check under way, and how far the report of its tests was read."""

    check: str
    last_s: float
    """Seconds that it took the last time; 0 where that is not known."""
    began_s: float = field(default_factory=time.monotonic)
    report: Path | None = None
    offset: int = 0
    done: int = 0
    total: int = 0
    test: str = ""
    heard_at: float = 0.0
    """When the report grew last, by the clock: then the test began that runs now."""

    def look(self) -> None:
        """Read what the runner has reported since the last look."""
        if self.report is None:
            return
        with contextlib.suppress(OSError), self.report.open("rb") as file:
            self.heard_at = os.fstat(file.fileno()).st_mtime
            file.seek(self.offset)
            whole, newline, _ = file.read().rpartition(b"\n")
            self.offset += len(whole) + len(newline)
            for line in whole.splitlines():
                with contextlib.suppress(ValueError):
                    self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        match line.get("kind"):
            case "collected":
                self.total = len(line["ids"])
            case "begin":
                self.test = line["id"]
            case "test":
                self.done, self.test = self.done + 1, ""

    def words(self) -> str:
        """Say how far it is, how long it may take, and which test is slow now."""
        self.look()
        took, quiet = time.monotonic() - self.began_s, time.time() - self.heard_at
        tests = f" {self.done} of {self.total} tests" if self.total else ""
        expected = f" of about {lasted(self.last_s)}" if self.last_s >= 1 else ""
        named = f", slowest now {self.test} ({lasted(quiet)})" if self.test and quiet >= _SLOW_S else ""
        return f"{self.check}{tests}, {lasted(took)}{expected}{named}"


_NOW: list[_Running] = []
_MINE: ContextVar[_Running | None] = ContextVar("check_under_way", default=None)


@contextmanager
def under_way(check: str, last_s: float) -> Iterator[None]:
    """Say for as long as the block lasts that a check runs."""
    mine = _Running(check, last_s)
    token = _MINE.set(mine)
    _NOW.append(mine)
    try:
        yield
    finally:
        _NOW.remove(mine)
        _MINE.reset(token)


def reported_in(report: Path) -> None:
    """Name the file in which the runner of the check under way reports each test as it begins and ends."""
    if (mine := _MINE.get()) is not None:
        mine.report, mine.offset, mine.done, mine.test = report, 0, 0, ""


def checks_now() -> str:
    """Say what the checks do now, the one that began first before the others; empty where none runs."""
    return "; ".join(each.words() for each in tuple(_NOW))
