"""Turning the bytes of a report into values: whatever is wrong with them is a `BadReport` that says where."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import TypeVar
from xml.parsers import expat

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.report import Sources

MOST_BYTES = 32 << 20
"""A longer report is not read: its tool reports more than anybody fixes, or is out of control."""
_DEEPEST = 200
"""Most elements inside each other; reports need six."""

_HALF = re.compile("[\ud800-\udfff]")

T = TypeVar("T")


class Part(BaseModel):
    """A part of a JSON report; keys that nobody here needs are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


def from_json(adapter: TypeAdapter[T], text: bytes, sources: Sources, where: str = "") -> T:
    """Read JSON; `where` names the part of the report that `text` is, if it is not all of it."""
    checked(text, sources)
    try:
        return adapter.validate_json(whole_characters(text.removeprefix(b"\xef\xbb\xbf")))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        keys = ".".join(str(key) for key in first["loc"])
        place = " ".join(part for part in (where, f"at '{keys}'" if keys else "") if part)
        raise bad(sources, first["msg"], place) from None


def whole_characters(text: bytes) -> bytes:
    """Return JSON without halves of characters, which tools write for file names that are not UTF-8."""
    if b"\\ud" not in text.lower():
        return text
    try:
        return _HALF.sub(
            "\N{REPLACEMENT CHARACTER}", json.dumps(json.loads(text), ensure_ascii=False)
        ).encode()
    except (ValueError, RecursionError):
        return text  # whoever reads it says what is wrong


def from_xml(text: bytes, sources: Sources, roots: tuple[str, ...]) -> ET.Element:
    """Read XML with one of the named roots; entities of its own are refused: they can grow without bound."""
    checked(text, sources)
    tree = _Tree(sources)
    try:
        root = tree.read(text)
    except expat.ExpatError as error:
        place = f"in line {error.lineno}, column {error.offset + 1}"
        raise bad(sources, expat.ErrorString(error.code), place) from None
    except (LookupError, ValueError) as error:  # an encoding that there is not, or that expat cannot use
        raise bad(sources, str(error), "in line 1") from None
    if root.tag not in roots:
        wanted = " or ".join(f"<{name}>" for name in roots)
        raise bad(sources, f"its root is <{root.tag[:60]}>, not {wanted}", "in line 1")
    return root


def lines_of(text: bytes, sources: Sources) -> list[str]:
    """Return lines of a report that is plain text in UTF-8; only a line feed ends one, as in JSON lines."""
    checked(text, sources)
    try:
        lines = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8").split("\n")
        return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]
    except UnicodeDecodeError as error:
        place = f"in line {text.count(b'%c' % 10, 0, error.start) + 1}"
        raise bad(sources, "it is not UTF-8", place) from None


def number(attributes: Mapping[str, str], name: str, sources: Sources, where: str) -> int:
    """Return an attribute that holds a whole number; 0 where it is absent or empty."""
    text = attributes.get(name, "").strip() or "0"
    if not text.removeprefix("-").isdecimal() or len(text) > 18:  # noqa: PLR2004 - what 64 bits hold
        raise bad(sources, f"{name} is not a whole number: {text[:60]!r}", where)
    return int(text)


def bad(sources: Sources, what: str, where: str = "") -> BadReport:
    """Make the error: whose report, in which place of it, and what is wrong there."""
    return BadReport(f"{sources.report} is not readable{f' {where}' if where else ''}: {what}")


def checked(text: bytes, sources: Sources) -> None:
    """Refuse what is nothing, or too much."""
    if not text.strip():
        raise bad(sources, "it is empty")
    if len(text) > MOST_BYTES:
        raise bad(sources, f"it has {len(text):,} bytes, and no more than {MOST_BYTES:,} are read")


class _Tree:
    """Builds a tree of elements, with names free of their prefix."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._builder = ET.TreeBuilder()
        self._depth = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        self._parser.EntityDeclHandler = self._entity

    def read(self, text: bytes) -> ET.Element:
        self._parser.Parse(text, True)  # noqa: FBT003 - expat takes its arguments by place only
        return self._builder.close()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise bad(self._sources, f"more than {_DEEPEST} elements inside each other", self._place())
        self._builder.start(name.rpartition(":")[2], attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._builder.end(name.rpartition(":")[2])

    def _entity(self, name: str, *_: object) -> None:
        raise bad(self._sources, f"it declares an entity of its own, {name!r}", self._place())

    def _place(self) -> str:
        return f"in line {self._parser.CurrentLineNumber}"
