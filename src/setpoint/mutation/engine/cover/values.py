"""Values for parameters, as the expressions that make them, and small changes of these."""

from __future__ import annotations

import ast
from random import Random

from .kinds import ANYTHING, POOLS

MOST_CHARACTERS = 120
"""Longer expressions make no readable test."""
_LETTERS = "aAbz09 -_.,:;/+%(){}[]\n\t@#'\"é"


def pick(kinds: tuple[str, ...], own: tuple[str, ...], random: Random) -> str:
    """Pick a value: of the kinds that the code hints at, one seen near the code, or anything."""
    chance = random.random()
    if own and chance < (0.35 if kinds else 0.45):
        return random.choice(own)
    if kinds and chance < 0.9:  # noqa: PLR2004 - a share, found by trying
        return random.choice(POOLS[random.choice(kinds)])
    return random.choice(POOLS[random.choice(ANYTHING)])


def changed(text: str, words: tuple[str, ...], random: Random) -> str:
    """Change an expression a little where it is a literal; gives it as it is where it cannot be changed."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    new = repr(_changed(value, words, random))
    return new if len(new) <= MOST_CHARACTERS and "inf" not in new and "nan" not in new else text


def _changed(value: object, words: tuple[str, ...], random: Random) -> object:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, -value, value * 2, value // 2, value + 10, float(value)))
    if isinstance(value, float):
        return random.choice((value + 1, value - 0.5, -value, value * 2, value / 2, int(value)))
    if isinstance(value, str):
        return _changed_text(value, words, random)
    if isinstance(value, bytes):
        return _changed_text(value.decode("latin-1"), (), random).encode("latin-1", "replace")
    if isinstance(value, (list, tuple)):
        items = _changed_items(list(value), words, random)
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, (set, frozenset)):
        return {each for each in _changed_items(list(value), words, random) if _hashable(each)}
    if isinstance(value, dict):
        return _changed_dict(dict(value), words, random)
    return value


def _changed_text(text: str, words: tuple[str, ...], random: Random) -> str:
    place = random.randint(0, len(text))
    match random.randrange(8):
        case 0 | 1:
            return text[:place] + random.choice(_LETTERS) + text[place:]
        case 2:
            return text[:place] + text[place + 1 :]
        case 3:
            return text[:place]
        case 4:
            return text + text
        case 5:
            return random.choice((text.upper(), text.lower(), text.title(), text.strip(), f" {text} "))
        case 6:
            return (
                text[:place] + (random.choice(words) if words else str(random.randint(0, 20))) + text[place:]
            )
        case _:
            return text[:place] + random.choice(_LETTERS) + text[place + 1 :]


def _changed_items(items: list[object], words: tuple[str, ...], random: Random) -> list[object]:
    place = random.randrange(len(items)) if items else 0
    match random.randrange(7):
        case 0 | 1 if items:
            items[place] = _changed(items[place], words, random)
        case 2 if items:
            del items[place]
        case 3 if items:
            items.append(items[place])
        case 4 if items:
            items.insert(place, _changed(items[place], words, random))
        case 5:
            items.reverse()
        case _:
            items.append(random.choice((0, 1, -1, 3, "a", None, [1], (1, 2))))
    return items


def _changed_dict(
    value: dict[object, object], words: tuple[str, ...], random: Random
) -> dict[object, object]:
    keys = list(value)
    key = random.choice(keys) if keys else None
    match random.randrange(4):
        case 0 | 1 if keys:
            value[key] = _changed(value[key], words, random)
        case 2 if keys:
            del value[key]
        case _:
            value[random.choice(("a", "b", 1, *words))] = random.choice((0, 1, "x", None, [1]))
    return value


def _hashable(value: object) -> bool:
    return not isinstance(value, (list, dict, set, bytearray))
