"""Read the keys of manifests, so that two states can be compared key by key."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from setpoint.model.changes.work_kind import is_requirements

Key = tuple[str, ...]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?\s*(@[^;]*|[^;]*)(?:;(.*))?$")
_LOCKED = re.compile(r"^\s*#\s*via\b|--hash=", re.MULTILINE)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_OF_GO = re.compile(r"^(\w+)\s+(.*)$")
_DEPENDENCIES = re.compile(
    r"depend|requires?$|requirements|extras|constraints|build-system|(?:^|_)require", re.IGNORECASE
)
MARKER, EXTRAS, SOURCE = "marker", "extras", "source"
"""Keys below a requirement: when it applies, which of its extras, and where it comes from."""


class Changed(NamedTuple):
    """One key that a change gives another value, adds or takes away."""

    path: str
    key: Key
    before: str | None
    after: str | None

    def __str__(self) -> str:
        """Name it as people do, with what became of it."""
        name = ".".join(self.key)
        if self.after is None:
            return f"{self.path}: `{name}` is gone"
        return f"{self.path}: `{name}` is {self.after if self.before is not None else f'new ({self.after})'}"


def keys_of(path: str, text: str) -> dict[Key, str] | None:
    """Return what a manifest says, flat; none where it cannot be read as a manifest."""
    name = path.rpartition("/")[2].lower()
    try:
        if name in ("pyproject.toml", "cargo.toml", "ruff.toml", "pipfile"):
            return dict(_flat(tomllib.loads(text), ()))
        if name in ("package.json", "tsconfig.json"):
            return dict(_flat(json.loads(_COMMENT.sub(lambda found: found[1] or "", text)), ()))
    except ValueError:
        return None
    return _of_lines(path, name, text)


def _of_lines(path: str, name: str, text: str) -> dict[Key, str] | None:
    if name in ("setup.cfg", "tox.ini", "pytest.ini", "mypy.ini", ".coveragerc"):
        return _of_ini(text)
    if name == "go.mod":
        return dict(_of_go(text))
    if is_requirements(path) and not _LOCKED.search(text):
        return dict(_elements([line.partition(" #")[0] for line in text.splitlines()], ("requirements",)))
    return None


def changed_keys(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Changed]:
    """Return the keys of manifests that differ; what only moves to another place is left out."""
    found: list[Changed] = []
    for path in dict.fromkeys((*before, *after)):
        old, new = (keys_of(path, held.get(path, b"").decode("utf-8", "replace")) for held in (before, after))
        if old is None or new is None:
            continue
        old, new = (held if path in files else {} for held, files in ((old, before), (new, after)))
        found += [
            Changed(path, key, old.get(key), new.get(key))
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return _without_moved(found)


def _without_moved(changed: list[Changed]) -> list[Changed]:
    gone = Counter((each.key[-1], each.before) for each in changed if each.after is None)
    come = Counter((each.key[-1], each.after) for each in changed if each.before is None)
    moved = gone & come
    return [
        each
        for each in changed
        if None not in (each.before, each.after)
        or not moved[each.key[-1], each.after if each.before is None else each.before]
    ]


def _flat(value: object, place: Key) -> Iterator[tuple[Key, str]]:
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _flat(held, (*place, str(key)))
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield from _elements(value, place)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            name = item.get("name", number) if isinstance(item, dict) else number
            yield from _flat(item, (*place, str(name)))
    else:
        yield place, str(value)


def _elements(values: list[str], place: Key) -> Iterator[tuple[Key, str]]:
    """Yield each element of a list under its own name; requirements by the name of the package."""
    requires = any(_DEPENDENCIES.search(each) for each in place)
    for value in values:
        found = _REQUIREMENT.match(value) if requires else None
        if not value.strip() or value.lstrip().startswith("#"):
            continue
        if found is None:
            yield (*place, value), value
            continue
        key = (*place, found[1].lower().replace("_", "-"))
        source = found[3].strip() if found[3].startswith("@") else ""
        yield key, "" if source else found[3].strip()
        for name, held in ((EXTRAS, found[2]), (SOURCE, source), (MARKER, found[4])):
            if held and held.strip():
                yield (*key, name), held.strip()


def _of_ini(text: str) -> dict[Key, str] | None:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    found: dict[Key, str] = {}
    for section in parser.sections():
        for key, value in parser.items(section):
            lines = [line.strip() for line in (value or "").splitlines() if line.strip()]
            listed = len(lines) > 1 or (value or "").startswith("\n")
            found |= dict(_elements(lines, (section, key))) if listed else {(section, key): value or ""}
    return found


def _of_go(text: str) -> Iterator[tuple[Key, str]]:
    inside = ""
    for line in re.sub(r"//(?! indirect).*", "", text).splitlines():
        plain = line.strip()
        if "// indirect" in plain or not plain:
            continue
        if inside:
            inside = "" if plain == ")" else inside
            if inside:
                name, _, value = plain.partition(" ")
                yield (inside, name), value.strip()
        elif found := _OF_GO.match(plain):
            if found[2].strip() == "(":
                inside = found[1]
                continue
            name, _, value = found[2].partition(" ")
            yield ((found[1], name), value.strip()) if value else ((found[1],), name)
