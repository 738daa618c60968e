"""Tests for which pytest does nothing but call them: they are called without it, in a fraction of the time.

pytest takes some 0.4 ms for what it does around a test. A test is bare where none of that can matter: a plain
function or method without fixtures and marks, in a session in which only pytest itself listens to its run.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

_AROUND = ("setup", "call", "teardown", "makereport")
_SILENT = ("_pytest.", "xdist.", "anyio.", "pytest_timeout", "_hypothesis_pytestplugin")
"""Modules whose hooks leave a bare test alone."""
_NOSE = "_pytest.nose"
"""Until pytest 8 it looks for functions that set a test up."""


def bare_tests(items: Iterable[pytest.Item]) -> dict[str, Callable[[], None]]:
    """Give, by node id, how to call the tests that need nothing else."""
    found: dict[str, Callable[[], None]] = {}
    alone: dict[pytest.Config, bool] = {}
    for item in items:
        if type(item) is not pytest.Function or _needs_more(item):
            continue
        if item.config not in alone:
            alone[item.config] = _is_alone(item.config)
        if alone[item.config]:
            found[item.nodeid] = _caller(item)
    return found


def is_skip(error: BaseException) -> bool:
    """Whether pytest would not count a test as failed that raises this."""
    if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
        return True
    unittest = sys.modules.get("unittest")
    return unittest is not None and isinstance(error, unittest.SkipTest)


def _is_alone(config: pytest.Config) -> bool:
    """Whether nobody but pytest has a part in running tests, and no warning makes one fail."""
    if _warnings_fail(config):
        return False
    hooks = [getattr(config.hook, f"pytest_runtest_{name}") for name in _AROUND]
    hooks.append(config.hook.pytest_pyfunc_call)
    own = __name__.rpartition(".")[0] + "."
    listening = [each.function for hook in hooks for each in hook.get_hookimpls()]
    names = [getattr(each, "__module__", None) or "" for each in listening]
    silent = all(name.startswith((*_SILENT, own)) and name != _NOSE for name in names)
    if not silent or not config.pluginmanager.hasplugin("logging-plugin"):
        return False
    return not (config.getoption("log_level") or config.getini("log_level"))


def _warnings_fail(config: pytest.Config) -> bool:
    """Whether a warning may be an error, which pytest sees to around each test."""
    told = [*config.getini("filterwarnings"), *(config.getoption("pythonwarnings") or ())]
    actions = [each.partition(":")[0].strip() for each in told]
    return any(action and "error".startswith(action) for action in actions)


def _needs_more(item: pytest.Function) -> bool:
    """Whether pytest prepares or clears away anything for a test, or judges it otherwise than by its end."""
    call: Any = item.function
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
    if any(is_one(call) for is_one in kinds):
        return True
    if hasattr(call, "is_hypothesis_test") or any(mark.name != "parametrize" for mark in item.iter_markers()):
        return True
    if any(isinstance(each, pytest.Package) and _sets_up(each.path) for each in item.listchain()):
        return True
    if {"runtest", "setup", "teardown"}.intersection(vars(item)) or _written(item) is not call:
        return True
    return not set(item.fixturenames) <= _parameters(item) & _given(item).keys()


def _parameters(item: pytest.Function) -> set[str]:
    """Give the names that `parametrize` gives values to, without those of fixtures."""
    found: set[str] = set()
    for mark in item.iter_markers("parametrize"):
        if mark.kwargs.get("indirect") or len(mark.args) > 2:  # noqa: PLR2004 - names and values
            return set()
        names = mark.kwargs.get("argnames", mark.args[0] if mark.args else ())
        found.update(names.replace(" ", "").split(",") if isinstance(names, str) else names)
    return found


def _written(item: pytest.Function) -> object:
    """Return the function as it stands in its module or class; none where a class is not made as usual."""
    parent: Any = item.parent
    if type(parent) not in (pytest.Module, pytest.Class):
        return None
    found = getattr(parent.obj, item.originalname, None)
    return getattr(found, "__func__", found)


@lru_cache
def _sets_up(package: Path) -> bool:
    """Whether a package of tests may have something to prepare, which pytest does for its first test."""
    try:
        said = (package if package.suffix else package / "__init__.py").read_bytes().lower()
    except OSError:
        return False
    return any(word in said for word in (b"setup", b"teardown", b"import *"))


def _given(item: pytest.Function) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return {**getattr(callspec, "funcargs", {}), **callspec.params} if callspec else {}


def _caller(item: pytest.Function) -> Callable[[], None]:
    parent: Any = item.parent
    name = item.originalname
    words = tuple(item.fixturenames)
    handler = _Strict()

    def call() -> None:
        given = _given(item)
        owner = parent.obj() if isinstance(parent, pytest.Class) else parent.obj
        with _strictly(handler):
            getattr(owner, name)(**{word: given[word] for word in words})

    return call


@contextlib.contextmanager
def _strictly(handler: _Strict) -> Iterator[None]:
    logging.root.addHandler(handler)
    try:
        yield
    finally:
        logging.root.removeHandler(handler)


class _Strict(logging.Handler):
    """Lets a test fail that logs a message which does not fit its arguments, as pytest does."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message, for nobody."""
        if logging.raiseExceptions:
            self.format(record)
