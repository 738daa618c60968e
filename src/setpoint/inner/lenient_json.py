"""Find JSON objects in what a model wrote, and read them although they are not quite JSON.

Read are: objects amid prose and in code fences; comments, trailing commas, single quotes, names without
quotes, the constants of Python, line ends within strings. Of an object that was cut off the whole elements
are returned apart: they may say less than their writer meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_OBJECTS = 40
"""Objects in one answer that are tried."""
MOST_CUTS = 200
"""Places at which an object that was cut off is tried to be closed, the last ones."""
_NEAR = 200
"""Characters before a quote that are looked at."""
_TOKEN = re.compile(
    r"""
    (?P<double>"(?:\\.|[^"\\])*")
    | (?P<single>'(?:\\.|[^'\\])*')
    | (?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
    | (?P<comma>,(?=\s*(?:(?://|\#)[^\n]*\s*)*[}\]]))
    | (?P<key>[A-Za-z_]\w*(?=\s*:))
    | (?P<word>\b(?:True|False|None|undefined|NaN)\b)
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null", "NaN": "null"}
_BARE = re.compile(r'\s*"[A-Za-z_]\w*"\s*:')
_PAIRS = {"{": "}", "[": "]"}


class Piece(NamedTuple):
    """A part of a text that reads as JSON."""

    value: Any
    start: int
    """Where it begins in the text."""
    end: int


def pieces(text: str) -> Iterator[Piece]:
    """Return the objects and lists of a text that lie in no other, the first one first."""
    position = tried = 0
    while tried < MOST_OBJECTS and (found := re.compile(r"[{\[]").search(text, position)) is not None:
        tried += 1
        start = found.start()
        end, _ = _end_of(text, start)
        value = None if end is None else loads(text[start:end])
        if end is None or not isinstance(value, dict | list):
            position = start + 1
            continue
        yield Piece(value, start, end)
        position = end


def without_braces(text: str) -> Piece | None:
    """Return the object of a text that lacks nothing but its braces; none where it lacks more."""
    if not _BARE.match(text):
        return None
    value = loads(f"{{{text.strip().strip(',')}}}")
    return Piece(value, 0, len(text)) if isinstance(value, dict) else None


def fragments(text: str) -> Iterator[dict[str, Any]]:
    """Return what could be whole of an object that was cut off, the longest part first."""
    for found in list(re.finditer(r"\{", text))[:MOST_OBJECTS]:
        end, cuts = _end_of(text, found.start())
        for cut, closing in reversed(cuts[-MOST_CUTS:] if end is None else []):
            value = loads(text[found.start() : cut].rstrip().rstrip(",") + closing)
            if isinstance(value, dict) and value:
                yield value


def loads(text: str) -> Any:  # noqa: ANN401 - whatever an agent wrote
    """Read JSON, also with the common slips of models; none if it cannot be read."""
    try:
        return json.loads(text, strict=False, object_pairs_hook=unique)
    except RecursionError:
        return None
    except ValueError:
        pass
    try:
        return json.loads(_TOKEN.sub(_strict, text), strict=False, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its members; raises `ValueError` if two have the same name: which one counts?"""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name appears twice in one object")
    return members


def _strict(found: re.Match[str]) -> str:
    """Return a token as JSON writes it."""
    token = found.group(0)
    match found.lastgroup:
        case "single":
            return json.dumps(re.sub(r"\\(['\"])", r"\1", token[1:-1]))
        case "comment" | "comma":
            return ""
        case "key":
            return f'"{token}"'
        case "word":
            return _WORDS[token]
        case _:
            return token


def _end_of(text: str, start: int) -> tuple[int | None, list[tuple[int, str]]]:
    """Return the end of the object or list that begins here, and where it could be closed if it has none.

    A place to close it comes with the brackets that are open there.
    """
    open_now: list[str] = []
    cuts: list[tuple[int, str]] = []
    position = start
    while position < len(text):
        char = text[position]
        if char in "\"'" and (char == '"' or _begins_value(text, position)):
            string = _TOKEN.match(text, position)
            if string is None:  # a string without an end
                return None, cuts
            position = string.end()
            continue
        if char in _PAIRS:
            open_now.append(_PAIRS[char])
        elif char in "}]":
            if not open_now or open_now.pop() != char:
                return None, []
            if not open_now:
                return position + 1, cuts
            cuts.append((position + 1, "".join(reversed(open_now))))
        elif char == ",":
            cuts.append((position, "".join(reversed(open_now))))
        position += 1
    return None, cuts


def _begins_value(text: str, position: int) -> bool:
    """Whether a quote begins a string, and is not an apostrophe in prose."""
    before = text[max(position - _NEAR, 0) : position].rstrip()
    return before[-1:] in ("{", "[", ",", ":")
