"""Ordering the answers of recorded calls in a project's interpreter."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from setpoint_probe import ENGINE
from setpoint_probe.wire.answer import read_answer
from setpoint_probe.wire.calls import CallsRequest, CallsResult

RECORDER = ENGINE / "calls" / "recorder.py"
"""What a statement at the top of a function loads."""


def recording(name: str, folder: Path) -> str:
    """Return a statement that records the call of the function that it is in."""
    noted = "__import__('sys').modules.get('setpoint_calls')"
    begun = f"__import__('runpy').run_path({str(RECORDER)!r})['start']({str(folder)!r})"
    return f"({noted} or {begun}).seen({name!r})"


def calls_argv(python: str, request: CallsRequest, asked: Path, answered: Path) -> tuple[str, ...]:
    """Write an order where the engine will read it, and give the command that works on it."""
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    return (python, str(ENGINE), "calls", str(asked), str(answered))


def read_calls(path: Path) -> CallsResult:
    """Return what came of the calls; raises `UnreadableAnswer`."""
    return read_answer(CallsResult, path)
