"""Values for parameters, as the expressions that make them, and small changes of these."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple, Union

from .kinds import ANYTHING, POOLS

MOST_CHARACTERS = 120
"""Longer expressions make no readable test."""
_LETTERS = "aAbz09 -_.,:;/+%(){}[]\n\t@#'\"\N{LATIN SMALL LETTER E WITH ACUTE}"
_OWN_SHARE, _OWN_SHARE_ALONE, _KINDS_SHARE = 0.35, 0.45, 0.9
"""How often a value is one seen near the code, the same where no kind is known, and one of a hinted kind."""
_ITEMS = (0, 1, -1, 3, "a", None, [1], (1, 2))
_HELD = (0, 1, "x", None, [1])
_ONE_IN = 3
Number = Union[int, float]


class Near(NamedTuple):
    """What stands near the code under test, of which new values are made."""

    words: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()


NOTHING = Near()


def pick(kinds: tuple[str, ...], own: tuple[str, ...], random: Random) -> str:
    """Pick a value: of the kinds that the code hints at, one seen near the code, or anything."""
    chance = random.random()
    if own and chance < (_OWN_SHARE if kinds else _OWN_SHARE_ALONE):
        return random.choice(own)
    if kinds and chance < _KINDS_SHARE:
        return random.choice(POOLS[random.choice(kinds)])
    return random.choice(POOLS[random.choice(ANYTHING)])


def changed(text: str, near: Near, random: Random) -> str:
    """Change an expression a little: a literal, or one of those in a call such as of a date.

    Gives it as it is where it cannot be changed.
    """
    try:
        value = ast.literal_eval(text)
        new = repr(_changed(value, near, random))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError):
        return _changed_inside(text, near, random)
    return new if _readable(new) else text


def _readable(text: str) -> bool:
    return len(text) <= MOST_CHARACTERS and "inf" not in text and "nan" not in text


def _changed_inside(text: str, near: Near, random: Random) -> str:
    """Change one literal of an expression that is more than a literal."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return text
    places = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if not places:
        return text
    node = random.choice(places)
    try:
        node.value = _changed(node.value, near, random)
        new = ast.unparse(tree)
    except (ValueError, TypeError, OverflowError):
        return text
    return new if _readable(new) else text


def _changed(value: Any, near: Near, random: Random) -> Any:  # noqa: ANN401 - any literal
    change = _CHANGES.get(type(value))
    return value if change is None else change(value, near, random)


def _flag(value: Any, _near: Near, _random: Random) -> bool:  # noqa: ANN401 - true, false or none
    return not value


def _whole(value: int, near: Near, random: Random) -> float:
    if near.numbers and random.randrange(_ONE_IN) == 0:
        return random.choice(near.numbers)
    return random.choice((value + 1, value - 1, -value, value * 2, value // 2, value + 10, float(value)))


def _real(value: float, near: Near, random: Random) -> float:
    if near.numbers and random.randrange(_ONE_IN) == 0:
        return random.choice(near.numbers)
    return random.choice((value + 1, value - 0.5, -value, value * 2, value / 2, int(value)))


def _text(text: str, near: Near, random: Random) -> str:
    place = random.randint(0, len(text))
    letter = random.choice(_LETTERS)
    word = random.choice(near.words) if near.words else str(random.randint(0, 20))
    return random.choice(
        (
            text[:place] + letter + text[place:],
            text[:place] + letter + text[place:],
            text[:place] + letter + text[place + 1 :],
            text[:place] + word + text[place:],
            text[:place] + text[place + 1 :],
            text[:place],
            text + text,
            random.choice((text.upper(), text.lower(), text.title(), text.strip(), f" {text} ")),
        )
    )


def _bytes(value: bytes, _near: Near, random: Random) -> bytes:
    return _text(value.decode("latin-1"), NOTHING, random).encode("latin-1", "replace")


def _list(items: list[Any], near: Near, random: Random) -> list[Any]:
    items = list(items)
    place = random.randrange(len(items)) if items else 0
    change = random.randrange(7)
    if not items or change >= 5:  # noqa: PLR2004 - two ways of seven change no item
        return items[::-1] if change == 5 else [*items, random.choice(_ITEMS)]  # noqa: PLR2004 - the first of them
    if change <= 1:
        items[place] = _changed(items[place], near, random)
    elif change == 2:  # noqa: PLR2004 - one of seven ways
        del items[place]
    else:
        again = items[place] if change == 3 else _changed(items[place], near, random)  # noqa: PLR2004 - the same
        items.insert(place, again)
    return items


def _tuple(items: tuple[Any, ...], near: Near, random: Random) -> tuple[Any, ...]:
    return tuple(_list(list(items), near, random))


def _set(items: set[Any], near: Near, random: Random) -> set[Any]:
    return set(_list(sorted(items, key=repr), near, random))


def _dict(value: dict[Any, Any], near: Near, random: Random) -> dict[Any, Any]:
    value = dict(value)
    keys = list(value)
    change = random.randrange(4)
    if not keys or change == 3:  # noqa: PLR2004 - one way of four adds something
        value[random.choice(("a", "b", 1, *near.words))] = random.choice(_HELD)
        return value
    key = random.choice(keys)
    if change == 2:  # noqa: PLR2004 - another takes something away
        del value[key]
    else:
        value[key] = _changed(value[key], near, random)
    return value


_CHANGES: dict[type, Callable[[Any, Near, Random], Any]] = {
    bool: _flag,
    type(None): _flag,
    int: _whole,
    float: _real,
    str: _text,
    bytes: _bytes,
    list: _list,
    tuple: _tuple,
    set: _set,
    dict: _dict,
}
