"""Write tests that must fail and tests that must pass, with names and bodies that nobody can know before."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MODULE = re.compile(r"^\s*(?:import\s|export\s)", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
_RESOLVED = re.compile(r"\.[jt]sx?$")
"""Endings that every bundler adds by itself, and that TypeScript refuses in an import."""
_TRIES = 200


@dataclass(frozen=True, kw_only=True)
class Canary:
    """Tests of one runner whose outcomes are known before."""

    files: Mapping[str, str] = field(default_factory=dict)
    """New files, by path."""
    appended: Mapping[str, str] = field(default_factory=dict)
    """What is added at the end of files of the tree, by path."""
    failing: frozenset[str] = frozenset()
    """Identifiers of tests that must fail."""
    passing: frozenset[str] = frozenset()
    """Identifiers of tests that must pass."""
    never_pass: frozenset[str] = frozenset()
    """Tests that must fail among others, whose marks may leave them out: that they pass is what counts."""

    @property
    def tests(self) -> tuple[str, ...]:
        """Return all identifiers."""
        return tuple(sorted({*self.failing, *self.passing, *self.never_pass}))


def word(length: int = 9) -> str:
    """Make a name."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def _unequal() -> tuple[int, int]:
    one = secrets.randbelow(10**6)
    return one, one + 1 + secrets.randbelow(1000)


def python_canary(sample: str, modules: Collection[str], last: str, *, pytest: bool) -> Canary:
    """Write a canary for pytest, or for unittest.

    Args:
        sample: A test of the project, whose way of naming is followed.
        modules: Dotted names of modules that are imported first.
        last: The file behind which the new one has to come by its name.
        pytest: Whether functions are tests.

    """
    folder = PurePosixPath(last).parent
    path = _behind(last, folder, PurePosixPath(sample.partition("::")[0]).name)
    prefix = _prefix(sample)
    failing, passing, parts = [], [], [_imports_of_python(modules)]
    if pytest:
        for body in _python_bodies():
            name = prefix + word()
            parts.append(f"def {name}():\n{body}")
            failing.append(f"{path}::{name}")
        name, value = prefix + word(), _unequal()[0]
        parts.append(f"def {name}():\n    assert {value} == {value}\n")
        passing.append(f"{path}::{name}")
    group, methods = "Test" + word().title(), []
    for body in _unittest_bodies():
        name = f"test_{word()}"
        methods.append(f"    def {name}(self):\n        {body}\n")
        failing.append(f"{path}::{group}::{name}")
    name, value = f"test_{word()}", _unequal()[0]
    methods.append(f"    def {name}(self):\n        self.assertEqual({value}, {value})\n")
    passing.append(f"{path}::{group}::{name}")
    parts.append(f"import unittest\n\n\nclass {group}(unittest.TestCase):\n" + "\n".join(methods))
    appended, never = {}, []
    if pytest:
        name = prefix + word()
        one, other = _unequal()
        appended[last] = f"\n\ndef {name}():\n    assert {one} == {other}\n"
        never.append(f"{last}::{name}")
    return Canary(
        files={path: "\n\n".join(parts)},
        appended=appended,
        failing=frozenset(failing),
        passing=frozenset(passing),
        never_pass=frozenset(never),
    )


def _imports_of_python(modules: Collection[str]) -> str:
    lines = ["import importlib", ""]
    for module in modules:
        lines += ["try:", f"    importlib.import_module({module!r})", "except BaseException:", "    pass", ""]
    return "\n".join(lines)


def _python_bodies() -> Iterable[str]:
    one, other = _unequal()
    yield f"    {word()} = {one}\n    assert {one} == {other}\n"
    yield f"    raise RuntimeError({word()!r})\n"
    yield f"    raise AssertionError({word()!r})\n"
    yield "    import pytest\n\n    with pytest.raises(KeyError):\n        pass\n"


def _unittest_bodies() -> Iterable[str]:
    one, other = _unequal()
    yield f"self.assertEqual({one}, {other})"
    yield f"self.assertTrue({one} > {other})"
    yield f"self.assertIn({one}, [{other}])"
    yield f"self.fail({word()!r})"
    yield f"raise RuntimeError({word()!r})"


def _prefix(sample: str) -> str:
    """Return how functions begin that the project takes for tests."""
    name = sample.partition("[")[0].rpartition("::")[2]
    return f"{name.partition('_')[0]}_" if "_" in name and sample.count("::") == 1 else "test_"


def _behind(last: str, folder: PurePosixPath, sample: str) -> str:
    """Name a new file as the project names them, behind another one in the order of names."""
    stem, dot, suffix = sample.partition(".")
    before, after = "test_", ""
    if not stem.startswith("test_"):
        before, after = ("", "_test") if stem.endswith("_test") else (f"{stem.partition('_')[0]}_", "")
    path = ""
    for tried in range(_TRIES):
        name = f"{before}{'z' if tried > _TRIES // 2 else ''}{word()}{after}{dot}{suffix}"
        path = (folder / name).as_posix()
        if path > last:
            break
    return path


def javascript_canary(runner: str, last: str, source: str, paths: Sequence[str]) -> Canary:
    """Write a canary for one of the runners of JavaScript.

    Args:
        runner: Name of the preset.
        last: A file of tests, whose way of naming and of importing is followed.
        source: Its text.
        paths: Changed files that are imported first.

    """
    folder, name = PurePosixPath(last).parent, PurePosixPath(last).name
    stem, dot, suffix = name.partition(".")
    affix = stem[stem.rindex("_") :] if "_" in stem else stem[stem.rindex("-") :] if "-" in stem else ""
    start = "test-" if stem.startswith("test-") else ""
    path = (folder / f"{start}{word()}{'' if start else affix}{dot}{suffix}").as_posix()
    near = [_relative(each if runner == "node_test" else _RESOLVED.sub("", each), folder) for each in paths]
    modules = _MODULE.search(source) is not None
    text, failing, passing = _javascript(runner, near, modules=modules)
    more, never, _ = _javascript(runner, (), modules=modules)
    return Canary(
        files={path: text},
        appended={last: "\n" + more},
        failing=frozenset(f"{path}::{each}" for each in failing),
        passing=frozenset(f"{path}::{each}" for each in passing),
        never_pass=frozenset(f"{last}::{each}" for each in never),
    )


def _javascript(runner: str, near: Sequence[str], *, modules: bool) -> tuple[str, list[str], list[str]]:
    test, check = word(), word()
    head = _javascript_head(runner, test, check, modules=modules)
    load = (
        [f'  await import("{each}").catch(() => {{}});' for each in near]
        if modules
        else [f'  try {{ require("{each}"); }} catch {{}}' for each in near]
    )
    bodies = _node_bodies(check) if runner == "node_test" else _expect_bodies(check)
    failing: list[str] = []
    passing: list[str] = []
    parts = [head]
    for number, body in enumerate(bodies):
        name = f"{word()} {word()}"
        (passing if number == 0 else failing).append(name)
        parts.append(f'{test}("{name}", async () => {{\n' + "\n".join((*load, f"  {body}")) + "\n});\n")
    return "\n".join(parts), failing, passing


def _javascript_head(runner: str, test: str, check: str, *, modules: bool) -> str:
    if runner == "node_test":
        if modules:
            return f'import {test} from "node:test";\nimport {check} from "node:assert";\n'
        return f'const {test} = require("node:test");\nconst {check} = require("node:assert");\n'
    if runner == "vitest":
        return f'import {{ test as {test}, expect as {check} }} from "vitest";\n'
    return f"const {test} = test, {check} = expect;\n"


def _node_bodies(check: str) -> Iterable[str]:
    """Return the bodies of tests; the first one passes."""
    one, other = _unequal()
    yield f"{check}.strictEqual({one}, {one});"
    yield f"{check}.strictEqual({one}, {other});"
    yield f"{check}.equal({one}, {other});"
    yield f"{check}.deepStrictEqual([{one}], [{other}]);"
    yield f"{check}.deepEqual([{one}], [{other}]);"
    yield f"{check}.ok({one} > {other});"
    yield f"{check}({one} > {other});"
    yield f"{check}.throws(() => {one});"
    yield f'throw new Error("{word()}");'


def _expect_bodies(check: str) -> Iterable[str]:
    one, other = _unequal()
    yield f"{check}({one}).toBe({one});"
    yield f"{check}({one}).toBe({other});"
    yield f"{check}([{one}]).toEqual([{other}]);"
    yield f"{check}({one} > {other}).toBeTruthy();"
    yield f"{check}(() => {one}).toThrow();"
    yield f'throw new Error("{word()}");'


def _relative(path: str, folder: PurePosixPath) -> str:
    near = os.path.relpath(path, folder)
    return near if near.startswith("../") else f"./{near}"


def go_canary(folder: str, package: str, source: bytes) -> Canary | None:
    """Write a canary into a package of Go; none where its name cannot be read.

    Args:
        folder: Where its files lie.
        package: How `go test` names it.
        source: One of its files outside the tests.

    """
    found = _PACKAGE.search(source)
    if found is None:
        return None
    one, other = _unequal()
    bodies = (
        "t.Fatal()",
        f"if {one} != {other} {{\n\t\tt.Errorf({word()!r})\n\t}}".replace("'", '"'),
        "t.Fail()",
    )
    names = [f"Test{word().title()}" for _ in range(len(bodies) + 1)]
    tests = [
        f"func {name}(t *testing.T) {{\n\t{body}\n}}\n" for name, body in zip(names, bodies, strict=False)
    ]
    tests.append(f"func {names[-1]}(t *testing.T) {{}}\n")
    text = f'package {found[1].decode()}\n\nimport "testing"\n\n' + "\n".join(tests)
    return Canary(
        files={f"{folder}/{word()}_test.go".lstrip("/"): text},
        failing=frozenset(f"{package}::{name}" for name in names[:-1]),
        passing=frozenset((f"{package}::{names[-1]}",)),
    )


def rust_canary(path: str, target: str, inside: str) -> Canary:
    """Write a canary into a source file of Rust.

    Args:
        path: The file.
        target: The root file of the program that it is built into.
        inside: The path of its module there, empty for the root.

    """
    module, names = word(), [word() for _ in range(3)]
    one, other = _unequal()
    bodies = (f'panic!("{word()}")', f"assert_eq!({one}, {other})", "")
    tests = "".join(
        f"    #[test]\n    fn {name}() {{\n        {body}\n    }}\n"
        for name, body in zip(names, bodies, strict=True)
    )
    start = "::".join(each for each in (inside, module) if each)
    return Canary(
        appended={path: f"\n#[cfg(test)]\nmod {module} {{\n{tests}}}\n"},
        failing=frozenset(f"{target}::{start}::{name}" for name in names[:-1]),
        passing=frozenset((f"{target}::{start}::{names[-1]}",)),
    )
