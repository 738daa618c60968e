"""Values of Go as they were recorded: read, shown, and made near to others.

Each is JSON with a letter for its kind: `{"n": "12"}` is a whole number.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from setpoint_probe.calls import neighbours

_LETTERS = "äß漢"
_DEEPEST, _MOST, _MOST_ITEMS, _MOST_OF_ITEM = 4, 60, 4, 12
_NUMBER = re.compile(r"(?<![\w.\"'`])-?(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w\"'`])")
_TEXT = re.compile(r'"((?:[^"\\\n]|\\.){1,40})"|`([^`]{1,40})`')
_USUAL_TIME = re.compile(r"[1-8]\d{3}-[^.]*(?:\.\d{6})?(?:Z|[+-]\d\d:\d\d)")
"""What a time in Python can hold, with room on both sides."""
_LETTER = re.compile(r"'([^'\\\n])'")


class Parts:
    """A struct, a pointer or what an interface holds: its attributes are what it is made of."""

    def written(self) -> object:
        """Return it as it is recorded."""
        raise NotImplementedError

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        raise NotImplementedError


class Struct(Parts):
    """A struct, with an attribute for each field."""

    def written(self) -> object:
        """Return it as it is recorded."""
        return {"s": {name: written(each) for name, each in vars(self).items()}}

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        return f"{{{', '.join(f'{name}: {shown(each)}' for name, each in vars(self).items())}}}"


class Pointer(Parts):
    """A pointer to a value."""

    def __init__(self, to: object) -> None:
        """Take the value."""
        self.to = to

    def written(self) -> object:
        """Return it as it is recorded."""
        return {"p": written(self.to)}

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        return f"&{shown(self.to)}"


class Failure(Parts):
    """An error that is known by its text."""

    def __init__(self, text: str) -> None:
        """Take the text."""
        self.text = text

    def written(self) -> object:
        """Return it as it is recorded."""
        return {"e": self.text}

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        return f"error {_quoted(self.text)}"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is not varied, as it was recorded; or the name of a type."""

    raw: object


class Dynamic(Parts):
    """What an interface holds."""

    def __init__(self, kind: Fixed, held: object) -> None:
        """Take the name of its type, and the value."""
        self.kind, self.held = kind, held

    def written(self) -> object:
        """Return it as it is recorded."""
        return {"i": [self.kind.raw, written(self.held)]}

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        return shown(self.held)


class Step(NamedTuple):
    """A call of a function, by the name and the types with which it was recorded."""

    name: str
    kinds: str
    given: tuple[object, ...]

    @property
    def key(self) -> str:
        """Return what names the function and its types."""
        return f"{self.name} {self.kinds}"

    @property
    def own(self) -> str:
        """Return the last part of the name."""
        return self.name.rpartition("::")[2].rpartition(".")[2]


class Made(Parts):
    """What a function gives first: an object that it makes."""

    def __init__(self, by: Step) -> None:
        """Take the call."""
        self.by = by

    def written(self) -> object:
        """Return it as the answering test reads it."""
        return {"made": [self.by.key, [*map(written, self.by.given)]]}

    def shown(self) -> str:
        """Return it as a reader of Go knows it."""
        return f"{self.by.own}({', '.join(map(shown, self.by.given))})"


def read(raw: Any) -> object:  # noqa: ANN401 - any value in JSON
    """Return a recorded value; raises errors of types and values for what is none."""
    if raw is None or isinstance(raw, bool):
        return raw
    ((kind, held),) = raw.items()
    return _READERS[kind](held) if kind in _READERS else Fixed(raw)


def _map(pairs: list[list[Any]]) -> object:
    found: dict[object, object] = {}
    for key, held in pairs:
        if isinstance(name := read(key), list | dict | Parts):
            return Fixed({"m": pairs})
        found[name] = read(held)
    return found


def _struct(fields: dict[str, Any]) -> Struct:
    made = Struct()
    vars(made).update((name, read(each)) for name, each in fields.items())
    return made


def _time(text: str) -> object:
    usual = _USUAL_TIME.fullmatch(text) is not None
    return dt.datetime.fromisoformat(text) if usual else Fixed({"d": text})


_READERS: Mapping[str, Callable[[Any], object]] = {
    "n": int,
    "f": float,
    "t": str,
    "y": bytes.fromhex,
    "h": bytes.fromhex,
    "l": lambda items: [read(each) for each in items],
    "m": _map,
    "s": _struct,
    "p": lambda held: Pointer(read(held)),
    "e": Failure,
    "i": lambda pair: Dynamic(Fixed(pair[0]), read(pair[1])),
    "d": _time,
}


def written(value: object) -> object:
    """Return a value as it is recorded."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Parts):
        return value.written()
    if isinstance(value, Fixed):
        return value.raw
    return next(write(value) for kind, write, _ in _PLAIN if isinstance(value, kind))


def shown(value: object) -> str:
    """Return a value as a reader of Go knows it."""
    if value is None or isinstance(value, bool):
        return "nil" if value is None else str(value).lower()
    if isinstance(value, Parts):
        return value.shown()
    return "..." if isinstance(value, Fixed) else _shown_plain(value)


def _shown_plain(value: object) -> str:
    return next(show(value) for kind, _, show in _PLAIN if isinstance(value, kind))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_PLAIN: tuple[tuple[type, Callable[[Any], object], Callable[[Any], str]], ...] = (
    (int, lambda value: {"n": str(value)}, str),
    (float, lambda value: {"f": repr(value)}, str),
    (str, lambda value: {"t": value}, _quoted),
    (
        bytes,
        lambda value: {"y": value.hex()},
        lambda value: f"[]byte({_quoted(value.decode('utf-8', 'backslashreplace'))})",
    ),
    (
        list,
        lambda value: {"l": [written(each) for each in value]},
        lambda value: f"[{', '.join(map(shown, value))}]",
    ),
    (
        dict,
        lambda value: {"m": [[written(key), written(each)] for key, each in value.items()]},
        lambda value: f"map[{', '.join(f'{shown(key)}: {shown(each)}' for key, each in value.items())}]",
    ),
    (dt.datetime, lambda value: {"d": value.isoformat().replace("+00:00", "Z")}, str),
)


def near(value: object, depth: int = 0) -> Iterator[object]:
    """Yield values near to one; texts with letters of several bytes among the first."""
    if depth > _DEEPEST:
        return
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from _in_turn([neighbours.near(value), [each for each in (0 * value, -value) if each != value]])
    elif isinstance(value, Pointer):
        yield from map(Pointer, near(value.to, depth + 1))
    elif isinstance(value, Dynamic):
        yield from (Dynamic(value.kind, each) for each in near(value.held, depth + 1))
    elif isinstance(value, list):
        yield from _in_turn([neighbours.near(value), _other_lists(value), *_other_items(value, depth)])
    elif isinstance(value, Struct):
        yield from itertools.islice(_other_fields(value, depth), _MOST)
    elif isinstance(value, str):
        mixed = [
            "" if value else _LETTERS[0],
            *(f"{letter}{value[1:]}" for letter in _LETTERS),
            f"{value}{_LETTERS[0]}",
        ]
        mixed += [f"{value[:-1]}{_LETTERS[2]}", f" {value}", f"{value} "] if value else []
        yield from _in_turn([neighbours.near(value), mixed])
    else:
        yield from neighbours.near(value)


def _in_turn(ways: Iterable[Iterable[object]]) -> Iterator[object]:
    for group in itertools.zip_longest(*ways):
        yield from (each for each in group if each is not None)


def _other_lists(items: list[object]) -> Iterator[list[object]]:
    """Yield lists of negative numbers, and such of one item alone."""
    numbers = [each for each in items if isinstance(each, int | float) and not isinstance(each, bool)]
    if items and len(numbers) == len(items):
        yield [-each for each in numbers]
    if len(items) > 1:
        yield items[:1]
        yield items[-1:]


def _other_items(items: list[object], depth: int) -> Iterator[Iterator[list[object]]]:
    """Yield for each of the first items how lists with another one in its place come about."""
    for place, each in enumerate(items[:_MOST_ITEMS]):
        others = itertools.islice(near(each, depth + 1), _MOST_OF_ITEM)
        yield (
            [*items[:at], other, *items[at + 1 :]]
            for at, other in zip(itertools.repeat(place), others, strict=False)
        )


def _other_fields(value: Struct, depth: int) -> Iterator[Struct]:
    """Yield structs with another value in one field, each field in turn."""
    ways = [
        zip(itertools.repeat(name), near(each, depth + 1), strict=False) for name, each in vars(value).items()
    ]
    for group in itertools.zip_longest(*ways):
        for name, other in filter(None, group):
            made = Struct()
            vars(made).update({**vars(value), name: other})
            yield made


def constants(texts: Iterable[str]) -> list[object]:
    """Return the numbers and texts that code names, and numbers next to them."""
    found: dict[tuple[type, object], object] = {}

    def add(*values: object) -> None:
        found.update(((type(each), each), each) for each in values)

    for text in texts:
        for each in _NUMBER.findall(text):
            plain = each.replace("_", "")
            whole = re.fullmatch(r"-?(?:0[xX][\da-fA-F]+|\d+)", plain) is not None
            if whole:
                number = int(plain, 16 if plain.lower().startswith("0x") else 10)
                add(number, number + 1, number - 1, float(number))
            else:
                add(float(plain), float(plain) + 0.01, float(plain) - 0.01)
        for quoted, raw in _TEXT.findall(text):
            add(quoted.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t") or raw)
        for letter in _LETTER.findall(text):
            add(ord(letter), letter)
    return list(found.values())


def plain(value: object) -> object:
    """Return a value as lists and maps alone."""
    match value:
        case list():
            return [plain(each) for each in value]
        case dict():
            return {key: plain(each) for key, each in value.items()}
        case Parts():
            return {name: plain(each) for name, each in vars(value).items() if not isinstance(each, Fixed)}
        case float() if not math.isfinite(value):
            return None
    return value


def is_boundary(value: object) -> bool:
    """Whether a value has a kind of its own, such as nothing, zero or an empty list."""
    if isinstance(value, Pointer):
        return is_boundary(value.to)
    if isinstance(value, Failure | Fixed):
        return True
    return neighbours.is_boundary(plain(value)) if isinstance(value, Parts) else neighbours.is_boundary(value)
