"""Ordering the probe: how it is started in a project's interpreter, and how its answers are read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from setpoint_probe import ENGINE
from setpoint_probe.wire.answer import read_answer
from setpoint_probe.wire.reach import ReachRequest, ReachResult
from setpoint_probe.wire.score import ScoreRequest, ScoreResult

_WORDS = {ReachRequest: "reach", ScoreRequest: "score"}


def argv_of(
    python: str, request: ReachRequest | ScoreRequest, asked: Path, answered: Path
) -> tuple[str, ...]:
    """Write an order where the probe will read it, and give the command that works on it."""
    asked.write_text(json.dumps(asdict(request)), encoding="utf-8")
    return (python, str(ENGINE), _WORDS[type(request)], str(asked), str(answered))


def read_reach(path: Path) -> ReachResult:
    """Return what tests reach; raises `UnreadableAnswer`."""
    return read_answer(ReachResult, path)


def read_score(path: Path) -> ScoreResult:
    """Return what became of mutants; raises `UnreadableAnswer`."""
    return read_answer(ScoreResult, path)
