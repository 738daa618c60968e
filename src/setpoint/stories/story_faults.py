"""What is wrong with a story's file: all that YAML, or Setpoint, would read otherwise than it looks."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import ValidationError

from setpoint.errors import StoryError
from setpoint.model.stories.story import Story, StoryRecord
from setpoint.stories.front_matter import Page

KEYS = frozenset({*Story.model_fields, "granted"}) - {"body"}
"""Keys with which a person describes the goal."""
RECORD_KEYS = frozenset(StoryRecord.model_fields)
"""Keys that Setpoint keeps; more are called `PHASE_complete`."""
OWN = "x-"
"""Begins the keys that people keep for themselves."""
LISTS = frozenset(name for name, field in Story.model_fields.items() if "tuple" in str(field.annotation))
"""Keys that take a list."""
_KNOWN = KEYS | RECORD_KEYS
_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9_]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_CUT = re.compile(r"[ \t]+#[^\s#]")
_QUOTES = "“”„‟‘’‚«»"  # noqa: RUF001 - these are looked for
_FENCE = re.compile(r"\s*(?:[-+*=~_.–—]{3,}|[–—])\s*")  # noqa: RUF001 - so people's editors write it
_OPENING = re.compile(r"---[ \t]*")
_KEY_LINE = re.compile(r"""\s*["']?(?P<key>[A-Za-z][\w -]{1,40}?)["']?\s*(?:[:=](?=[\s"'\[]|$)|：)""")  # noqa: RUF001 - a wide colon
_ALIKE = 0.8
"""Likeness of a word before a colon from which it is taken for a key outside the front matter."""


class Fault(NamedTuple):
    """Something that is wrong in a line of a story's file."""

    line: int
    """1-based; 0 where it is about the whole file."""
    text: str
    hint: str
    key: str = ""
    """The key it is about."""


def story_error(path: Path | str, faults: Sequence[Fault]) -> StoryError:
    """Make one error of all that is wrong with a file."""
    first, *others = sorted(faults)
    place = f"{path}:{first.line}" if first.line else str(path)
    more = "".join(f"; line {each.line}: {each.text}" for each in others)
    hints = dict.fromkeys(each.hint for each in (first, *others))
    return StoryError(f"{place}: {first.text}{more}", hint="; ".join(hints))


def key_faults(
    node: yaml.Node | None, text: str, first: int, also: frozenset[str] = frozenset()
) -> list[Fault]:
    """Return what is wrong with a table of keys, of which `text` is the source and `first` its first line."""
    found, seen = list[Fault](), dict[str, int]()
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        line, name = key.start_mark.line + first, str(key.value)
        if name in seen:
            found.append(
                Fault(line, f"key '{name}' is there twice, in line {seen[name]} too", "keep one", name)
            )
        elif name in _KNOWN | also or name.endswith("_complete"):
            found += (Fault(*each, name) for each in _value_faults(name, value, text, first))
        elif not name.startswith(OWN):
            found.append(_unknown(name, line))
        seen.setdefault(name, line)
    return found


def key_lines(node: yaml.MappingNode | None, first: int) -> dict[str, int]:
    """Return the line of each key."""
    return {str(key.value): key.start_mark.line + first for key, _ in node.value} if node is not None else {}


def value_faults(error: ValidationError, node: yaml.MappingNode | None, first: int) -> Iterator[Fault]:
    """Yield why the values of keys are not those of a story."""
    lines = key_lines(node, first)
    for each in error.errors():
        key, name = str(each["loc"][0]), ".".join(map(str, each["loc"]))
        hint = "docs/reference/stories.md lists the keys of a story"
        yield Fault(lines.get(key, 0), f"key '{name}': {each['msg'].lower()}", hint, key)


def stray_faults(page: Page, first: int) -> list[Fault]:
    """Return what looks like keys and is outside the front matter, where it would be lost."""
    lines = page.body.removeprefix("\ufeff").splitlines()
    if not page.head and lines and _OPENING.fullmatch(lines[0]):
        return [Fault(1, "the front matter is not closed", "write a line of --- below the last key")]
    start = next((at for at, line in enumerate(lines) if not _is_skipped(line)), len(lines))
    opened = any(map(_FENCE.fullmatch, lines[:start]))
    if page.head and start and not opened:
        return []
    ends = (at for at in range(start, len(lines)) if not lines[at].strip() or _FENCE.fullmatch(lines[at]))
    end = next(ends, len(lines))
    closed = end < len(lines) and bool(lines[end].strip())
    headed = any(line.lstrip().startswith("#") for line in lines[:start])
    strict = not closed and bool(page.head or headed)
    above = (page.front + page.fence).count("\n") + (first if page.head else 1)
    for at in range(start, end):
        if name := names_key(lines[at], strict=strict):
            text = f"'{name}' is outside the front matter, so it would not count"
            hint = "write all keys between a first line of --- and a second one, and the text below"
            return [Fault(at + above, text, hint)]
    return []


def _is_skipped(line: str) -> bool:
    text = line.strip()
    return not text or bool(_FENCE.fullmatch(text)) or text.startswith(("#", "<!--", "```"))


def names_key(line: str, *, strict: bool) -> str:
    """Return the key that a line seems to set, empty where it sets none; `strict`: only as it is spelt."""
    match = _KEY_LINE.match(line)
    if match is None:
        return ""
    name = match["key"]
    known = name in _KNOWN if strict else bool(_near(name, _ALIKE))
    return name if known else ""


def _near(name: str, alike: float = 0.6) -> str:
    """Return the key that a word is nearest to; empty where it is like none."""
    plain = re.sub(r"[\W_]+", "_", name.lower()).strip("_")
    return next(iter(difflib.get_close_matches(plain, sorted(_KNOWN), 1, alike)), "")


def _unknown(name: str, line: int) -> Fault:
    near = _near(name)
    if name == "body":
        return Fault(line, "key 'body' is not read", "write the text below the front matter", name)
    if near:
        hint = f"correct it, or call it '{OWN}{name}' where it is a key of your own"
        return Fault(line, f"unknown key '{name}'; did you mean '{near}'?", hint, name)
    hint = f"call a key of your own '{OWN}{name}'; docs/reference/stories.md lists Setpoint's keys"
    return Fault(line, f"unknown key '{name}'", hint, name)


def _value_faults(name: str, node: yaml.Node, text: str, first: int) -> Iterator[tuple[int, str, str]]:
    line = node.start_mark.line + first
    empty = node.tag.endswith(":null")
    if name in LISTS and not empty and not isinstance(node, yaml.SequenceNode):
        yield line, f"key '{name}' is not a list", f'write a list: {name}: ["..."]'
        return
    if name in ("id", "title") and not empty and not node.tag.endswith(":str"):
        kind = node.tag.rpartition(":")[2]
        yield line, f"key '{name}' is read as {kind}, not as text", "put the value into quotes"
        return
    for each in _scalars(node, set()):
        line = each.start_mark.line + first
        if isinstance(each, yaml.MappingNode):
            yield line, f"a key below '{name}' is there twice", "keep one"
        elif isinstance(each, yaml.ScalarNode) and (
            wrong := _misread(name, each, text) or _no_item(name, each)
        ):
            yield line, f"key '{name}': {wrong[0]}", wrong[1]


def _scalars(node: yaml.Node, seen: set[int]) -> Iterator[yaml.Node]:
    """Yield all scalars of a value once, and each table that holds a key twice."""
    if id(node) in seen:
        return  # an alias, perhaps of a list that holds it
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.MappingNode):
        if len({str(key.value) for key, _ in node.value}) < len(node.value):
            yield node
        for _, each in node.value:
            yield from _scalars(each, seen)
    else:
        for each in node.value:
            yield from _scalars(each, seen)


def _misread(name: str, node: yaml.ScalarNode, text: str) -> tuple[str, str] | None:
    """Say where YAML reads an unquoted value otherwise than it looks."""
    if node.style:
        return None
    kind, said = node.tag.rpartition(":")[2], " ".join(node.value.split())
    if node.start_mark.line != node.end_mark.line:
        return f"'{said}' continues in another line without quotes", "write it in one line, or into quotes"
    if kind == "bool" and name != "external" and not name.endswith("_complete"):
        return f"'{said}' is read as true or false", "put the value into quotes, or write a number"
    if kind in ("int", "float") and not _NUMBER.fullmatch(node.value):
        return f"'{said}' is read as {yaml.safe_load(said)}", "put it into quotes, or write a plain number"
    if kind == "str" and _CUT.match(text, node.end_mark.index):
        return f"YAML ends '{said}' before the #", "put the value into quotes, or a space behind the #"
    return None


def _no_item(name: str, node: yaml.ScalarNode) -> tuple[str, str] | None:
    """Say why a text in a list asks for nothing, or cannot be what was meant."""
    if name not in LISTS:
        return None
    if not node.value.strip():
        return "an item is empty", "write something, or remove it"
    if node.value[0] in _QUOTES:
        return f"{node.value} begins with a typographic quote", "use plain quotes: ' or \""
    if name == "acceptance" and "\n" not in node.value:
        try:
            shlex.split(node.value, comments=True)
        except ValueError as error:
            told = f"`{node.value}` is not a whole command: {str(error).lower()}"
            return told, "put the whole command into single quotes"
    return None
