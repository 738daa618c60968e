"""Where failing tests start processes of their own, in which a search sees no line."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.model.syntax import parse

_MOST_NAMED = 3
_MODULES = frozenset({"subprocess", "multiprocessing", "pexpect"})
_OF_OS = frozenset({"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "spawnv", "spawnl"})
_OF_ASYNCIO = frozenset({"create_subprocess_exec", "create_subprocess_shell"})


def started_in(tree: str, tests: Iterable[str]) -> tuple[str, ...]:
    """Name the calls in the files of tests that start a process, each with its file."""
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    return tuple(f"`{call}` in {file}" for file in files for call in _calls(Path(tree) / file))


def out_of_reach(started: tuple[str, ...]) -> Breakage:
    """Say that the search cannot reach what the tests run, so that another agent can begin at once."""
    named = ", ".join(started[:_MOST_NAMED])
    message = (
        f"the mechanic cannot repair this: the failing tests start processes ({named}), "
        "and it follows the code of their own process alone; "
        "hint: choose another agent with --agent (`setpoint agents` lists them)"
    )
    return Breakage(kind=BreakageKind.MISSING, message=message)


def _calls(path: Path) -> Iterator[str]:
    try:
        module = parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    found = (ast.unparse(node.func) for node in ast.walk(module) if isinstance(node, ast.Call))
    yield from dict.fromkeys(call for call in found if _starts(call))


def _starts(call: str) -> bool:
    module, _, name = call.partition(".")
    if module == "os":
        return name in _OF_OS
    return module in _MODULES or (module == "asyncio" and name in _OF_ASYNCIO)
