"""Ordering the measurement of reach and the writing of tests in a project's interpreter."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from setpoint.domain.cover import CoveredFile, CoveredFunction
from setpoint.errors import RecordedDataError
from setpoint.mutation.engine.cover.wire import (
    CoverRequest,
    CoverResult,
    JudgeRequest,
    JudgeResult,
    ReachRequest,
    ReachResult,
)
from setpoint.mutation.engine.roots import import_root
from setpoint.mutation.order import ENGINE

T = TypeVar("T")
_REACH = TypeAdapter(ReachResult)
_COVER = TypeAdapter(CoverResult)
_JUDGE = TypeAdapter(JudgeResult)
_WORDS = {ReachRequest: "reach", CoverRequest: "cover", JudgeRequest: "judge"}

Order = ReachRequest | CoverRequest | JudgeRequest


def argv_of(python: str, request: Order, asked: Path, answered: Path) -> tuple[str, ...]:
    """Write an order where the engine will read it, and give the command that works on it."""
    asked.write_bytes(TypeAdapter(dict[str, object]).dump_json(asdict(request)))
    return (python, str(ENGINE), _WORDS[type(request)], str(asked), str(answered))


def read_reach(path: Path) -> ReachResult:
    """Read what tests reach; raises `RecordedDataError` where there is no readable answer."""
    return _read(_REACH, path)


def read_cover(path: Path) -> CoverResult:
    """Read what a search for tests gave; raises `RecordedDataError` where there is no readable answer."""
    return _read(_COVER, path)


def read_judge(path: Path) -> JudgeResult:
    """Read what came of tests; raises `RecordedDataError` where there is no readable answer."""
    return _read(_JUDGE, path)


def files_of(result: ReachResult) -> tuple[CoveredFile, ...]:
    """Give what was reached, by file."""
    return tuple(
        CoveredFile(
            file=each.file,
            lines=each.lines,
            missed_lines=each.missed_lines,
            branches=each.branches,
            missed_branches=each.missed_branches,
            functions=tuple(CoveredFunction(**asdict(function)) for function in each.functions),
        )
        for each in result.files
    )


def module_of(tree: Path, file: str) -> str:
    """Give the name that a file is imported by."""
    path = tree / file
    own = [] if path.stem == "__init__" else [path.stem]
    return ".".join([*path.parent.relative_to(import_root(tree, file)).parts, *own])


def _read(adapter: TypeAdapter[T], path: Path) -> T:
    try:
        return adapter.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise RecordedDataError(
            f"{path}: the engine left no readable answer: {error}",
            mend="run its command by hand; it says on standard error what broke",
        ) from error
