"""Ordering the measurement of reach and the writing of tests in a project's interpreter."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from setpoint_probe import ENGINE
from setpoint_probe.source.import_roots import import_root
from setpoint_probe.wire.answer import read_answer
from setpoint_probe.wire.cover import (
    CoverRequest,
    CoverResult,
    JudgeRequest,
    JudgeResult,
    ReachRequest,
    ReachResult,
)

_WORDS = {ReachRequest: "reach", CoverRequest: "cover", JudgeRequest: "judge"}

Order = ReachRequest | CoverRequest | JudgeRequest


def argv_of(python: str, request: Order, asked: Path, answered: Path) -> tuple[str, ...]:
    """Write an order where the engine will read it, and give the command that works on it."""
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    return (python, str(ENGINE), _WORDS[type(request)], str(asked), str(answered))


def read_reach(path: Path) -> ReachResult:
    """Return what tests reach; raises `UnreadableAnswer`."""
    return read_answer(ReachResult, path)


def read_cover(path: Path) -> CoverResult:
    """Return what a search for tests gave; raises `UnreadableAnswer`."""
    return read_answer(CoverResult, path)


def read_judge(path: Path) -> JudgeResult:
    """Return what came of tests; raises `UnreadableAnswer`."""
    return read_answer(JudgeResult, path)


def module_of(tree: Path, file: str) -> str:
    """Return the name that a file is imported by."""
    path = tree / file
    own = [] if path.stem == "__init__" else [path.stem]
    return ".".join([*path.parent.relative_to(import_root(tree, file)).parts, *own])
