"""Write tests for the runners of JavaScript that must fail, and one that must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from setpoint.checks.languages.language import Canary
from setpoint.checks.languages.random_text import unequal, word

RUNNERS = frozenset({"vitest", "jest", "node_test", "mocha"})
_MODULE = re.compile(r"^\s*(?:import\s|export\s)", re.MULTILINE)


def javascript_canary(runner: str, beside: str, source: str) -> Canary:
    """Write a new file of tests, and the same tests once more at the end of a file of tests.

    Args:
        runner: One of `RUNNERS`.
        beside: A file of tests, whose way of naming and of importing is followed.
        source: Its text.

    """
    modules = _MODULE.search(source) is not None
    path = _new_file(PurePosixPath(beside))
    text, names = _tests(runner, modules=modules)
    more, others = _tests(runner, modules=modules)
    return Canary(
        files={path: text},
        appended={beside: f"\n{more}"},
        passing=frozenset(f"{path}::{each}" for each in names[:1]),
        failing=frozenset(f"{path}::{each}" for each in names[1:]),
        never_pass=frozenset(f"{beside}::{each}" for each in others[1:]),
    )


def _new_file(beside: PurePosixPath) -> str:
    """Name a new file beside another one as the project names its tests."""
    stem, dot, suffix = beside.name.partition(".")
    last = max(stem.rfind("_"), stem.rfind("-"))
    if stem.startswith(("test-", "test_")):
        name = f"{stem[:5]}{word()}"
    else:
        name = f"{word()}{stem[last:] if last >= 0 else ''}"
    return beside.with_name(f"{name}{dot}{suffix}").as_posix()


def _tests(runner: str, *, modules: bool) -> tuple[str, list[str]]:
    """Return tests and their names; the first one passes."""
    test, check = word(), word()
    bodies = _with_expect(check) if runner in ("vitest", "jest") else _with_assert(check)
    parts, names = [_head(runner, test, check, modules=modules)], list[str]()
    for body in bodies:
        names.append(f"{word()} {word()}")
        parts.append(f'{test}("{names[-1]}", async () => {{\n  {body}\n}});\n')
    return "\n".join(parts), names


def _head(runner: str, test: str, check: str, *, modules: bool) -> str:
    if runner == "vitest":
        return f'import {{ test as {test}, expect as {check} }} from "vitest";\n'
    if runner == "jest":
        return f"const {test} = test, {check} = expect;\n"
    imported = {check: "node:assert"} if runner == "mocha" else {test: "node:test", check: "node:assert"}
    form = 'import {0} from "{1}";' if modules else 'const {0} = require("{1}");'
    lines = [form.format(name, module) for name, module in imported.items()]
    return "\n".join((*lines, f"const {test} = it;\n" if runner == "mocha" else ""))


def _with_assert(check: str) -> Iterator[str]:
    one, other = unequal()
    yield f"{check}.strictEqual({one}, {one});"
    yield f"{check}.strictEqual({one}, {other});"
    yield f"{check}.equal({one}, {other});"
    yield f"{check}.deepStrictEqual([{one}], [{other}]);"
    yield f"{check}.deepEqual([{one}], [{other}]);"
    yield f"{check}.ok({one} > {other});"
    yield f"{check}({one} > {other});"
    yield f"{check}.throws(() => {one});"
    yield f'throw new Error("{word()}");'


def _with_expect(check: str) -> Iterator[str]:
    one, other = unequal()
    yield f"{check}({one}).toBe({one});"
    yield f"{check}({one}).toBe({other});"
    yield f"{check}([{one}]).toEqual([{other}]);"
    yield f"{check}({one} > {other}).toBeTruthy();"
    yield f"{check}(() => {one}).toThrow();"
    yield f'throw new Error("{word()}");'
