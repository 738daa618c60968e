"""Where calls of functions can be recorded and made again."""

from __future__ import annotations

from collections.abc import Collection

from setpoint.checks.languages.javascript.calls import ScriptCalls
from setpoint.checks.languages.python.calls import PythonCalls
from setpoint.checks.languages.replay import CallRecorder

_RECORDERS: tuple[CallRecorder, ...] = (PythonCalls(), ScriptCalls())


def recorders_for(paths: Collection[str]) -> tuple[CallRecorder, ...]:
    """Return what can record calls of functions in some files."""
    return tuple(each for each in _RECORDERS if any(map(each.owns, paths)))
