"""Record the calls of JavaScript and TypeScript functions, and make them again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.languages.random_text import word
from setpoint.checks.languages.replay import Replay, Started
from setpoint.checks.parsing import functions_of, parser_of, suffix_of, text_of
from setpoint_probe.wire.calls import SCRIPT_RECORDER, SCRIPT_REPLAY

if TYPE_CHECKING:
    from tree_sitter import Node

_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
_LEFT_OUT = frozenset({"generator_function_declaration", "generator_function"})
_PARAMETERS = ("pattern", "left")
_CONTROL = """\
const {{ replay }} = require({replay});
test("again", () => replay({order}, (path) => import(path)));
"""


class ScriptCalls:
    """Calls of functions that a module exports; methods of objects are left out."""

    runners = frozenset({"vitest", "jest", "node_test"})

    def owns(self, path: str) -> bool:
        """Whether a file is JavaScript or TypeScript without markup."""
        return path.endswith(_SUFFIXES) and not path.endswith(".d.ts")

    def instrumented(
        self, path: str, source: bytes, names: Collection[str] | None, folder: str
    ) -> bytes | None:
        """Return a source in which functions outside of classes pass what they do to a recorder."""
        parser = parser_of(suffix_of(path))
        if parser is None:
            return None
        found: list[tuple[int, str]] = []
        for name, node in functions_of(parser.parse(source).root_node):
            if "." not in name and (names is None or name in names):
                found += _recording(f"{path}::{name}", node, folder)
        for offset, text in sorted(found, reverse=True):
            source = source[:offset] + text.encode() + source[offset:]
        return source if found else None

    def is_public(self, name: str) -> bool:
        """Whether a name does not begin with an underscore; what is not exported cannot be called anyway."""
        return not name.startswith("_")

    def outside(self, replay: Replay) -> Started | None:
        """Return a command for Node; none where it is not installed."""
        variables = _variables(replay)
        node = shutil.which("node", path=variables["PATH"])
        if node is None:
            return None
        return Started((node, "--no-warnings", str(SCRIPT_REPLAY), str(replay.order)), variables)

    def control(self, replay: Replay) -> Started | None:
        """Write one test beside those of the project; its runner reads no configuration."""
        variables = _variables(replay)
        runner = next(
            (each for each in ("vitest", "jest", "node_test") if each in replay.project.programs), ""
        )
        node = shutil.which("node", path=variables["PATH"])
        if not runner or node is None or not replay.tests:
            return None
        beside = PurePosixPath(replay.tests[0].partition("::")[0])
        suffix = ".test.mjs" if runner != "jest" else ".test.cjs"
        file = replay.tree / beside.parent / f"{word()}{suffix}"
        file.write_text(_test(runner, replay), "utf-8")
        return Started(_argv(runner, replay, node, str(file)), variables)


def _variables(replay: Replay) -> dict[str, str]:
    return {**environment(replay.project.interpreter, replay.tree, ()), "TMPDIR": str(replay.scratch)}


def _test(runner: str, replay: Replay) -> str:
    """Return a file with one test that makes the calls."""
    asked = _CONTROL.format(replay=json.dumps(str(SCRIPT_REPLAY)), order=json.dumps(str(replay.order)))
    if runner == "jest":
        return asked
    module = "vitest" if runner == "vitest" else "node:test"
    head = f'import {{ test }} from "{module}";\nimport {{ createRequire }} from "node:module";\n'
    return f"{head}const require = createRequire(import.meta.url);\n{asked}"


def _argv(runner: str, replay: Replay, node: str, file: str) -> tuple[str, ...]:
    """Return a call of the runner for one file, without the project's configuration."""
    if runner == "node_test":
        return (node, "--test", file)
    program = replay.project.programs[runner].argv
    if runner == "jest":
        bare = json.dumps({"testEnvironment": "node", "rootDir": str(replay.tree)})
        return (*program, "--config", bare, "--runTestsByPath", file)
    empty = replay.scratch / "vitest.config.mjs"
    empty.write_text("export default {};\n", "utf-8")
    return (*program, "run", "--config", str(empty), "--root", str(replay.tree), file)


def _recording(name: str, function: Node, folder: str) -> Iterator[tuple[int, str]]:
    """Yield what lets a recorder do what a function does; nothing where its arguments have no names."""
    body, given = function.child_by_field_name("body"), _given(function)
    words = [each.type for each in function.children]
    if body is None or given is None or function.type in _LEFT_OUT or "*" in words:
        return
    subject = "undefined" if function.type == "arrow_function" else "this"
    later = "async " if "async" in words else ""
    begin = f"{_recorder(folder)}.call({json.dumps(name)}, {subject}, {given}, {later}() => "
    if body.type == "statement_block":
        yield body.start_byte + 1, f" return {begin}{{"
        yield body.end_byte - 1, "});"
    else:
        yield body.start_byte, f"{begin}("
        yield body.end_byte, "))"


def _recorder(folder: str) -> str:
    """Return an expression for what notes calls; where it cannot be loaded, for what only does them."""
    read = f'process.getBuiltinModule("node:fs").readFileSync({json.dumps(str(SCRIPT_RECORDER))}, "utf8")'
    begun = f'Function("process", "folder", {read})(process, {json.dumps(folder)})'
    plain = "{ call: (name, subject, given, act) => act() }"
    return (
        f"(globalThis.setpointCalls ??= (() => {{ try {{ return {begun} }} catch {{ return {plain} }} }})())"
    )


def _given(function: Node) -> str | None:
    """Return an expression for the array of the arguments; none where they have no names."""
    if function.type != "arrow_function":
        return "[...arguments]"
    single = function.child_by_field_name("parameter")
    if single is not None:
        return f"[{text_of(single)}]"
    parameters = function.child_by_field_name("parameters")
    names = [_named(each) for each in parameters.named_children] if parameters is not None else []
    return f"[{', '.join(names)}]" if all(names) else None


def _named(parameter: Node) -> str:
    for field in _PARAMETERS:
        parameter = parameter.child_by_field_name(field) or parameter
    plain = parameter.type == "identifier"
    rest = parameter.type == "rest_pattern" and all(e.type == "identifier" for e in parameter.named_children)
    return text_of(parameter) if plain or rest else ""
