"""Source maps: where what a compiler of scripts wrote comes from (ECMA-426)."""

from __future__ import annotations

import base64
import json
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_DIGITS = {character: value for value, character in enumerate(_ALPHABET)}
_MORE, _BITS, _PLACES = 32, 5, 4


@dataclass(frozen=True, kw_only=True)
class SourceMap:
    """The places of one compiled script, by the sources that they come from."""

    places: dict[str, list[tuple[tuple[int, int], tuple[int, int]]]]
    """By source: line and column in it (from 0 on), and in the script; in the order of the source."""

    def of(self, source: str, start: tuple[int, int], end: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return where the first thing from `start` to `end` of a source lies in the script."""
        known = self.places.get(source, [])
        first = bisect_left(known, (start, (-1, -1)))
        last = len(known) if end is None else bisect_left(known, (end, (-1, -1)))
        return known[first][1] if first < min(last, len(known)) else None


def read_map(url: str, script: Path) -> SourceMap | None:
    """Read the map that a script names, written into it or beside it; none where there is none to read."""
    text = _text_of(url, script)
    try:
        known = json.loads(text) if text else None
        return _decoded(known, script) if isinstance(known, dict) else None
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def _text_of(url: str, script: Path) -> str:
    if url.startswith("data:"):
        head, _, body = url.partition(",")
        raw = base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
        return raw.decode("utf-8", "replace")
    if not url or ":" in url:
        return ""
    try:
        return (script.parent / unquote(url)).read_text("utf-8", "replace")
    except OSError:
        return ""


def _decoded(known: dict[str, Any], script: Path) -> SourceMap:
    root = known.get("sourceRoot") or ""
    names = [_named(f"{root}{source or ''}", script) for source in known["sources"]]
    places: dict[str, list[tuple[tuple[int, int], tuple[int, int]]]] = defaultdict(list)
    index = line = column = 0
    for row, text in enumerate(str(known["mappings"]).split(";")):
        at = 0
        for segment in filter(None, text.split(",")):
            fields = _fields(segment)
            at += fields[0]
            if len(fields) < _PLACES:
                continue
            index, line, column = index + fields[1], line + fields[2], column + fields[3]
            places[names[index]].append(((line, column), (row, at)))
    return SourceMap(places={name: sorted(each) for name, each in places.items()})


def _named(source: str, script: Path) -> str:
    plain = unquote(source.removeprefix("file://"))
    return str((script.parent / plain).resolve()) if plain else str(script)


def _fields(segment: str) -> list[int]:
    found, value, shift = [], 0, 0
    for character in segment:
        digit = _DIGITS[character]
        value |= (digit & (_MORE - 1)) << shift
        shift += _BITS
        if not digit & _MORE:
            found.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return found


def line_offsets(text: str) -> list[int]:
    """Return where the lines of a text begin, in UTF-16 units."""
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line.encode("utf-16-le", "surrogatepass")) // 2 + 1)
    return offsets
