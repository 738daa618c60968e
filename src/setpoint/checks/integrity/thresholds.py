"""Whether a change of tool settings lowers what they demand (rule 6)."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.integrity.paths.protected_paths import Kind, kind_of
from setpoint.model.finding import Category, Finding, Severity

QUALITY_TOOLS = frozenset(
    {
        "pytest", "coverage", "ruff", "mypy", "pyright", "basedpyright", "ty", "pyrefly", "pylint", "bandit",
        "flake8", "tox", "nox", "interrogate", "pydocstyle", "vulture", "mutmut", "setpoint", "diff_cover",
        "importlinter", "black", "isort", "semgrep", "hatch", "detect-secrets", "jscpd",
    }
)  # fmt: skip
_NOT_TOOLS = (
    "metadata", "options", "build", "bdist", "sdist", "aliases", "egg_info", "upload", "install",
    "bumpversion",
)  # fmt: skip
_FLOORS = ("fail_under", "fail-under", "cov-fail-under", "minversion", "min-")
_CEILINGS = ("max-", "max_", "maxfail")
_GROWING = (
    "ignore", "exclude", "omit", "skip", "disable", "norecursedirs", "filterwarnings", "deselect",
    "unfixable",
)  # fmt: skip
_SHRINKING = (
    "select", "testpaths", "files", "packages", "source", "enable", "python_files", "python_functions",
    "python_classes",
)  # fmt: skip
_DEMANDING = (
    "strict", "disallow_", "warn_", "check_untyped_defs", "no_implicit", "xfail_strict", "branch", "require",
    "local_partial_types",
)  # fmt: skip
_LENIENT = ("ignore_errors", "ignore_missing_imports", "skip_", "allow_", "exit_zero", "exit-zero", "preview")
_OPTION_WEAKENS = re.compile(
    r"^(-k|-m|--deselect|--ignore|--ignore-glob|-p$|-pno:|--no-cov|-x|--exitfirst|--lf|--co)"
)
_OPTION_DEMANDS = re.compile(r"^(--strict|-W|--cov|--doctest|-Werror)")

_Flat = Mapping[tuple[str, ...], object]


@dataclass(frozen=True, kw_only=True)
class Lowered:
    """One setting that demands less than at the base."""

    key: str
    before: str
    after: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.key}: {self.before or 'absent'} -> {self.after or 'absent'}"


def tool_settings(path: str, text: str) -> dict[tuple[str, ...], object] | None:
    """Return the settings of quality tools in a file, flat; none where the file cannot be read."""
    name = path.rpartition("/")[2]
    try:
        if name.endswith(".toml"):
            return dict(_flat(_chosen(name, tomllib.loads(text)), ()))
        if name.endswith(".json"):
            return dict(_flat(json.loads(text), ()))
    except (tomllib.TOMLDecodeError, json.JSONDecodeError):
        return None
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    sections = [
        name
        for name in parser.sections()
        if not name.partition(".")[0].partition(":")[0].startswith(_NOT_TOOLS)
    ]
    return {(section, key): value or "" for section in sections for key, value in parser.items(section)}


def lowered(path: str, base: str, now: str) -> tuple[Lowered, ...]:
    """Return the settings that demand less now; a file that can no longer be read demands nothing."""
    before = tool_settings(path, base)
    if before is None:
        return ()
    after = tool_settings(path, now)
    if after is None:
        return (Lowered(key=path, before="readable", after="not readable"),)
    keys = sorted(before.keys() | after.keys())
    return tuple(
        Lowered(key=".".join(key), before=_shown(before.get(key)), after=_shown(after.get(key)))
        for key in keys
        if before.get(key) != after.get(key) and _weaker(key, before.get(key), after.get(key))
    )


def differences(path: str, base: str, now: str) -> dict[tuple[str, ...], tuple[object, object]]:
    """Return the settings of tools that differ, each with its value before and after."""
    before, after = tool_settings(path, base) or {}, tool_settings(path, now) or {}
    keys = before.keys() | after.keys()
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


def surely_no_less(key: tuple[str, ...], before: object, after: object) -> bool:
    """Whether a setting is of a kind that is known, and demands nothing less now."""
    name = key[-1].lower().lstrip("-")
    switches = name.startswith((*_DEMANDING, *_LENIENT)) and _is_switch(before, after)
    lists = any(word in name for word in (*_GROWING, *_SHRINKING))
    known = switches or lists or name.startswith((*_FLOORS, *_CEILINGS))
    return known and after is not None and not _weaker(key, before, after)


def lowered_settings(
    before: Mapping[str, str], after: Mapping[str, str], named: tuple[str, ...]
) -> list[Finding]:
    """Find settings that demand less where nothing is restored; shown, not blocking."""
    return [
        Finding(
            source="integrity",
            rule="lowered",
            severity=Severity.WARNING,
            category=Category.INTEGRITY,
            message=f"{path} demands less ({each})",
            file=path,
            symbol=each.key,
        )
        for path, now in after.items()
        if kind_of(path, named) in (Kind.TABLES, Kind.CONFIGURATION) and not path.endswith(".py")
        for each in lowered(path, before.get(path, ""), now)
    ]


def _chosen(name: str, tables: dict[str, object]) -> Mapping[str, object]:
    if name != "pyproject.toml":
        return tables
    tools = tables.get("tool", {})
    return (
        {tool: table for tool, table in tools.items() if tool in QUALITY_TOOLS}
        if isinstance(tools, dict)
        else {}
    )


def _flat(value: object, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _flat(held, (*place, str(key)))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _flat(item, (*place, str(number)))
    else:
        yield place, value


def _weaker(key: tuple[str, ...], before: object, after: object) -> bool:
    name = key[-1].lower().lstrip("-")
    if name in ("addopts", "args"):
        return _options_weaker(_words(before), _words(after))
    if name.startswith(_FLOORS):
        return _number(after, 0.0) < _number(before, 0.0)
    if name.startswith(_CEILINGS):
        return before is not None and _number(after, float("inf")) > _number(before, float("inf"))
    return _switch_weaker(key, name, before, after) or _list_weaker(key, name, before, after)


def _switch_weaker(key: tuple[str, ...], name: str, before: object, after: object) -> bool:
    if name.startswith(_DEMANDING) and _is_switch(before, after):
        return _true(before) and not _true(after)
    if name.startswith(_LENIENT) and _is_switch(before, after):
        return _true(after) and not _true(before)
    return name.startswith("report") and "pyright" in key[0] and str(after) in ("none", "warning", "False")


def _list_weaker(key: tuple[str, ...], name: str, before: object, after: object) -> bool:
    held, holds = set(_words(before)), set(_words(after))
    if any(word in part for word in _GROWING for part in (name, *key[:-1])):
        more = holds - held
        return any(name != "filterwarnings" or not entry.startswith("error") for entry in more)
    if any(word in name for word in _SHRINKING):
        return (before is not None and bool(held - holds)) or (
            before is None and name in ("testpaths", "files", "source")
        )
    return False


def _options_weaker(before: list[str], after: list[str]) -> bool:
    added = [word for word in after if word not in before]
    gone = [word for word in before if word not in after]
    floors = [_number(word.partition("=")[2], 0.0) for word in before if word.startswith("--cov-fail-under")]
    now = [_number(word.partition("=")[2], 0.0) for word in after if word.startswith("--cov-fail-under")]
    if any(_OPTION_WEAKENS.match(word) for word in added) or (floors and (not now or min(now) < max(floors))):
        return True
    return any(_OPTION_DEMANDS.match(word) and not word.startswith("--cov-fail-under") for word in gone)


def _words(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return [word for word in re.split(r"[\s,]+", str(value)) if word]


def _number(value: object, otherwise: float) -> float:
    try:
        return float(str(value))
    except ValueError:
        return otherwise


def _is_switch(*values: object) -> bool:
    return all(
        value is None or str(value).lower() in ("true", "false", "1", "0", "yes", "no", "on", "off")
        for value in values
    )


def _true(value: object) -> bool:
    return str(value).lower() in ("true", "1", "yes", "on")


def _shown(value: object) -> str:
    return "" if value is None else str(value)[:80]
