"""Ordering a repair: how the engine is started in a project's interpreter, and how its answer is read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.errors import RecordedDataError
from setpoint.mutation.engine.wire import Request, Result

ENGINE = Path(__file__).parent / "engine"
"""Started by its path: Setpoint need not be installed where the project's tests run."""
_RESULT = TypeAdapter(Result)


def engine_argv(python: str, request: Path, result: Path) -> tuple[str, ...]:
    """Give the command that runs the engine in an interpreter."""
    return (python, str(ENGINE), str(request), str(result))


def write_request(request: Request, path: Path) -> None:
    """Write an order where the engine will read it."""
    path.write_text(json.dumps(asdict(request)), encoding="utf-8")


def read_result(path: Path) -> Result:
    """Read what the engine answered; raises `RecordedDataError` where there is no readable answer."""
    try:
        return _RESULT.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise RecordedDataError(
            f"{path}: the repair engine left no readable answer: {error}",
            mend="run its command by hand; it says on standard error what broke",
        ) from error
