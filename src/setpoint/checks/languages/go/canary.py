"""Write tests for `go test` that must fail, and one that must pass."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from setpoint.checks.languages.language import Canary
from setpoint.checks.languages.random_text import unequal, word

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
_MOST_PACKAGES = 3


def go_canaries(tree: Path, modules: Collection[str], code: Mapping[str, bytes]) -> Iterator[Canary]:
    """Write a canary into each of the first packages that hold changed sources; `modules` are folders."""
    folders = {PurePosixPath(path).parent.as_posix().strip("."): text for path, text in code.items()}
    for folder, source in [*folders.items()][:_MOST_PACKAGES]:
        named, package = _PACKAGE.search(source), _package(tree, modules, folder)
        if named is not None and package:
            yield _canary(folder, package, named[1].decode())


def _canary(folder: str, package: str, name: str) -> Canary:
    """Write one; `package` is its import path, and `name` what its files say."""
    one, other = unequal()
    bodies = ("", "t.Fatal()", f'if {one} != {other} {{\n\t\tt.Errorf("{word()}")\n\t}}', "t.Fail()")
    tests = {f"Test{word().title()}": body for body in bodies}
    passing, *failing = (f"{package}::{test}" for test in tests)
    functions = (f"func {test}(t *testing.T) {{\n\t{body}\n}}\n" for test, body in tests.items())
    text = f'package {name}\n\nimport "testing"\n\n' + "\n".join(functions)
    return Canary(
        files={f"{folder}/{word()}_test.go".lstrip("/"): text},
        failing=frozenset(failing),
        passing=frozenset((passing,)),
    )


def _package(tree: Path, modules: Collection[str], folder: str) -> str:
    """Return how `go test` names the package in a folder; empty where no module holds it."""
    holding = [each for each in modules if not each or folder == each or folder.startswith(f"{each}/")]
    for module in sorted(holding, key=len, reverse=True):
        try:
            found = _MODULE.search((tree / module / "go.mod").read_text("utf-8", "replace"))
        except OSError:
            continue
        inner = folder.removeprefix(module).strip("/")
        if found is not None:
            return f"{found[1]}/{inner}" if inner else found[1]
    return ""
