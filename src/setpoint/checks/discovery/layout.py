"""How a project is laid out: its packages, its tests and its configuration, read from the base commit."""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from setpoint.checks.discovery.linked_packages import FOLDER as INSTALLED
from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.own_commands.found import NAMING, own_commands
from setpoint.checks.discovery.own_commands.gates import SETTINGS, gate_of
from setpoint.checks.discovery.own_commands.python_call import PythonCall, python_call
from setpoint.checks.discovery.own_commands.unread import unread
from setpoint.checks.discovery.package_suites import Found, found_suites, manifests, package_folders
from setpoint.checks.discovery.python_packages import READ_BELOW, TestRoot, test_roots
from setpoint.checks.discovery.tool_folders import used_below
from setpoint.checks.discovery.tool_usage import sources_among, use_of
from setpoint.checks.discovery.workspace_manifests import package_manifests, read_workspaces
from setpoint.checks.discovery.workspaces import Workspaces
from setpoint.model.changes.test_paths import is_test_path
from setpoint.presets import Signs, presets

_RUNNERS = {
    "pytest": Signs(
        files=("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
        tables=("pytest",),
        sections=("tool:pytest", "pytest"),
    ),
    "coverage": Signs(files=(".coveragerc",), tables=("coverage",), sections=("coverage:",)),
}
"""What shows that a project configures its tests; the tools of the presets have signs of their own."""
_NOT_PACKAGES = frozenset({"docs", "doc", "examples", "example", "scripts", "benchmarks", "tools", "bench"})


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the base commit says about the project."""

    files: tuple[str, ...]
    """Every file of the base commit."""
    packages: tuple[str, ...]
    """Top-level packages and modules outside the tests, as paths."""
    imports: tuple[str, ...]
    """Folders of the tree from which the project's code is imported, nearest first."""
    tests: tuple[str, ...]
    """Python files that hold tests."""
    configured: Mapping[str, str]
    """The file that configures a tool, by tool: pytest, coverage, and those of the presets."""
    nested: Mapping[str, str] = field(default_factory=dict)
    """A settings file below the root, by tool that obeys such; of tools with none at the root."""
    used: Mapping[str, str] = field(default_factory=dict)
    """Tools of the presets that the project's people use, with the reason for each; configured ones first."""
    suggested: Mapping[str, str] = field(default_factory=dict)
    """Tools that only a lock file or a CI server names, with the reason for each."""
    pinned: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The version of a tool that a file of the project names, and that file, by tool."""
    for_unittest: bool = False
    """The tests are written for unittest, and none of them needs pytest."""
    names_files: frozenset[str] = frozenset()
    """Tools whose own configuration says which files they look at."""
    suites: Mapping[str, Found] = field(default_factory=dict)
    """Runners of tests in other languages than Python, by preset."""
    packages_said: Mapping[str, str] = field(default_factory=dict)
    """The text of each `package.json`, by path."""

    python_call: PythonCall | None = None
    """How the project's own test command calls pytest or unittest; none: it calls neither."""
    own: tuple[OwnCommand, ...] = ()
    """Commands that the project's people type for tests, lint, types and build."""
    gate: str = ""
    """What makes the test command of the root fail though its tests pass; empty where nothing does."""
    unread: tuple[str, ...] = ()
    """What the files of the test commands say that is not read, each with where it is."""
    workspaces: Workspaces = field(default_factory=Workspaces)
    """The packages of the repository, and which needs which."""
    test_roots: tuple[TestRoot, ...] = ()
    """Packages of Python that run pytest each on its own; none where one run at the root does all."""

    @property
    def package_folders(self) -> tuple[str, ...]:
        """Folders with a `package.json`, in which packages may be installed."""
        return package_folders(self.files)

    @property
    def committed_packages(self) -> frozenset[str]:
        """Folders of installed packages that the project keeps under version control."""
        parts = (file.partition(f"{INSTALLED}/") for file in self.files if INSTALLED in file.split("/"))
        return frozenset(f"{before}{INSTALLED}" for before, _, _ in parts)

    @property
    def loose_folders(self) -> tuple[str, ...]:
        """Folders below the root with code of Python outside packages, which may be loaded by path."""
        python = (file for file in self.files if file.endswith(".py") and "/" in file)
        code = (file for file in python if not (is_test_path(file) or file in self.tests or _script(file)))
        folders = {file.rpartition("/")[0] for file in code}
        inside = tuple(f"{package}/" for package in self.packages)
        loose = (each for each in folders if not f"{each}/".startswith(inside) and not _aside(each))
        return tuple(sorted(each for each in loose if "," not in each))

    @property
    def pytest_config(self) -> bool:
        """Whether the project configures pytest at its root."""
        return "pytest" in self.configured

    def owns(self, module: str) -> bool:
        """Whether a top-level module is the project's own."""
        names = {package.rpartition("/")[2].removesuffix(".py") for package in self.packages}
        tests = {part.removesuffix(".py") for file in self.tests for part in file.split("/")}
        return module in names | tests


@cache
def signs_of_tools() -> Mapping[str, Signs]:
    """Return what shows that a project uses a tool, by tool."""
    return _RUNNERS | {name: preset.signs for name, preset in presets().items()}


def configuration(files: tuple[str, ...]) -> list[str]:
    """Name those of the files at the root that say with what the project is measured."""
    named = {"pyproject.toml", "setup.cfg", "tox.ini", "package.json", *NAMING}
    named |= {file for signs in signs_of_tools().values() for file in signs.files}
    named |= {*filter(SETTINGS.match, files)}
    below = (file for file in files if file.endswith(".mk") or ("/" in file and _may_configure_below(file)))
    packages = (*manifests(files), *package_manifests(files))
    return sorted({*(named & set(files)), *sources_among(files), *packages, *below})


def read_layout(
    files: tuple[str, ...], texts: Mapping[str, str], harmful: Mapping[str, str] | None = None
) -> Layout:
    """Read the layout from the list of files and the text of those that `configuration` names.

    `harmful` says why own commands are never run, by file and what people type, where they do not show it.
    """
    python = [file for file in files if file.endswith(".py")]
    configured, use = _configured(texts), use_of(texts)
    files_of = {name: f"{name} is configured in {file}" for name, file in configured.items()}
    packages = _packages(python)
    tests = tuple(file for file in python if is_test_path(file) and not file.endswith("conftest.py"))
    own = tuple(_guarded(each, harmful or {}) for each in own_commands(texts, files))
    from_src = any(package.startswith("src/") for package in packages) and "src/__init__.py" not in files
    said = {name: text for name, text in texts.items() if name.rpartition("/")[2] == "package.json"}
    return Layout(
        files=files,
        packages=packages,
        imports=("src", "") if from_src else ("",),
        tests=tests,
        configured=configured,
        nested={name: file for name, file in _nested(texts).items() if name not in configured},
        used={
            **used_below(files, said),
            **use.certain,
            **{name: why for name, why in files_of.items() if name in presets()},
        },
        suggested={name: why for name, why in use.suggested.items() if name not in configured},
        pinned=use.pinned,
        names_files=_naming_files(configured, texts),
        suites=found_suites(files, texts, own),
        own=own,
        gate=gate_of(own, texts, configured),
        unread=unread(texts, own),
        python_call=python_call(own, tests),
        packages_said=said,
        workspaces=read_workspaces(texts),
        test_roots=() if _at_the_root(configured, own) else test_roots(files, texts),
    )


def _guarded(command: OwnCommand, harmful: Mapping[str, str]) -> OwnCommand:
    why = command.excluded or harmful.get(f"{command.file} {command.shown}", "")
    return replace(command, excluded=why)


def _packages(python: list[str]) -> tuple[str, ...]:
    folders = {file.rpartition("/")[0] for file in python if file.endswith("/__init__.py")}
    top = {folder for folder in folders if folder.rpartition("/")[0] not in folders}
    modules = {file for file in python if file.rpartition("/")[0] in ("", "src") and not _script(file)}
    found = {package for package in top | modules if not _aside(package)}
    return tuple(sorted(found))


def _script(file: str) -> bool:
    return file.rpartition("/")[2] in ("setup.py", "conftest.py", "noxfile.py", "tasks.py", "__init__.py")


def _aside(package: str) -> bool:
    parts = package.split("/")
    return (
        is_test_path(package if package.endswith(".py") else f"{package}/x.py") or parts[0] in _NOT_PACKAGES
    )


def _configured(texts: Mapping[str, str]) -> dict[str, str]:
    tables = _tool_tables(texts.get("pyproject.toml", ""))
    sections = {name: _parsed(texts[name]).sections() for name in ("setup.cfg", "tox.ini") if name in texts}
    keys = _keys(texts.get("package.json", ""))
    found: dict[str, str] = {}
    for tool, signs in signs_of_tools().items():
        places = (
            *(name for name in signs.files if name in texts),
            *("pyproject.toml" for table in signs.tables if _inner(tables, table) is not None),
            *(file for file in sections for wanted in signs.sections if _holds(sections[file], wanted)),
            *("package.json" for key in signs.keys if key in keys),
        )
        if places:
            found[tool] = places[0]
    return found


def _at_the_root(configured: Mapping[str, str], own: tuple[OwnCommand, ...]) -> bool:
    """Whether the project's people run pytest once, at the root."""
    call = python_call(each for each in own if not each.folder)
    return "pytest" in configured or (call is not None and call.runner == "pytest")


@cache
def _obeyed_below() -> Mapping[str, Signs]:
    return {name: preset.signs for name, preset in presets().items() if preset.nested}


def _may_configure_below(file: str) -> bool:
    *folders, name = file.split("/")
    named = {file for signs in _obeyed_below().values() for file in signs.files}
    return name in {"pyproject.toml", *READ_BELOW, *named} and INSTALLED not in folders


def _nested(texts: Mapping[str, str]) -> dict[str, str]:
    """Find the settings below the root, by tool that obeys such."""
    found: dict[str, str] = {}
    for file in sorted(each for each in texts if "/" in each):
        name = file.rpartition("/")[2]
        tables = _tool_tables(texts[file]) if name == "pyproject.toml" else {}
        keys = _keys(texts[file]) if name == "package.json" else frozenset()
        for tool, signs in _obeyed_below().items():
            told = any(_inner(tables, table) is not None for table in signs.tables)
            if name in signs.files or told or not keys.isdisjoint(signs.keys):
                found.setdefault(tool, file)
    return found


def _naming_files(configured: Mapping[str, str], texts: Mapping[str, str]) -> frozenset[str]:
    """Find the tools whose own configuration says which files they look at."""
    found = set()
    for tool, file in configured.items():
        signs = signs_of_tools()[tool]
        if signs.names_files and _names_files(file, texts[file], signs):
            found.add(tool)
    return frozenset(found)


def _names_files(file: str, text: str, signs: Signs) -> bool:
    if file.endswith(".json"):
        return any(f'"{key}"' in text for key in signs.names_files)
    if file == "pyproject.toml":
        tables = [_inner(_tool_tables(text), table) or {} for table in signs.tables]
    elif file.endswith(".toml"):
        tables = [_toml(text)]
    else:
        parser = _parsed(text)
        return any(parser.has_option(section, key) for section in signs.sections for key in signs.names_files)
    return any(_inner(table, key) is not None for table in tables for key in signs.names_files)


def _inner(table: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401 - whatever TOML holds
    """Return the value at a dotted path; none if there is none."""
    value: Any = table
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _holds(sections: list[str], wanted: str) -> bool:
    return any(each == wanted or (wanted[-1] == ":" and each.startswith(wanted)) for each in sections)


def _keys(text: str) -> frozenset[str]:
    try:
        found = json.loads(text) if text else {}
    except json.JSONDecodeError:
        return frozenset()  # the project's tools will say so themselves, as errors
    return frozenset(found) if isinstance(found, dict) else frozenset()


def _tool_tables(text: str) -> Mapping[str, Any]:
    tables = _toml(text).get("tool", {})
    return tables if isinstance(tables, dict) else {}


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}  # as above


def _parsed(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()  # as above
    return parser
