"""Ordering the engine: how it is started in a project's interpreter, and how its answers are read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from setpoint.domain.mutation import Mutant, MutationReport
from setpoint.errors import RecordedDataError
from setpoint.mutation.engine.fixes_wire import FixRequest, FixResult
from setpoint.mutation.engine.score_wire import ScoreRequest, ScoreResult
from setpoint.mutation.engine.wire import Request, Result

ENGINE = Path(__file__).parent / "engine"
"""Started by its path: Setpoint need not be installed where the project's tests run."""
T = TypeVar("T")
_RESULT = TypeAdapter(Result)
_SCORE = TypeAdapter(ScoreResult)
_FIXES = TypeAdapter(FixResult)


def engine_argv(python: str, request: Path, result: Path, lent: Path | None = None) -> tuple[str, ...]:
    """Give the command that repairs in an interpreter; `lent` holds a pytest for one that has none."""
    words = ("--lent", str(lent)) if lent else ()
    return (python, str(ENGINE), *words, str(request), str(result))


def score_argv(python: str, request: Path, result: Path) -> tuple[str, ...]:
    """Give the command that judges mutants in an interpreter."""
    return (python, str(ENGINE), "score", str(request), str(result))


def fixes_argv(python: str, request: Path, result: Path, lent: Path | None = None) -> tuple[str, ...]:
    """Give the command that tries fixes in an interpreter; `lent` as for repairs."""
    words = ("--lent", str(lent)) if lent else ()
    return (python, str(ENGINE), *words, "fixes", str(request), str(result))


def read_fixes(path: Path) -> FixResult:
    """Read what a trial of fixes gave; raises `RecordedDataError` where there is no readable answer."""
    return _read(_FIXES, path, "fixes")


def write_request(request: Request | ScoreRequest | FixRequest, path: Path) -> None:
    """Write an order where the engine will read it."""
    path.write_text(json.dumps(asdict(request)), encoding="utf-8")


def read_result(path: Path) -> Result:
    """Read what a repair gave; raises `RecordedDataError` where there is no readable answer."""
    return _read(_RESULT, path, "repair")


def read_score(path: Path) -> tuple[str, MutationReport]:
    """Read the status and report of a mutation score; raises `RecordedDataError` as `read_result` does."""
    result = _read(_SCORE, path, "mutation")
    known = {name: value for name, value in asdict(result).items() if name in MutationReport.model_fields}
    mutants = tuple(Mutant.model_validate(asdict(each)) for each in result.judged)
    return result.status, MutationReport.model_validate({**known, "mutants": mutants})


def _read(adapter: TypeAdapter[T], path: Path, what: str) -> T:
    try:
        return adapter.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise RecordedDataError(
            f"{path}: the {what} engine left no readable answer: {error}",
            mend="run its command by hand; it says on standard error what broke",
        ) from error
