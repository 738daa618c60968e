"""The comparison of halting policies as a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from setpoint.errors import UsageError
from setpoint.history.reports import halting_page
from setpoint.model.halting_tables import ReplayTable


def write_halting_page(tables: Sequence[ReplayTable], file: Path) -> None:
    """Write tables and plots as one HTML page; `UsageError` where the file cannot be written."""
    try:
        file.write_text(halting_page.page(tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}", hint="name a file in a folder that exists"
        ) from error
