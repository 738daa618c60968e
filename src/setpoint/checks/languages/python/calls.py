"""Record the calls of Python functions, and make them again."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.languages.random_text import word
from setpoint.checks.languages.replay import Replay, Started
from setpoint.model import syntax
from setpoint_probe.wire.calls import RECORDER, REPLAY

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FILE_OF_TEST = """\
import runpy
import unittest


class TestAgain(unittest.TestCase):
    def test_again(self):
        runpy.run_path({replay!r})["replay"]({order!r}, outside=False)
"""


class PythonCalls:
    """Calls of functions and methods in Python, by a decorator below all others."""

    runners = frozenset(("",))

    def owns(self, path: str) -> bool:
        """Whether a file is a source in Python."""
        return path.endswith(".py")

    def instrumented(
        self, path: str, source: bytes, names: Collection[str] | None, folder: str
    ) -> bytes | None:
        """Return a source with a decorator on each function that is asked for."""
        try:
            tree = syntax.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None
        lines = source.splitlines(keepends=True)
        wanted = [(name, node) for name, node in _functions(tree) if names is None or name in names]
        for name, node in wanted:
            indent = lines[node.lineno - 1][: node.col_offset]
            if not indent.strip():
                text = f"{_recorder(folder)}.noting({f'{path}::{name}'!r})".encode()
                lines[node.lineno - 1] = b"%b@%b\n%b" % (indent, text, lines[node.lineno - 1])
        return b"".join(lines) if wanted else None

    def is_public(self, name: str) -> bool:
        """Whether no part of a name begins with one underscore."""
        return not any(part.startswith("_") and not part.endswith("__") for part in name.split("."))

    def outside(self, replay: Replay) -> Started | None:
        """Return a command for the project's interpreter, in which no test runner can be imported."""
        return Started((replay.project.interpreter.path, str(REPLAY), str(replay.order)), _variables(replay))

    def control(self, replay: Replay) -> Started | None:
        """Write a file with one test; the runner reads no configuration and no set-up of the project."""
        file, empty = replay.scratch / f"test_{word()}.py", replay.scratch / "empty.ini"
        file.write_text(_FILE_OF_TEST.format(replay=str(REPLAY), order=str(replay.order)), "utf-8")
        python, variables = replay.project.interpreter.path, _variables(replay)
        if "unittest" in replay.project.chosen:
            found = ("discover", "-s", str(replay.scratch), "-p", file.name)
            return Started((python, "-m", "unittest", *found), variables)
        empty.write_text("[pytest]\n", "utf-8")
        bare = ("-c", str(empty), "--noconftest", f"--rootdir={replay.scratch}", "-p", "no:cacheprovider")
        variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        return Started((python, "-m", "pytest", "-q", *bare, str(file)), variables)


def _variables(replay: Replay) -> dict[str, str]:
    known = environment_of_tests(replay.project.interpreter, replay.tree, replay.project.layout)
    return {**known, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(replay.scratch)}


def _functions(
    node: ast.AST, prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield functions and methods; those inside functions cannot be named from outside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            yield f"{prefix}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt):
            yield from _functions(child, prefix)


def _recorder(folder: str) -> str:
    noted = "__import__('sys').modules.get('setpoint_calls')"
    begun = f"__import__('runpy').run_path({str(RECORDER)!r})['start']({folder!r})"
    return f"({noted} or {begun})"
