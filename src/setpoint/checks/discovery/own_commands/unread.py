"""What the files of own commands say that no reader takes: a person sees why tests run in another way."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import yaml

from setpoint.checks.discovery.own_commands.command import NAMES, Kind, OwnCommand
from setpoint.checks.discovery.own_commands.makefile import MAKEFILES
from setpoint.model import syntax

_UNREADABLE = (
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
    yaml.YAMLError,
)
_DOTENV = re.compile(r"^set\s+(dotenv-\w+)(?!.*false)", re.MULTILINE)
_INCLUDED = re.compile(r"^-?s?include\s+(?:\S+\s+)*?(\S*\.env\b\S*)", re.MULTILINE)
_OF_GO = re.compile(r"\bgo\s+test\b[^\n&;|]*?\s--?(run|skip)\b")
_ONCE = "the command is run once without it"
_FILE = "variables of a file are not known"


def unread(texts: Mapping[str, str], own: Iterable[OwnCommand]) -> tuple[str, ...]:
    """Say what is not read of the files that name the test commands, each with where it is."""
    found = list[str]()
    tests = [each for each in own if each.kind is Kind.TEST]
    for file, text in texts.items():
        mine = [each for each in tests if each.file == file]
        for matches, read in _READERS:
            if matches(file) and (mine or read is _tables):
                try:
                    found += [f"{file}: {each}" for each in read(text, mine)]
                except _UNREADABLE:
                    continue  # its reader takes nothing from it, either
    found += [
        f"{each.file}: `-{flag}` of `go test` is not read: all tests run"
        for each in tests
        for flag in _OF_GO.findall(each.script)
    ]
    return tuple(dict.fromkeys(found))


def _workflow(text: str, own: list[OwnCommand]) -> Iterator[str]:
    """Name the matrix of each job that runs a command for tests."""
    for name, job in yaml.safe_load(text)["jobs"].items():
        runs = [str(step.get("run", "")) for step in job.get("steps", ())]
        taken = any(each.shown in run for each in own for run in runs)
        if taken and (job.get("strategy") or {}).get("matrix"):
            yield f"jobs.{name}.strategy.matrix is not read: {_ONCE}"


def _nox(text: str, own: list[OwnCommand]) -> Iterator[str]:
    """Name the parameters of a session."""
    sessions = {each.shown.rpartition(" ")[2] for each in own}
    for node in syntax.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = [ast.unparse(each) for each in node.decorator_list]
            named = node.name in sessions or any(
                f"name={name!r}" in mark for name in sessions for mark in marks
            )
            if named and any("parametrize(" in mark for mark in marks):
                yield f"@nox.parametrize of {node.name} is not read: {_ONCE}"


def _just(text: str, own: list[OwnCommand]) -> Iterator[str]:
    yield from (f"`set {each}` is not read: {_FILE}" for each in _DOTENV.findall(text) if own)


def _make(text: str, own: list[OwnCommand]) -> Iterator[str]:
    yield from (f"`include {each}` is not read: {_FILE}" for each in _INCLUDED.findall(text) if own)


def _tables(text: str, own: list[OwnCommand]) -> Iterator[str]:
    """Name what tasks of hatch, pdm and poe say; a task that is only a switch makes no command."""
    whole = tomllib.loads(text)
    tool = whole.get("tool", {})
    hatch, prefix = (tool["hatch"], "tool.hatch.") if "hatch" in tool else (whole, "")
    if any(each.shown.startswith("hatch ") for each in own):
        yield from _hatch(hatch.get("envs", {}), f"{prefix}envs", own)
    poe, pdm = tool.get("poe", {}), tool.get("pdm", {}).get("scripts", {})
    tasks = poe.get("tasks", {})
    yield from _of_tasks(tasks, "tool.poe.tasks", ("switch", "envfile"))
    yield from _of_tasks(pdm, "tool.pdm.scripts", ("env_file",))
    if poe.get("envfile") and any(name in tasks for name in NAMES[Kind.TEST]):
        yield f"tool.poe.envfile is not read: {_FILE}"
    if (pdm.get("_") or {}).get("env_file"):
        yield f"tool.pdm.scripts._.env_file is not read: {_FILE}"


def _hatch(environments: Mapping[str, Any], place: str, own: list[OwnCommand]) -> Iterator[str]:
    for name, each in environments.items():
        used = any(one.shown.startswith(f"hatch run {name}:") for one in own)
        if used or name == "default":
            yield from (
                f"{place}.{name}.{key} is not read: {_ONCE}" for key in ("matrix", "overrides") if key in each
            )


def _of_tasks(tasks: Mapping[str, Any], place: str, keys: tuple[str, ...]) -> Iterator[str]:
    for name in NAMES[Kind.TEST]:
        task = tasks.get(name)
        held = task if isinstance(task, dict) else {}
        for key in keys:
            if key in held:
                why = "which case holds is not known" if key == "switch" else _FILE
                yield f"{place}.{name}.{key} is not read: {why}"


_READERS: tuple[tuple[Callable[[str], bool], Callable[[str, list[OwnCommand]], Iterator[str]]], ...] = (
    (lambda file: file.startswith(".github/workflows/"), _workflow),
    (lambda file: file == "noxfile.py", _nox),
    (lambda file: file in ("justfile", ".justfile", "Justfile"), _just),
    (lambda file: file in MAKEFILES, _make),
    (lambda file: file in ("pyproject.toml", "hatch.toml"), _tables),
)
