"""How the project's own test command calls pytest or unittest, as far as it changes how tests run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand
from setpoint.checks.discovery.own_commands.steps import started, testing
from setpoint.checks.discovery.own_commands.variables import for_tests, variables_at
from setpoint.model.shell import Part, call_of, parts

_PYTHON = re.compile(r"python[\d.]*|pypy\d*|py")
_KEPT = (
    "-p",
    "-o",
    "-c",
    "-m",
    "-k",
    "--import-mode",
    "--ignore",
    "--ignore-glob",
    "--deselect",
    "--doctest-glob",
)
"""Options of pytest that are kept, each with a value."""
_PLAIN = ("--doctest-modules", "--pyargs", "--strict-markers", "--doctest-continue-on-failure")
"""Those without one."""
_DOCTESTS = "--doctest-modules"
_PATHS = ("-c", "--ignore", "--ignore-glob", "--deselect")
"""Those whose value is a path."""
_PREFIX = 2
_LONG = "--"


@dataclass(frozen=True, kw_only=True)
class PythonCall:
    """One call of a Python runner, without what changes only the output, the speed or the measuring."""

    runner: Literal["pytest", "unittest"]
    options: tuple[str, ...] = ()
    """Of pytest."""
    targets: tuple[str, ...] = ()
    """Where doctests are collected; empty: wherever pytest looks by itself."""
    pattern: str = "test*.py"
    """Names of the files in which unittest looks."""
    start: str = ""
    """The folder below which it looks."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables that the command sets for it; `$PWD` in a value is the root of the tree."""
    before: str = ""
    """Steps that come first, for example code that is generated; empty where there are none."""
    shown: str = ""
    """How people type the command."""

    def takes(self, file: str) -> bool:
        """Whether unittest loads a file of tests."""
        below = not self.start or file.startswith(f"{self.start}/")
        return below and fnmatchcase(file.rpartition("/")[2], self.pattern)


def python_call(own: Iterable[OwnCommand], tests: Collection[str] = ()) -> PythonCall | None:
    """Find the call in the test command of the root; none where it calls neither.

    Where the root has none, that of the one folder that holds all files of tests counts.
    """
    known = [each for each in own if each.kind is Kind.TEST and not each.excluded]
    found = (_call_in(each) for each in known if not each.folder)
    if call := next(filter(None, found), None):
        return call
    below = [
        each for each in known if each.folder and all(file.startswith(f"{each.folder}/") for file in tests)
    ]
    call = _call_in(below[0]) if tests and len(below) == 1 else None
    return _from_root(call, below[0].folder) if call else None


def calls_python(step: Part) -> bool:
    """Whether a step starts pytest or unittest."""
    call = call_of(step)
    return call is not None and _read(started(call.words)) is not None


def _call_in(command: OwnCommand) -> PythonCall | None:
    steps = parts(command.script) if command.opaque else command.steps
    for at, step in enumerate(steps):
        call = call_of(step)
        words = started(call.words) if call else ()
        if found := _read(words):
            made = _in_command(found, replace(command, steps=tuple(steps)), at)
            return replace(made, before="") if command.opaque else made
    return None


def _from_root(call: PythonCall, folder: str) -> PythonCall:
    """Write a call that is made in a folder as one that is made at the root; steps before it are left out."""
    options, last = list[str](), ""
    for word in call.options:
        name, has, value = word.partition("=")
        moved = f"{name}={folder}/{value}" if has and name in _PATHS else word
        options.append(f"{folder}/{word}" if last in _PATHS else moved)
        last = word
    variables = {name: value.replace("$PWD", f"$PWD/{folder}") for name, value in call.variables}
    if places := variables.get("PYTHONPATH"):
        each = (
            part if part.startswith(("/", "$")) else f"{folder}/{part}" for part in places.split(":") if part
        )
        variables["PYTHONPATH"] = ":".join(each)
    return replace(
        call,
        options=tuple(options),
        targets=tuple(f"{folder}/{each}" for each in call.targets),
        start=f"{folder}/{call.start}".rstrip("/"),
        variables=tuple(variables.items()),
        before="",
    )


def _in_command(call: PythonCall, command: OwnCommand, at: int) -> PythonCall:
    """Add what the command around a call sets and runs first, and the options of `PYTEST_ADDOPTS`."""
    variables = variables_at(command.steps, at)
    more = _of_pytest(variables.get("PYTEST_ADDOPTS", "").split()).options if call.runner == "pytest" else ()
    before = testing([step for step in command.steps[:at] if step.words[0] != "export"])
    moved = any(step.words[0] == "cd" for step in command.steps[:at])
    return replace(
        call,
        options=(*more, *call.options),
        variables=for_tests(variables),
        before="" if moved else before,
        shown=command.shown,
    )


def _read(words: Sequence[str]) -> PythonCall | None:
    names = [word.rpartition("/")[2] for word in words]
    for at, name in enumerate(names):
        begins = at == 0 or names[at - 1] == "-m" or names[0] in ("coverage", "uv", "poetry", "pdm", "hatch")
        if begins and name in ("pytest", "py.test"):
            return _of_pytest(words[at + 1 :])
        if begins and name == "unittest" and any(_PYTHON.fullmatch(each) for each in (*names[:at], "py")):
            return _of_unittest(words[at + 1 :])
    return None


def _of_pytest(words: Sequence[str]) -> PythonCall:
    options, targets, left = list[str](), list[str](), list(words)
    while left:
        word = left.pop(0)
        name = word.partition("=")[0]
        if word in _PLAIN or (name in _KEPT and "=" in word):
            options.append(word)
        elif word in _KEPT and left:
            options += [word, left.pop(0)]
        elif not word.startswith("-"):
            targets.append(word)
        elif len(word) == _PREFIX and not word.startswith(_LONG) and word in ("-n", "-W", "-r") and left:
            left.pop(0)
    doctests = _DOCTESTS in options
    return PythonCall(runner="pytest", options=tuple(options), targets=tuple(targets) if doctests else ())


def _of_unittest(words: Sequence[str]) -> PythonCall:
    found, left, places = {"-p": "test*.py", "-s": ""}, [*words], list[str]()
    long = {"--pattern": "-p", "--start-directory": "-s"}
    while left:
        name, _, value = left.pop(0).partition("=")
        key = long.get(name, name)
        if key in found:
            found[key] = value or (left.pop(0) if left else found[key])
        elif not name.startswith("-") and name != "discover":
            places.append(name)
    start = (found["-s"] or (places[0] if places and "discover" in words else "")).strip("./")
    return PythonCall(runner="unittest", pattern=found["-p"], start=start)
