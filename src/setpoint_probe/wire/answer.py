"""Answers of the engine as its caller reads them: JSON becomes dataclasses, and every type is checked."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


class UnreadableAnswer(ValueError):
    """The engine left no answer that can be read; the message names the file and the reason."""


def read_answer(kind: type[T], path: Path) -> T:
    """Return the answer that the engine wrote into a file; raises `UnreadableAnswer`.

    The project's own code ran in the process that wrote it, so nothing in it is trusted. Unknown keys are
    left out. Text that UTF-8 cannot hold is escaped.
    """
    try:
        found = json.loads(path.read_bytes(), parse_constant=_no_number)
        return cast("T", _value(kind, found, "answer"))
    except (OSError, ValueError, RecursionError) as error:
        hint = "hint: run its command by hand; it says on standard error what broke"
        raise UnreadableAnswer(f"{path}: the engine left no readable answer: {error}; {hint}") from error


def checked_answer(kind: type[T], found: object) -> T:
    """Return an answer that is parsed already; raises `ValueError` where it has other types."""
    return cast("T", _value(kind, found, "answer"))


def _value(kind: Any, found: object, place: str) -> Any:  # noqa: ANN401 - whatever the type names
    if is_dataclass(kind):
        return _record(kind, _checked(dict, found, place), place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is dict:
        table = _checked(dict, found, place)
        return {_text(key): _value(inner[1], each, f"{place}.{key}") for key, each in table.items()}
    if origin in (list, tuple):
        return origin(_row(inner, _checked(list, found, place), place))
    if kind is float and type(found) is int:
        return float(found)
    return _text(_checked(str, found, place)) if kind is str else _checked(kind, found, place)


def _record(kind: Any, found: dict[str, object], place: str) -> object:  # noqa: ANN401 - any dataclass
    hints = _hints(kind)
    given = {}
    for each in fields(kind):
        if each.name in found:
            given[each.name] = _value(hints[each.name], found[each.name], f"{place}.{each.name}")
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{place} has no '{each.name}'")
    return kind(**given)


def _row(inner: tuple[Any, ...], found: list[object], place: str) -> list[object]:
    kinds = [inner[0]] * len(found) if len(inner) == 1 or inner[1] is Ellipsis else [*inner]
    if len(kinds) != len(found):
        raise ValueError(f"{place} has {len(found)} values, not {len(kinds)}")
    return [
        _value(kind, each, f"{place}[{number}]")
        for number, (kind, each) in enumerate(zip(kinds, found, strict=True))
    ]


def _checked(kind: type[T], found: object, place: str) -> T:
    if type(found) is not kind:
        raise ValueError(f"{place} is {repr(found)[:80]}, which is not of type {kind.__name__}")
    return found


def _text(found: str) -> str:
    return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
