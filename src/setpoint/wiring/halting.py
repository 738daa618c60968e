"""The file in which a project keeps fitted weights and promoted halting policies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from setpoint.errors import RecordedDataError
from setpoint.model.halter.deployment import HaltingBook
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.locks import locked_file
from setpoint.wiring.project import Project

_KEPT = "halting.json"


def halting_book(project: Project) -> HaltingBook:
    """Return what the project keeps about halting; `RecordedDataError` where the file cannot be read."""
    return _read(project.state / _KEPT)


def change_book(project: Project, change: Callable[[HaltingBook], HaltingBook]) -> HaltingBook:
    """Change what is kept, alone among all processes, and return it."""
    path = project.state / _KEPT
    with locked_file(path.with_suffix(".json.lock")):
        book = change(_read(path))
        write_atomic(path, book.model_dump_json(indent=2) + "\n")
    return book


def _read(path: Path) -> HaltingBook:
    try:
        return HaltingBook.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return HaltingBook()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"]) or "the file"
        raise RecordedDataError(
            f"{path}: {place}: {first['msg']}",
            hint="move the file away: rules-v1 then decides, and `setpoint halting fit` fits new weights",
        ) from None
