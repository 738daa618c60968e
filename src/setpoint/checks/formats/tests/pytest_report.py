"""The JSON lines of our own pytest plugin (`setpoint_report.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.evidence import Loading, Outcome


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Frame(_Line):
    """One step of a traceback."""

    file: str
    line: int | None = 0
    name: str = ""


class Because(_Line):
    """An exception that another one was raised from."""

    bases: tuple[str, ...] = ()
    message: str = ""


class Raised(_Line):
    """Why a test failed, as pytest saw it."""

    when: str = ""
    """setup, call, teardown or collect."""
    message: str = ""
    type: str = ""
    """The exception's full name; at collection the name in the text."""
    bases: tuple[str, ...] = ()
    """Names of the exception's class and its bases."""
    file: str = ""
    line: int | None = 0
    frames: tuple[Frame, ...] = ()
    """Outermost first; empty at collection."""
    text: str = ""
    """The end of what pytest would print."""
    because: tuple[Because, ...] = ()
    """What it was raised from (`raise ... from`), nearest first."""


class _Begin(_Line):
    kind: Literal["begin"]
    id: str


class _Start(_Line):
    kind: Literal["start"]
    pytest: str
    patterns: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


class _Listed(_Line):
    kind: Literal["collected", "deselected"]
    ids: tuple[str, ...]


class _Uncollected(_Line):
    kind: Literal["collection_error", "collection_skip"]
    id: str
    text: str = ""
    type: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()


class _Test(_Line):
    kind: Literal["test"]
    id: str
    outcome: Outcome
    duration: float = 0.0
    failure: Raised | None = None


class _Internal(_Line):
    kind: Literal["internal_error"]
    text: str


class _Loaded(_Line):
    kind: Literal["loaded"]
    unasked: tuple[tuple[str, str], ...]
    before_tests: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


class _End(_Line):
    kind: Literal["end"]
    exit: int


MOST_BYTES = 256 << 20
"""A longer report is not read: the tests wrote into it, or run wild."""
_Any = Annotated[
    _Begin | _Start | _Listed | _Loaded | _Uncollected | _Test | _Internal | _End, Field(discriminator="kind")
]
_LINES: TypeAdapter[_Any] = TypeAdapter(_Any)


class Suite:
    """What the plugin saw of one run of pytest."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.version = ""
        """pytest's version; empty where the plugin was never started."""
        self.patterns: tuple[str, ...] = ()
        """`python_files` as pytest has it; empty where another runner ran."""
        self.places: tuple[str, ...] = ()
        """Folders and files in which pytest looks for tests, from where it runs."""
        self.collected: tuple[str, ...] = ()
        self.outcomes: dict[str, Outcome] = {}
        """Outcome by test, and by file where a file could not be collected."""
        self.raised: dict[str, Raised] = {}
        """Why, for each red one."""
        self.uncollected: dict[str, str] = {}
        """Files that could not be collected, with the last line of the reason."""
        self.skipped_files: tuple[str, ...] = ()
        """Files that were skipped as a whole while they were collected."""
        self.loading: Loading | None = None
        """What was loaded before the tests; none where nothing was collected."""
        self.internal_error = ""
        self.running = ""
        """The test that was under way when the report ended; empty where none was."""
        self.note = ""
        """What went wrong before pytest was started; empty where nothing did."""
        self.exit: int | None = None
        """What pytest was about to exit with; none where it never came to its end."""

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Tests that were collected and have no outcome."""
        return tuple(test for test in self.collected if test not in self.outcomes)


def read(path: Path) -> Suite:
    """Read a report; raises `BadReport` where there is none or a line is not ours."""
    suite = Suite()
    for line in _lines(path):
        if isinstance(line, _Test):
            _ended(suite, line)
        elif isinstance(line, _Listed):
            _listed(suite, line)
        else:
            _noted(suite, line)
    return suite


def _noted(suite: Suite, line: _Begin | _Start | _Loaded | _Uncollected | _Internal | _End) -> None:
    match line:
        case _Start():
            suite.version, suite.patterns, suite.places = line.pytest, line.patterns, line.places
        case _Loaded():
            suite.loading = Loading(unasked=line.unasked, before_tests=line.before_tests, names=line.names)
        case _Begin():
            suite.running = line.id
        case _Uncollected():
            _uncollected(suite, line)
        case _Internal():
            suite.internal_error = line.text
        case _End():
            suite.exit = line.exit


def _listed(suite: Suite, line: _Listed) -> None:
    if line.kind == "collected":
        suite.collected = line.ids
    else:
        suite.outcomes.update(dict.fromkeys(line.ids, Outcome.DESELECTED))


def _ended(suite: Suite, line: _Test) -> None:
    suite.running = ""
    suite.outcomes[line.id] = line.outcome
    if line.failure is not None:
        suite.raised[line.id] = line.failure


def _uncollected(suite: Suite, line: _Uncollected) -> None:
    if line.kind == "collection_skip":
        suite.skipped_files = (*suite.skipped_files, line.id)
        return
    name = line.id or "(collection)"
    suite.outcomes[name] = Outcome.ERROR
    suite.uncollected[name] = line.message
    suite.raised[name] = Raised(
        when="collect", message=line.message, type=line.type, text=line.text, frames=line.frames
    )


def _lines(path: Path) -> Iterator[_Any]:
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise BadReport(f"pytest wrote no report ({path.name})") from None
    if size > MOST_BYTES:
        raise BadReport(
            f"pytest's report ({path.name}) has {size:,} bytes, and {MOST_BYTES:,} are read at most"
        )
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith("\n"):
                return  # it was cut when the interpreter died
            yield _line(line, f"line {number} of pytest's report ({path.name})")


def _line(line: str, where: str) -> _Any:
    try:
        facts: Mapping[str, Any] = json.loads(line)
        return _LINES.validate_python(facts)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadReport(f"{where} is not ours{f' at {place}' if place else ''}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:  # no JSON, a number without end, or nested without end
        raise BadReport(f"{where} is not ours: {str(error)[:200]}") from None
