"""Ordering the engine: how it is started in a project's interpreter, and how its answers are read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from setpoint_probe.wire.answer import read_answer

from ..start import start
from .cover import CoverRequest, CoverResult, JudgeRequest, JudgeResult
from .fixes import FixRequest, FixResult
from .repair import Request, Result

Order = Request | FixRequest | CoverRequest | JudgeRequest
_WORKS = {
    Request: "repair.repair",
    FixRequest: "repair.fixes",
    CoverRequest: "generate.generate",
    JudgeRequest: "generate.judge",
}


def argv_of(
    python: str, request: Order, asked: Path, answered: Path, lent: Path | None = None
) -> tuple[str, ...]:
    """Write an order where the engine will read it, and give the command that works on it.

    `lent` holds a pytest for an interpreter that has none.
    """
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    options = ("--lent", str(lent)) if lent else ()
    return (*start(python, _WORKS[type(request)], *options), str(asked), str(answered))


def read_result(path: Path) -> Result:
    """Return what a repair gave; raises `UnreadableAnswer`."""
    return read_answer(Result, path)


def read_fixes(path: Path) -> FixResult:
    """Return what a trial of fixes gave; raises `UnreadableAnswer`."""
    return read_answer(FixResult, path)


def read_cover(path: Path) -> CoverResult:
    """Return what a search for tests gave; raises `UnreadableAnswer`."""
    return read_answer(CoverResult, path)


def read_judge(path: Path) -> JudgeResult:
    """Return what came of tests; raises `UnreadableAnswer`."""
    return read_answer(JudgeResult, path)
