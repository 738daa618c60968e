"""Ordering the answers of recorded calls in a project's interpreter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from setpoint_probe import ENGINE
from setpoint_probe.wire.answer import read_answer
from setpoint_probe.wire.calls import CallsRequest, CallsResult

RECORDER = ENGINE / "calls" / "recorder.py"
"""What a statement at the top of a function loads."""
_SCRIPT_RECORDER = ENGINE / "calls" / "script_recorder.js"
GO_RECORDER = ENGINE / "calls" / "go" / "recorder.go"
"""What is put at the end of a source, so that its functions can be recorded."""
GO_ANSWERS = ENGINE / "calls" / "go" / "answers.go"
"""A test that answers calls; `«NAME»` is replaced by what belongs there."""
_SCRIPT_ENGINE = ENGINE / "calls" / "script_answers.mjs"


def recording(name: str, folder: str) -> str:
    """Return a statement that records the call of the function that it is in."""
    return f"{_recorder(folder)}.seen({name!r})"


def watching(classes: Mapping[str, str], folder: str) -> str:
    """Return a statement for the end of a module, which follows the objects of its classes."""
    return f"{_recorder(folder)}.watch(globals(), {dict(classes)!r})"


def _recorder(folder: str) -> str:
    noted = "__import__('sys').modules.get('setpoint_calls')"
    begun = f"__import__('runpy').run_path({str(RECORDER)!r})['start']({folder!r})"
    return f"({noted} or {begun})"


def script_recorder(folder: str) -> str:
    """Return an expression for what records calls of JavaScript."""
    loaded = f'process.getBuiltinModule("node:fs").readFileSync({json.dumps(str(_SCRIPT_RECORDER))}, "utf8")'
    begun = f'Function("process", "folder", {loaded})(process, {json.dumps(folder)})'
    return f"globalThis.setpointCalls ??= {begun}"


def calls_argv(python: str, request: CallsRequest, asked: Path, answered: Path) -> tuple[str, ...]:
    """Write an order where the engine will read it, and give the command that works on it."""
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    return (python, str(ENGINE), "calls", str(asked), str(answered))


def script_calls_argv(node: str, request: CallsRequest, asked: Path, answered: Path) -> tuple[str, ...]:
    """Do the same for JavaScript, where a function has the path of its file in place of a module."""
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    return (node, "--no-warnings", str(_SCRIPT_ENGINE), str(asked), str(answered))


def read_calls(path: Path) -> CallsResult:
    """Return what came of the calls; raises `UnreadableAnswer`."""
    return read_answer(CallsResult, path)
