"""Ordering the engine: how it is started in a project's interpreter, and how its answers are read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from setpoint_probe import ENGINE
from setpoint_probe.wire.answer import read_answer
from setpoint_probe.wire.fixes import FixRequest, FixResult
from setpoint_probe.wire.repair import Request, Result
from setpoint_probe.wire.score import ScoreRequest, ScoreResult


def engine_argv(python: str, request: Path, result: Path, lent: Path | None = None) -> tuple[str, ...]:
    """Return the command that repairs in an interpreter; `lent` holds a pytest for one that has none."""
    words = ("--lent", str(lent)) if lent else ()
    return (python, str(ENGINE), *words, str(request), str(result))


def score_argv(python: str, request: Path, result: Path) -> tuple[str, ...]:
    """Return the command that judges mutants in an interpreter."""
    return (python, str(ENGINE), "score", str(request), str(result))


def fixes_argv(python: str, request: Path, result: Path, lent: Path | None = None) -> tuple[str, ...]:
    """Return the command that tries fixes in an interpreter; `lent` as for repairs."""
    words = ("--lent", str(lent)) if lent else ()
    return (python, str(ENGINE), *words, "fixes", str(request), str(result))


def write_request(request: Request | ScoreRequest | FixRequest, path: Path) -> None:
    """Write an order where the engine will read it."""
    path.write_text(json.dumps(asdict(request)), encoding="utf-8")


def read_fixes(path: Path) -> FixResult:
    """Return what a trial of fixes gave; raises `UnreadableAnswer`."""
    return read_answer(FixResult, path)


def read_result(path: Path) -> Result:
    """Return what a repair gave; raises `UnreadableAnswer`."""
    return read_answer(Result, path)


def read_score(path: Path) -> ScoreResult:
    """Return what became of mutants; raises `UnreadableAnswer`."""
    return read_answer(ScoreResult, path)
