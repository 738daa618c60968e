"""How files did over several runs that wrote tests: one line for each run, shared by all that end at once."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from setpoint.history.reports.cover_report import CoverTrend
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.locks import locked_file

_MOST = 200


def append_trend(file: Path, new: CoverTrend | None) -> list[CoverTrend]:
    """Add a run to the trend, once, and give all that is in it, oldest first.

    Runs that end at the same time take turns. A line that cannot be read, for it is damaged or of another
    version, is left as it is and not told.
    """
    with locked_file(file.with_name(f"{file.name}.lock")):
        lines = [line for line in file.read_bytes().split(b"\n") if line.strip()] if file.is_file() else []
        known = [each for line in lines if (each := _read(line)) is not None]
        if new is None or any(each.run == new.run for each in known):
            return known
        lines.append(new.model_dump_json().encode())
        write_atomic_bytes(file, b"\n".join(lines[-_MOST:]) + b"\n")
        return [*known, new]


def _read(line: bytes) -> CoverTrend | None:
    try:
        return CoverTrend.model_validate_json(line)
    except ValidationError:
        return None
