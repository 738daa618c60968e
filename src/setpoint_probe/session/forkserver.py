"""A fork server for fresh processes: a pytest session has begun there, and nothing is collected yet.

What lies outside the tree is imported before; of the tree only what its conftest files import, and plug-ins.
Each child collects the tests it runs, so the tree's own code is imported anew in it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import pytest

from .session import options_of, prepare_path, pytest_words

_INSTALLED = f"{os.sep}site-packages{os.sep}"


class Order(Protocol):
    """What every order says of how the tests are run."""

    @property
    def tree(self) -> str:
        """Root of the work tree."""

    @property
    def pytest_args(self) -> tuple[str, ...]:
        """More words for pytest."""

    @property
    def scratch(self) -> str:
        """Directory for temporary files."""


def serve(
    order: Order, files: Sequence[str], modules: Iterable[str], act: Callable[[pytest.Session], None]
) -> None:
    """Begin a session over some files in this process, import `modules`, and hand it over to be collected.

    Modules that are not to be had are left out. Nothing is handed over where pytest does not get as far.
    """

    def begun(session: pytest.Session) -> None:
        for name in modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        gc.collect()
        gc.freeze()  # else each child's collector writes to all pages that it shares
        tempfile.gettempdir()  # asked once: it writes a file to try the folder
        act(session)

    prepare_path(order.tree)
    options = options_of(order.pytest_args)
    pytest.main(pytest_words(order.tree, order.scratch, [*options, *files]), plugins=[_Server(begun)])


def collect_in(session: pytest.Session, files: Sequence[str], scratch: str) -> None:
    """Collect files in a session that was handed over, and run the tests; only in a child of its process."""
    session.config.args = list(files)
    with _compiled_once(scratch):
        session.config.hook.pytest_collection(session=session)
    session.config.hook.pytest_runtestloop(session=session)


def files_of(tests: Iterable[str]) -> list[str]:
    """Return the files that tests stand in."""
    return list(dict.fromkeys(test.split("::", 1)[0] for test in tests))


@contextlib.contextmanager
def _compiled_once(scratch: str) -> Iterator[None]:
    """Keep what is imported in compiled form, outside the tree, for the next child; not while tests run.

    A test may write a module, import it, and write it again within the second that its time is known by.
    """
    before = sys.pycache_prefix, sys.dont_write_bytecode
    sys.pycache_prefix, sys.dont_write_bytecode = str(Path(scratch) / "compiled"), False
    try:
        yield
    finally:
        sys.pycache_prefix, sys.dont_write_bytecode = before


class _Server:
    """Stands in for collecting, after all that pytest and its plug-ins do before."""

    def __init__(self, act: Callable[[pytest.Session], None]) -> None:
        self._act = act
        self._begun = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool | None:
        """Hand the session over once; what it is handed to asks for the collection again."""
        if self._begun:
            return None
        self._begun = True
        self._act(session)
        return True


def loaded_outside(tree: str) -> list[str]:
    """Return the modules from files outside a tree that this process has imported, in that order."""
    inside = os.path.realpath(tree) + os.sep
    folder_of = lru_cache(os.path.realpath)
    found: list[str] = []
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if spec is None or not spec.has_location or spec.name != name or not spec.origin:
            continue
        folder = folder_of(os.path.dirname(spec.origin)) + os.sep  # noqa: PTH120 - hundreds of them: each asked once
        if not folder.startswith(inside) or _INSTALLED in folder:
            found.append(name)
    return found


def is_loaded(path: str) -> bool:
    """Return whether this process has imported a file."""
    real = os.path.realpath(path)
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return any(isinstance(file, str) and os.path.realpath(file) == real for file in files)
