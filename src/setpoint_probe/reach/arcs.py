"""Records which lines of some files run, and in which order: the arcs from line to line."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from .anatomy import Arc

_BROKEN_OFF = -2
"""Stands for the line that an exception was raised in: what comes next is no branch of it."""


class ArcTracer:
    """Traces files by their real paths."""

    def __init__(self, files: Iterable[str]) -> None:
        """Trace these files, given by absolute path."""
        self._real = {os.path.realpath(file) for file in files}
        self._known: dict[str, str] = {}
        self.arcs: dict[str, set[Arc]] = {file: set() for file in self._real}
        """Arcs by real path."""

    def start(self) -> None:
        """Begin; what was recorded before stays."""
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> None:
        """Stop recording."""
        sys.settrace(None)
        threading.settrace(None)

    def take(self) -> dict[str, frozenset[Arc]]:
        """Return what was recorded since the last time, and forget it."""
        found = {file: frozenset(arcs) for file, arcs in self.arcs.items() if arcs}
        for arcs in self.arcs.values():
            arcs.clear()
        return found

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401 - a trace function or None
        name = frame.f_code.co_filename
        real = self._known.get(name)
        if real is None:
            real = os.path.realpath(name)
            real = self._known[name] = real if real in self._real else ""
        return _stepper(self.arcs[real].add) if real else None


def _stepper(add: Callable[[Arc], None]) -> Callable[[FrameType, str, Any], Any]:
    last = 0

    def step(frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ANN401 - what the interpreter hands over
        nonlocal last
        if event == "line":
            line = frame.f_lineno
            add((last, line))
            last = line
        elif event == "return":
            add((last, -1))
        elif event == "exception" and arg[0] is not StopIteration:
            last = _BROKEN_OFF
        return step

    return step
