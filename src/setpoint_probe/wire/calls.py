"""Recorded calls, what came of them, and the files that record them and make them again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from setpoint_probe import ENGINE
from setpoint_probe.wire.answer import checked_answer

T = TypeVar("T")
RECORDER = ENGINE / "calls" / "recorder.py"
"""What a decorator at the top of a function loads."""
REPLAY = ENGINE / "calls" / "replay.py"
"""What makes calls of Python again."""
SCRIPT_RECORDER = ENGINE / "calls" / "script_recorder.js"
"""What a statement in a function of JavaScript loads."""
SCRIPT_REPLAY = ENGINE / "calls" / "script_replay.cjs"
"""What makes calls of JavaScript again."""
VALUE, RAISES, YIELDS, CLOSED = "value", "raises", "yields", "closed"
ANSWERED = (VALUE, RAISES, YIELDS, CLOSED)
"""Kinds of answers; others say why there is none."""
_MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Call:
    """One call that a test made, with what came of it there."""

    name: str
    """The function, as `path::name`."""
    module: str
    """From what it is imported."""
    function: str
    """Its qualified name there."""
    arguments: str
    """As the recorder keeps them."""
    kind: str
    told: str
    """A hash of the answer."""
    shown: str = ""
    call: str = ""
    """As a reader sees it: `round_up(2.5)`."""
    test: str = ""
    makes: bool = False
    """Whether it is a constructor."""
    items: int = 0
    """How many items of a generator were taken."""
    number: int = 0


@dataclass(frozen=True)
class Answer:
    """What came of making one call again."""

    number: int
    kind: str
    told: str = ""
    shown: str = ""
    classes: dict[str, str] = field(default_factory=dict)
    """The project's own classes among arguments and answer, each with a hash of what its objects hold."""


@dataclass(frozen=True)
class Recorded:
    """What one recording holds."""

    calls: tuple[Call, ...] = ()
    missed: dict[str, str] = field(default_factory=dict)
    """Why no call of a function was kept, by its name."""
    environment: dict[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallsRequest:
    """An order to make calls again."""

    calls: str
    answers: str
    environment: dict[str, str]
    path: tuple[str, ...]
    wall_s: float
    tree: str = ""


def recorded_in(folder: Path) -> Recorded:
    """Return what tests noted; as they can write there too, what cannot be read is left out."""
    calls: list[Call] = []
    missed: dict[str, str] = {}
    environment: dict[str, str] = {}
    path: tuple[str, ...] = ()
    for file in sorted(folder.glob("*.jsonl")):
        for found in _lines(file):
            if "arguments" in found:
                calls += _read(Call, found)
            elif "missed" in found:
                missed[str(found.get("name"))] = str(found["missed"])
            elif "environment" in found and not environment:
                environment = {str(key): str(each) for key, each in dict(found["environment"]).items()}
                path = tuple(map(str, found.get("path", ())))
    known = {each.name for each in calls}
    missed = {name: why for name, why in missed.items() if name not in known}
    return Recorded(tuple(calls), missed, environment, path)


def write_order(request: CallsRequest, calls: tuple[Call, ...], place: Path) -> None:
    """Write an order, and the calls that it names, where the engine will read them."""
    Path(request.calls).write_text("".join(f"{json.dumps(asdict(each))}\n" for each in calls), "utf-8")
    place.write_text(json.dumps(asdict(request)), "utf-8")


def read_answers(file: Path) -> dict[int, Answer]:
    """Return what came of the calls, by number; nothing where no answer can be read."""
    return {each.number: each for found in _lines(file) for each in _read(Answer, found)}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with file.open("rb") as held:
            text = held.read(_MOST_BYTES)
    except OSError:
        return
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _read(kind: type[T], found: object) -> list[T]:
    try:
        return [checked_answer(kind, found)]
    except ValueError:
        return []
