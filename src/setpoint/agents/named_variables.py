"""The variables that an agent's own configuration names: those it gets, and those it would lack in a run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import filter as matching
from pathlib import Path
from typing import Any

from setpoint.agents.launch import Launch, NamesVariables
from setpoint.model.value import Value

_NAME = re.compile(r"[A-Za-z_]\w*")
_HOLE = re.compile(r"\{(\w+)\}")


class NamedVariable(Value):
    """A variable that an agent's configuration names and that the agent does not get."""

    name: str
    where: str
    """The file that names it, or the variable that has it read."""
    given: bool
    """Whether it is set in Setpoint's own environment."""
    needed: bool

    @property
    def told(self) -> str:
        """What is the matter, as the rest of a sentence about the agent."""
        lacks = "is not passed to it" if self.given else "is not set here"
        return f"its configuration ({self.where}) names {self.name}, which {lacks}"

    def hint(self, agent: str) -> str:
        """Return what to do."""
        if not self.given:
            return f"export {self.name}=..., then run the same command again"
        return f"pass it by the settings: {setting_of(agent, (self.name,))}"


def setting_of(agent: str, names: Iterable[str]) -> str:
    """Return the lines of the settings that pass variables to an agent."""
    listed = ", ".join(f'"{name}"' for name in names)
    return f"[agent.{agent}] pass_environment = [{listed}]"


def lacking_variables(launch: Launch, around: Mapping[str, str], root: Path) -> tuple[NamedVariable, ...]:
    """Return the variables that an agent's configuration names and that it would not get.

    Args:
        launch: How the agent starts.
        around: Setpoint's own environment.
        root: The repository whose files may configure the agent, too.

    """
    passed = {each for name in launch.pass_environment for each in matching(around, name)}
    kept = {*passed, *launch.environment}
    seen = {**{name: around[name] for name in passed}, **launch.environment}
    found: dict[str, NamedVariable] = {}
    for rule in launch.names_variables:
        for name, where in _named(rule, {"HOME": around.get("HOME", ""), **seen}, around, root):
            if name not in kept and name not in found:
                given = bool(around.get(name))
                found[name] = NamedVariable(name=name, where=where, given=given, needed=rule.needed)
    # Setpoint names what is not set only where the agent cannot work without it: other entries may lie idle.
    return tuple(each for each in found.values() if each.given or each.needed)


def _named(
    rule: NamesVariables, seen: Mapping[str, str], around: Mapping[str, str], root: Path
) -> Iterator[tuple[str, str]]:
    texts = [(path, _text(path)) for path in _paths(rule.files, seen, root)]
    tables = [(path, text, _table(path, text)) for path, text in texts if text]
    if rule.when:
        switches = [(name, name) for name in rule.when if seen.get(name)]
        switches += [(name, str(path)) for path, text, _ in tables for name in rule.when if name in text]
        for _, where in switches[:1]:
            yield from ((name, where) for each in rule.names for name in matching(around, each))
        return
    for path, text, table in tables:
        values = [text] if not rule.keys else [each for key in rule.keys for each in _values(table, key)]
        for value in values:
            names = re.findall(rule.pattern, value) if rule.pattern else [value]
            yield from ((name, str(path)) for name in names if _NAME.fullmatch(name))


def _paths(files: tuple[str, ...], seen: Mapping[str, str], root: Path) -> Iterator[Path]:
    for each in files:
        head, _, rest = each.partition("/")
        place = {"~": seen.get("HOME", ""), ".": str(root)}.get(head) or seen.get(head.removeprefix("$"), "")
        if place:
            yield Path(place) / rest if rest else Path(place)
            if head.startswith("$"):
                return


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""  # the agent itself reports what it cannot read


def _table(path: Path, text: str) -> object:
    try:
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except ValueError:
        return None


def _values(table: object, dotted: str) -> Iterator[str]:
    """Yield the texts at a place of a configuration."""
    top: dict[str, Any] = table if isinstance(table, dict) else {}
    places: list[object] = [top]
    for key in dotted.split("."):
        hole = _HOLE.fullmatch(key)
        wanted = str(top.get(hole[1], "")) if hole else key
        places = [inner for place in places for inner in _inner(place, wanted)]
    yield from (each for each in places if isinstance(each, str))


def _inner(place: object, key: str) -> list[object]:
    if isinstance(place, list):
        return place if key == "*" else []
    if not isinstance(place, dict):
        return []
    return list(place.values()) if key == "*" else [place[key]] if key in place else []
