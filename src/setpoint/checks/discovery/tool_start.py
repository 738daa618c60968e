"""Starting a tool once before it is relied on: one that cannot start is known from the beginning."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.model.wording import shortened
from setpoint.system.files.atomic import write_atomic
from setpoint.system.processes import Completed

START_S = 30.0
"""Seconds within which a tool has to tell its version."""
_MOST_KEPT = 500
_MOST_WORDS = 160
_KEPT: TypeAdapter[list[str]] = TypeAdapter(list[str])


class Starts:
    """Remembers which programs have started, each until it or what lies beside it changes."""

    def __init__(self, path: Path | None = None) -> None:
        """Keep them in a file; none: only as long as this object lives."""
        self._path = path
        self._known = self._load()

    def knows(self, identity: tuple[str, ...]) -> bool:
        """Whether the program of that identity has started before."""
        return _digest(identity) in self._known

    def took(self, identity: tuple[str, ...], done: Completed) -> None:
        """Take note of a start; one that failed is tried again the next time."""
        if not done.ok or self.knows(identity):
            return
        self._known = [*self._known, _digest(identity)][-_MOST_KEPT:]
        if self._path is not None:
            write_atomic(self._path, _KEPT.dump_json(self._known).decode(), flush=False)

    def _load(self) -> list[str]:
        try:
            return _KEPT.validate_json(self._path.read_bytes()) if self._path else []
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return []


def start_fault(done: Completed) -> str:
    """Say why a program did not tell its version, in one line; empty where it did."""
    if done.ok:
        return ""
    said = [line.strip() for line in (done.errors.strip() or done.text.strip()).splitlines() if line.strip()]
    why = next((line for line in said if "error" in line.lower()), said[-1] if said else "")
    ending = f"`{_short(done)}` fails: {done.ending}"
    return f"{ending}: {shortened(why, _MOST_WORDS)}" if why else ending


def _short(done: Completed) -> str:
    program, *words = done.command.argv
    return " ".join((Path(program).name, *words))


def _digest(identity: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(identity).encode("utf-8", "surrogateescape")).hexdigest()[:16]
