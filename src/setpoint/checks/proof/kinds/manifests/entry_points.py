"""Read which commands and hooks manifests declare: what runs at an install, a build, or for a user."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from setpoint.model import syntax

BACKEND = "build-backend"
_LIFECYCLE = re.compile(
    r"(pre|post)?(install|uninstall|pack|publish|prepare|version|shrinkwrap)|prepublishOnly|dependencies"
)
"""Scripts of a `package.json` that npm runs by itself."""
_INSTALLED = re.compile(
    r"(^|/)(build\.rs|\.pnpmfile\.cjs|\.npmrc|\.yarnrc(\.yml)?|binding\.gyp|bunfig\.toml|\.envrc)$"
    r"|(^|/)(\.husky|\.githooks|\.devcontainer|\.vscode)/",
    re.IGNORECASE,
)
"""Files that run, or let run, when a project is installed, built or opened."""
_GENERATES = re.compile(rb"^//go:generate\s+(.+)$", re.MULTILINE)
_ACTIVE = frozenset({"cmdclass", "ext_modules", "scripts", "entry_points", "setup_requires", "distclass"})
"""Arguments of `setup()` that name what runs."""
_PLAIN_CALLS = frozenset(
    {
        "setup", "find_packages", "find_namespace_packages", "open", "read", "read_text", "Path", "join",
        "dirname", "abspath", "realpath", "resolve", "strip", "split", "splitlines", "search", "match",
        "group", "format", "replace", "decode", "relpath", "compile", "findall", "str", "list", "dict",
        "sorted", "len", "with_name", "joinpath",
    }
)  # fmt: skip
_HOOKS = (("setuptools", "cmdclass"), ("hatch", "build", "hooks"), ("poetry", "build"), ("pdm", "build"))


class Entry(NamedTuple):
    """One thing that can run without a test."""

    path: str
    name: str
    runs: str
    """The command or target."""
    by_itself: bool
    """Whether a tool runs it unasked; else a user calls it."""


def all_entries(files: Mapping[str, bytes]) -> Iterator[Entry]:
    """Yield what manifests and files that tools look for let run."""
    for path, content in files.items():
        name = path.rpartition("/")[2].lower()
        text = content.decode("utf-8", "replace")
        if name == "package.json":
            yield from _of_npm(path, text)
        elif name in ("pyproject.toml", "cargo.toml"):
            yield from _of_toml(path, text)
        elif name == "setup.cfg":
            yield from _of_setup(path, text)
        elif name == "setup.py":
            yield from _of_setup_code(path, content)
        elif _INSTALLED.search(path):
            yield Entry(path, path, text, by_itself=True)
        elif name.endswith(".go"):
            for each in _GENERATES.findall(content):
                yield Entry(path, "go:generate", each.decode("utf-8", "replace").strip(), by_itself=True)


def _of_npm(path: str, text: str) -> Iterator[Entry]:
    try:
        held = json.loads(text)
    except json.JSONDecodeError:
        return
    if not isinstance(held, dict):
        return
    scripts = _table(held, "scripts")
    for name, command in scripts.items():
        around = name[3:] if name.startswith("pre") else name[4:] if name.startswith("post") else ""
        if _LIFECYCLE.fullmatch(name) or around in scripts:
            yield Entry(path, name, str(command), by_itself=True)
    programs = held.get("bin")
    own = programs if isinstance(programs, dict) else {held.get("name"): programs}
    for program, target in own.items():
        if target:
            yield Entry(path, str(program), str(target), by_itself=False)
    if held.get("gypfile"):
        yield Entry(path, "gypfile", "", by_itself=True)


def _of_toml(path: str, text: str) -> Iterator[Entry]:
    try:
        held = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    yield from _commands(path, held)
    yield from _builds(path, held)


def _commands(path: str, held: Mapping[str, object]) -> Iterator[Entry]:
    project = _table(held, "project")
    poetry = _table(_table(held, "tool"), "poetry")
    groups = _table(project, "entry-points")
    tables = [_table(project, "scripts"), _table(project, "gui-scripts"), _table(poetry, "scripts")]
    for each in (*tables, *(_table(groups, name) for name in groups)):
        for name, target in each.items():
            yield Entry(path, name, str(target), by_itself=False)


def _builds(path: str, held: Mapping[str, object]) -> Iterator[Entry]:
    system = _table(held, "build-system")
    if backend := [system[key] for key in (BACKEND, "backend-path") if key in system]:
        yield Entry(path, BACKEND, str(backend), by_itself=True)
    for keys in _HOOKS:
        found = _table(held, "tool")
        for key in keys[:-1]:
            found = _table(found, key)
        if found.get(keys[-1]):
            yield Entry(path, ".".join(keys), str(found[keys[-1]]), by_itself=True)
    if build := _table(held, "package").get("build"):
        yield Entry(path, "build", str(build), by_itself=True)
    if _table(held, "lib").get("proc-macro"):
        yield Entry(path, "proc-macro", "", by_itself=True)


def _of_setup_code(path: str, content: bytes) -> Iterator[Entry]:
    """Yield statements of a `setup.py` that do more than read texts, and arguments that name what runs."""
    try:
        module = syntax.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in module.body:
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        names = [ast.unparse(each.func).rpartition(".")[2] for each in calls]
        for each, name in zip(calls, names, strict=True):
            for word in each.keywords if name == "setup" else ():
                if (given := word.arg or "") in _ACTIVE:
                    yield Entry(path, given, ast.unparse(word.value), by_itself=True)
        if any(name not in _PLAIN_CALLS for name in names) and "setup" not in names:
            yield Entry(path, path, ast.unparse(node), by_itself=True)


def _of_setup(path: str, text: str) -> Iterator[Entry]:
    within = re.search(r"^\[options\.entry_points\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    for name, target in (
        re.findall(r"^[ \t]+([\w.-]+)[ \t]*=[ \t]*(\S+)", within[1], re.MULTILINE) if within else ()
    ):
        yield Entry(path, name, target, by_itself=False)


def _table(held: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = held.get(key)
    return found if isinstance(found, dict) else {}
