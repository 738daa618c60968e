"""The JSON lines of our own tracing plugin (`setpoint_line_traces.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks.formats.bad_report import BadReport

MOST_BYTES = 256 << 20
"""A longer report is not read: the tests wrote into it, or run wild."""


class Traced(BaseModel):
    """What one test ran."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    id: str
    failed: bool
    lines: dict[int, tuple[int, ...]]
    """Lines by the number of their file in the order."""
    processes: tuple[tuple[str, str], ...] = ()
    """What it called to start processes, each with the file of the project that did."""
    duration_s: float = 0.0


def read(path: Path) -> tuple[Traced, ...]:
    """Read a report; raises `BadReport` where there is none or a line is not ours."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise BadReport(f"the tracing plugin wrote no report ({path.name})") from None
    if size > MOST_BYTES:
        raise BadReport(f"the tracing plugin's report ({path.name}) has {size:,} bytes, too many to read")
    return tuple(_lines(path))


def _lines(path: Path) -> Iterator[Traced]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return  # cut when the interpreter died
            try:
                yield Traced.model_validate_json(line)
            except ValidationError as error:
                what = error.errors(include_url=False, include_input=False)[0]["msg"]
                raise BadReport(
                    f"the tracing plugin's report ({path.name}) is not readable in line {number}: {what}"
                ) from None
