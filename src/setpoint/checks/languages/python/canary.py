"""Write tests for pytest and unittest that must fail, and tests that must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from setpoint.checks.languages.language import Canary
from setpoint.checks.languages.random_text import unequal, word

_TEST = re.compile(r"(?P<file>[^:]+\.py)::(?P<name>\w+)(?P<rest>::|\[|$)")
"""A function or class of tests."""


def python_canary(runner: str, beside: Sequence[str]) -> Canary | None:
    """Write a canary for pytest or unittest, which follows how the tests beside it are named.

    It is a new file, and under pytest one more function at the end of a file of tests. None without a test
    in a file of tests.
    """
    tests = [found for each in beside if (found := _TEST.match(each)) and not _is_example(found)]
    if not tests:
        return None
    last = max(each["file"] for each in tests)
    prefix = next((_prefix(each["name"]) for each in tests if each["rest"] != "::"), "test_")
    path = _new_file(last)
    group = f"Test{word().title()}"
    methods = {f"{path}::{group}::test_{word()}": body for body in _method_bodies()}
    text = f"import unittest\n\n\nclass {group}(unittest.TestCase):\n"
    text += "\n".join(f"    def {_name(test)}(self):\n        {body}\n" for test, body in methods.items())
    functions = (
        {f"{path}::{prefix}{word()}": body for body in _function_bodies()} if runner == "pytest" else {}
    )
    text += "".join(f"\n\ndef {_name(test)}():\n    {body}\n" for test, body in functions.items())
    passing = frozenset((next(iter(methods)), *[*functions][:1]))
    added = f"{last}::{prefix}{word()}"
    one, other = unequal()
    appended = {last: f"\n\ndef {_name(added)}():\n    assert {one} == {other}\n"} if functions else {}
    return Canary(
        files={path: text},
        appended=appended,
        failing=frozenset({*methods, *functions} - passing),
        passing=passing,
        never_pass=frozenset((added,) if appended else ()),
    )


def _method_bodies() -> Iterator[str]:
    """Yield the bodies of methods; the first one passes."""
    one, other = unequal()
    yield f"self.assertEqual({one}, {one})"
    yield f"self.assertEqual({one}, {other})"
    yield f"self.assertTrue({one} > {other})"
    yield f"self.assertIn({one}, [{other}])"
    yield f"self.fail({word()!r})"
    yield f"raise RuntimeError({word()!r})"


def _function_bodies() -> Iterator[str]:
    """Yield the bodies of functions; the first one passes."""
    one, other = unequal()
    yield f"assert {one} == {one}"
    yield f"{(name := word())} = {one}\n    assert {name} == {other}"
    yield f"raise RuntimeError({word()!r})"
    yield f"raise AssertionError({word()!r})"
    yield "import pytest\n\n    with pytest.raises(KeyError):\n        pass"


def _is_example(test: re.Match[str]) -> bool:
    """Whether a test is an example in the docstring of a module; deeper ones have names with dots."""
    return PurePosixPath(test["file"]).stem == test["name"]


def _name(test: str) -> str:
    return test.rpartition("::")[2]


def _prefix(name: str) -> str:
    """Return how functions begin that the project takes for tests."""
    return f"{name.partition('_')[0]}_" if "_" in name else "test_"


def _new_file(last: str) -> str:
    """Name a new file beside another one as the project names its tests; by its name it runs late."""
    path = PurePosixPath(last)
    if path.stem.startswith("test_"):
        name = f"test_z{word()}"
    elif path.stem.endswith("_test"):
        name = f"z{word()}_test"
    else:
        name = f"{path.stem.partition('_')[0]}_z{word()}"
    return path.with_name(f"{name}.py").as_posix()
