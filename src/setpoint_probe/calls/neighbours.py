"""Values near to a value, of the same type and kind, in a fixed order."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import enum
import itertools
import math
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .written import Written

_NOTHING = object()
_MOST = 48
_MOST_ITEMS, _MOST_OF_ITEM, _MOST_LETTERS, _DEEPEST = 6, 6, 24, 3
_STEPS = (1, -1, 10, -10, 2, 100, -2, 20)
_PARTS = (0.5, -0.5, 1.0, -1.0, 0.1, 10.0)
_DAYS = (1, -1, 31, 365, -366)


def near(value: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401 - any value at all
    """Yield values near to one; none for what cannot be varied. Each is new, and shares nothing."""
    if depth > _DEEPEST:
        return
    for kind, vary in _VARIED:
        if isinstance(value, kind):
            yield from itertools.islice(vary(value, depth), _MOST)
            return
    yield from itertools.islice(_of_object(value, depth), _MOST)


def _flag(value: bool, _depth: int) -> Iterator[bool]:  # noqa: FBT001 - it is what is varied
    yield not value


def _member(value: enum.Enum, _depth: int) -> Iterator[enum.Enum]:
    yield from (each for each in type(value) if each is not value)


def _whole(value: int, _depth: int) -> Iterator[int]:
    found = [value + step for step in _STEPS]
    found += [value * 2, -value, value * 10, value // 2, 0, value * 3, value + 7, value + 1000]
    yield from (each for each in dict.fromkeys(found) if each != value)


def _real(value: float, _depth: int) -> Iterator[float]:
    if not math.isfinite(value):
        return
    found = [math.floor(value) + 0.5, float(math.floor(value)), *(value + part for part in _PARTS)]
    found += [value * 2, -value, value / 2, value * 10, 0.0, float(round(value)), value + 100]
    yield from (each for each in dict.fromkeys(found) if each != value)


def _decimal(value: decimal.Decimal, _depth: int) -> Iterator[decimal.Decimal]:
    if value.is_finite():
        yield from (value + 1, value - 1, value * 2, -value, value / 2, value + 10, value * 0)


def _text(value: str, _depth: int) -> Iterator[str]:
    """Yield texts with another letter of the same kind first: they keep what is special elsewhere in it."""
    yield from _merged(_other_letters(value), _other_sizes(value))


def _merged(*ways: Iterable[Any]) -> Iterator[Any]:
    for group in itertools.zip_longest(*ways, fillvalue=_NOTHING):
        yield from (each for each in group if each is not _NOTHING)


def _other_letters(text: str) -> Iterator[str]:
    for place in _spread(len(text), _MOST_LETTERS):
        for other in _other_letter(text[place]):
            yield text[:place] + other + text[place + 1 :]


def _other_letter(letter: str) -> Iterable[str]:
    if letter.isascii() and letter.isdigit():
        return [str((int(letter) + step) % 10) for step in (1, 9, 4)]
    if letter.isascii() and letter.isalpha():
        first = ord("a") if letter.islower() else ord("A")
        return [chr(first + (ord(letter) - first + step) % 26) for step in (1, 7)]
    return ()


def _other_sizes(text: str) -> Iterator[str]:
    if not text:
        return
    letter = next((each for each in text if each.isascii() and each.isalnum()), "x")
    yield from (f"{text}{letter}", f"{letter}{text}", text[:-1], text[1:], text + text, f"{text} {text}")
    for place in _spread(len(text), 8):
        yield text[:place] + text[place + 1 :]
        yield text[:place] + letter + text[place:]
    yield from (each for each in (text.upper(), text.lower(), text.swapcase(), text.title()) if each != text)
    yield from (f"{text}{letter}{letter}", f"{letter}{letter}{text}", text[::-1], "")


def _bytes(value: bytes, depth: int) -> Iterator[bytes]:
    yield from (each.encode("latin-1", "replace") for each in _text(value.decode("latin-1"), depth))


def _list(items: list[Any], depth: int) -> Iterator[list[Any]]:
    """Yield lists with another item, one more, one less, two in another order, and none."""
    yield from _merged(_other_items(items, depth), _other_places(items))


def _other_items(items: list[Any], depth: int) -> Iterator[list[Any]]:
    places = _spread(len(items), _MOST_ITEMS)
    ways = [itertools.islice(near(items[place], depth + 1), _MOST_OF_ITEM) for place in places]
    for group in itertools.zip_longest(*ways, fillvalue=_NOTHING):
        for place, other in zip(places, group):
            if other is not _NOTHING:
                yield [*items[:place], other, *items[place + 1 :]]


def _other_places(items: list[Any]) -> Iterator[list[Any]]:
    for place in _spread(len(items), _MOST_ITEMS):
        yield [*items[:place], *items[place + 1 :]]
        yield [*items[:place], items[place], *items[place:]]
    for place in _spread(len(items) - 1, _MOST_ITEMS):
        yield [*items[:place], items[place + 1], items[place], *items[place + 2 :]]
    if len(items) > 1:
        yield items[::-1]
        yield items + items
        yield []


def _tuple(value: tuple[Any, ...], depth: int) -> Iterator[tuple[Any, ...]]:
    if hasattr(value, "_fields"):
        for each in _list_of_same_size(list(value), depth):
            yield type(value)(*each)
        return
    yield from (tuple(each) for each in _list(list(value), depth))


def _list_of_same_size(items: list[Any], depth: int) -> Iterator[list[Any]]:
    return (each for each in _list(items, depth) if len(each) == len(items))


def _set(value: set[Any] | frozenset[Any], depth: int) -> Iterator[set[Any] | frozenset[Any]]:
    kind = frozenset if isinstance(value, frozenset) else set
    yield from (made for each in _list(sorted(value, key=repr), depth) if (made := kind(each)) != value)


def _dict(value: dict[Any, Any], depth: int) -> Iterator[dict[Any, Any]]:
    for key in list(itertools.islice(value, _MOST_ITEMS)):
        for other in itertools.islice(near(value[key], depth + 1), _MOST_OF_ITEM):
            yield _with(value, key, other)
        for name in itertools.islice(near(key, depth + 1), 2):
            yield {name if each == key else each: held for each, held in value.items()}
        changed = copy.copy(value)
        del changed[key]
        yield changed


def _with(value: dict[Any, Any], key: object, other: object) -> dict[Any, Any]:
    changed = copy.copy(value)
    changed[key] = other
    return changed


def _date(value: dt.date, _depth: int) -> Iterator[dt.date]:
    yield from (value + dt.timedelta(days=days) for days in _DAYS)
    if isinstance(value, dt.datetime):
        yield from (value + dt.timedelta(seconds=seconds) for seconds in (1, -1, 3600, 60))


def _delta(value: dt.timedelta, _depth: int) -> Iterator[dt.timedelta]:
    yield from (value + dt.timedelta(seconds=seconds) for seconds in (1, -1, 60, 3600, 86400))
    yield from (value * 2, -value)


def _path(value: pathlib.PurePath, depth: int) -> Iterator[pathlib.PurePath]:
    yield from (value.with_name(each) for each in _text(value.name, depth) if each.strip(". "))


def _written(value: Written, depth: int) -> Iterator[Written]:
    yield from (Written(value.kind, value.name, text) for text in _text(value.text, depth))


def _of_object(value: object, depth: int) -> Iterator[object]:
    """Yield copies of an object with one attribute varied."""
    held = getattr(value, "__dict__", None)
    if not isinstance(held, dict) or isinstance(value, type) or callable(value):
        return
    for name in list(itertools.islice(held, _MOST_ITEMS)):
        for other in itertools.islice(near(held[name], depth + 1), _MOST_OF_ITEM):
            changed = copy.copy(value)
            changed.__dict__[name] = other
            yield changed


def _spread(size: int, most: int) -> list[int]:
    """Return at most so many places of a sequence, spread over it."""
    if size <= most:
        return list(range(max(size, 0)))
    return sorted({place * size // most for place in range(most)})


_VARIED: tuple[tuple[type, Callable[[Any, int], Iterator[Any]]], ...] = (
    (Written, _written),
    (bool, _flag),
    (enum.Enum, _member),
    (int, _whole),
    (float, _real),
    (decimal.Decimal, _decimal),
    (str, _text),
    (bytes, _bytes),
    (list, _list),
    (tuple, _tuple),
    (set, _set),
    (frozenset, _set),
    (dict, _dict),
    (dt.date, _date),
    (dt.timedelta, _delta),
    (pathlib.PurePath, _path),
)


def is_boundary(value: Any) -> bool:  # noqa: ANN401 - any value at all
    """Whether a value has a kind of its own: nothing, zero, one, an empty collection, one letter."""
    if value is None or isinstance(value, (bool, enum.Enum)) or inspect_free(value):
        return True
    if isinstance(value, float) and not math.isfinite(value):
        return True
    if isinstance(value, (int, float)):
        return value in (-1, 0, 1)
    if isinstance(value, (str, bytes)):
        return len(value) <= 1
    if isinstance(value, (list, tuple, set, frozenset)):
        return len(value) <= 1 and all(is_boundary(each) for each in value)
    return isinstance(value, dict) and not value


def inspect_free(value: object) -> bool:
    """Whether a value is a type or something that is called, which has no neighbours."""
    return isinstance(value, type) or callable(value)


def leaves(value: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401 - any value at all
    """Yield the numbers and texts in a value."""
    if depth > _DEEPEST or isinstance(value, bool):
        return
    if isinstance(value, (int, float, str)):
        yield value
    elif isinstance(value, dict):
        for key, held in value.items():
            yield from itertools.chain(leaves(key, depth + 1), leaves(held, depth + 1))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from leaves(each, depth + 1)
