"""Why an acceptance command could not answer, read from its end and from what known tools print."""

from __future__ import annotations

import re
from typing import NamedTuple

from setpoint.checks import results
from setpoint.checks.tools.shell_command import tools_of
from setpoint.model.evidence import Fault
from setpoint.system.processes import Completed

_NOT_FOUND = re.compile(
    r"(?:^|: )(?P<name>[^\s:]+): (?:command )?(?:not found|Permission denied)", re.MULTILINE
)
_UNREADABLE = re.compile(
    r"^(?:/bin/)?(?:sh|bash|dash): (?:-c: )?(?:line )?\d+: [Ss]yntax error", re.MULTILINE
)
"""What a shell says of the command itself; of a script it names the file."""
_INSTALLED = ("/", ".venv/", "venv/", "node_modules/", "./node_modules/", "./.venv/")
_STARTS_OTHERS = frozenset({"npm", "pnpm", "yarn", "make", "just", "task", "tox", "nox", "sh", "bash"})
"""Programs whose output may be that of any other."""


class _Sign(NamedTuple):
    """What a tool prints where it cannot answer."""

    tools: tuple[str, ...]
    pattern: re.Pattern[str]
    fault: Fault
    green: bool = False
    """Whether the tool may end with success all the same."""


def _sign(tools: str, pattern: str, fault: Fault, *, green: bool = False) -> _Sign:
    return _Sign(tuple(tools.split()), re.compile(pattern, re.MULTILINE), fault, green)


_SIGNS = (
    _sign("pytest py.test", r"usage: .*\[file_or_dir\]", Fault.USAGE),
    _sign("pytest py.test", r"^(?:ERROR: )?Error importing plugin ", Fault.MISSING_TOOL),
    _sign("pytest py.test", r"file or directory not found: |^ERROR: not found: ", Fault.ABSENT),
    _sign("pytest py.test", r"no tests (?:ran|collected)|^\d+ deselected in ", Fault.NO_TESTS),
    _sign("unittest", r"^Ran 0 tests in ", Fault.NO_TESTS, green=True),
    _sign("node", r": bad option: ", Fault.USAGE),
    _sign("node", r"^Could not find '", Fault.ABSENT),
    _sign("node", r"^(?:#|\u2139) tests 0$", Fault.NO_TESTS, green=True),
    _sign("jest", r"Unrecognized CLI Parameter|Unrecognized option ", Fault.USAGE),
    _sign("jest", r"^No tests found", Fault.NO_TESTS, green=True),
    _sign("vitest mocha", r"Unknown option|Unknown argument", Fault.USAGE),
    _sign("vitest mocha", r"^No test files found", Fault.NO_TESTS, green=True),
    _sign("go", r"flag provided but not defined|^go \S+: unknown command", Fault.USAGE),
    _sign("go", r"^pattern \S+: .*no such file|matched no packages", Fault.ABSENT, green=True),
    _sign("cargo", r"^error: unexpected argument ", Fault.USAGE),
    _sign("npm pnpm yarn", r"[Mm]issing script|Command \"[^\"]+\" not found", Fault.ABSENT),
    _sign("make", r"No rule to make target", Fault.ABSENT),
    _sign("make", r"^make.*: \*\*\* .*Error 127$", Fault.MISSING_TOOL),
    _sign("sh bash", r"^(?:sh|bash|dash): .*(?:cannot open|: No such file)", Fault.ABSENT),
)
_HINTS = {
    Fault.MISSING_TOOL: "install the program, or name another one in the command",
    Fault.USAGE: "correct the options of the command",
    Fault.TIMEOUT: "make the command faster, or raise checks.timeout_s",
    Fault.KILLED: "free memory, or make the command need less",
    Fault.NO_TESTS: "name tests that exist, or let the command select more",
    Fault.ABSENT: "correct the name in the command, or let the work add what it names",
    Fault.UNRELATED: "correct the command: it fails in the same words whatever the files of the project hold",
    Fault.MASKED: "let the command end with the exit status of what it checks",
}


def hint(fault: Fault) -> str:
    """Return what a person can do about a fault of a command."""
    return _HINTS[fault]


def fault_of(command: str, done: Completed) -> Fault | None:
    """Tell why a command could not answer; none where its exit code is an answer."""
    fault = results.fault_of(done)
    text = f"{done.errors}\n{done.text}"
    if fault is Fault.MISSING_TOOL:
        return fault if done.fault else _not_started(text)
    if fault is not None:
        return fault
    if not done.ok and _UNREADABLE.search(done.errors):
        return Fault.USAGE
    tools = tools_of(command)
    for sign in _SIGNS:
        applies = not tools.isdisjoint((*sign.tools, *_STARTS_OTHERS)) and (sign.green or not done.ok)
        if applies and sign.pattern.search(text):
            return sign.fault
    missing = re.search(r"python[\d.]*: No module named (\S+)$", done.errors.strip())
    if missing and missing[1] in tools & _TEST_MODULES:
        return Fault.MISSING_TOOL
    return Fault.NO_TESTS if done.ok and _nothing_ran(tools, text) else None


_TEST_MODULES = frozenset({"pytest", "tox", "nox", "mypy", "ruff", "coverage"})


def _not_started(text: str) -> Fault:
    """Tell a program that is not installed from a file of the tree that is not there."""
    named = _NOT_FOUND.search(text)
    if named is None or "/" not in named["name"] or named["name"].startswith(_INSTALLED):
        return Fault.MISSING_TOOL
    return Fault.ABSENT


def _nothing_ran(tools: frozenset[str], text: str) -> bool:
    """Whether `go test` or `cargo test` ended with success without a single test."""
    if not tools.isdisjoint(("go", *_STARTS_OTHERS)):
        empty = re.search(r"\[no test files\]|\[no tests to run\]", text)
        if empty and not re.search(r"^ok\s+(?!.*\[no tests to run\])", text, re.MULTILINE):
            return True
    ran = [int(count) for count in re.findall(r"^running (\d+) tests?$", text, re.MULTILINE)]
    return not tools.isdisjoint(("cargo", *_STARTS_OTHERS)) and bool(ran) and not any(ran)
