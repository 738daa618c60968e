"""How engine and caller talk: an order in one JSON file, the answer in another, progress on a stream."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import MISSING, Field, asdict, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar


class Fielded(Protocol):
    """What every dataclass is."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


CANNOT_RUN = 3
"""Exit code where the interpreter has no pytest that works in it."""

T = TypeVar("T", bound=Fielded)
R = TypeVar("R", bound=Fielded)


class Progress:
    """Tells the caller what happens, one JSON object a line, on the real standard output."""

    def __init__(self) -> None:
        """Keep a copy of standard output, which the tests do not get."""
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        self._heard = True

    def tell(self, event: str, **facts: object) -> None:
        """Write one line; a caller that has gone away is no reason to stop."""
        if not self._heard:
            return
        try:
            self._stream.write(json.dumps({"event": event, **facts}) + "\n")
            self._stream.flush()
        except OSError:
            self._heard = False


def read_order(kind: type[T], path: str) -> T:
    """Read an order, its lists as tuples; raises `ValueError` that names the wrong key."""
    given: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    known = {each.name for each in fields(kind)}
    needed = {
        each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING
    }
    unknown, missing = sorted(set(given) - known), sorted(needed - set(given))
    if unknown or missing:
        raise ValueError(f"{path}: unknown keys {unknown}, missing {missing}; known are {sorted(known)}")
    return kind(**{key: _tuples(value) for key, value in given.items()})


def write_answer(answer: Fielded, path: str) -> None:
    """Write an answer so that a reader sees all of it or nothing."""
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    part.write_text(json.dumps(asdict(answer)), encoding="utf-8")
    part.replace(target)


def fault_in(act: Callable[[], object]) -> str:
    """Do a part of an engine's work and return why it broke, for the caller to read; empty if it did not."""
    try:
        act()
    except Exception:  # noqa: BLE001 - the boundary of every engine: its caller gets an answer in any case
        return f"the engine broke: {traceback.format_exc()[-1500:]}"
    return ""


def answer_order(words: list[str], kind: type[T], act: Callable[[T], R], broken: Callable[[str], R]) -> int:
    """Read the order named first, act on it, write the answer named second; a fault gives `broken`'s."""
    asked, answered = words
    results: list[R] = []
    fault = fault_in(lambda: results.append(act(read_order(kind, asked))))
    write_answer(broken(fault) if fault else results[0], answered)
    sys.stdout.flush()
    return 0


def follow(
    words: list[str], read: Callable[[str], T], act: Callable[[T, Progress], tuple[R, dict[str, object]]]
) -> int:
    """Read the order named first, act on it, write the answer named second; gives the exit code.

    What `act` gives beside its answer is told at the end.
    """
    if len(words) != 2:  # noqa: PLR2004 - order and answer
        sys.stderr.write("usage: engine WORK REQUEST.json RESULT.json\n")
        return 2
    asked, answered = words
    try:
        order = read(asked)
    except (OSError, ValueError, TypeError, KeyError) as error:
        sys.stderr.write(f"the request cannot be read: {error}\n")
        return 2
    progress = Progress()
    sys.dont_write_bytecode = True
    answer, facts = act(order, progress)
    write_answer(answer, answered)
    progress.tell("end", **facts)
    return 0


def _tuples(value: Any) -> Any:  # noqa: ANN401 - whatever JSON gives
    if isinstance(value, dict):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
