# ruff: noqa: ANN401 - the loaders of Python and pytest hand over what has no types
"""Keeps what source files compile to, while tests are collected: by content, so that no other file gets it.

A checkout made for measuring has no bytecode, and must get none. So the report plugin has each source that is
compiled for an import looked up by its bytes here, tests with their rewritten assertions as well. Before the
first test runs, everything is as it was. What is told of while it is compiled (a warning) is not kept: it
has to be told each time. A process beside pytest may rewrite tests for it (`setpoint_rewritten`).
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import warnings
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Optional, Sequence  # noqa: UP035 - where Python 3.8 has it

_DIGEST_BYTES = 32


class Bytecode:
    """Stands in for compiling, from `begin` to `end`."""

    def __init__(self, taken: Sequence[str], kept: Sequence[str]) -> None:
        """Use what is in the folders `taken`, and add to the folders `kept`."""
        self._taken = [Path(folder) for folder in taken]
        self._kept = [Path(folder) for folder in kept]
        facts = (sys.version, sys.flags, sorted(sys._xoptions.items()))  # noqa: SLF001 - has no other name
        self._facts = repr(facts).encode()
        self._plain: Any = None
        self._ours: Any = None
        self._rewrite: Any = None
        self._pytest = ""

    def begin(self) -> None:
        """Look up what Python compiles for an import, and what pytest rewrites."""
        self._plain = plain = SourceFileLoader.source_to_code

        def source_to_code(loader: Any, data: Any, path: Any, *rest: Any, **more: Any) -> Any:
            theirs = type(loader).source_to_code is not source_to_code
            if rest or more or theirs or not isinstance(data, bytes):
                return plain(loader, data, path, *rest, **more)
            return self._code(b"", data, path, lambda: plain(loader, data, path))

        self._ours = source_to_code
        setattr(SourceFileLoader, "source_to_code", source_to_code)  # noqa: B010 - mypy knows it as a method
        rewriting: Any = sys.modules.get("_pytest.assertion.rewrite")
        self._rewrite = getattr(rewriting, "_rewrite_test", None)
        self._pytest = getattr(sys.modules.get("_pytest"), "__version__", "")
        if self._rewrite is not None:
            rewriting._rewrite_test = self._rewritten  # noqa: SLF001 - it has no hook

    def end(self) -> None:
        """Let everything be compiled as it is without us; once is enough."""
        if self._plain is None:
            return
        # The project may have put its own there.
        if vars(SourceFileLoader).get("source_to_code") is self._ours:
            delattr(SourceFileLoader, "source_to_code")  # the one it inherits shows again
        self._plain = None
        rewriting: Any = sys.modules.get("_pytest.assertion.rewrite")
        if getattr(rewriting, "_rewrite_test", None) == self._rewritten:
            rewriting._rewrite_test = self._rewrite  # noqa: SLF001 - as above

    def pytest_collection_finish(self) -> None:
        """Be out of the way before the first test."""
        self.end()

    def pytest_unconfigure(self) -> None:
        """Be out of the way where nothing was collected."""
        self.end()

    def _rewritten(self, file: Any, config: Any) -> Any:
        """Give what pytest's own function gives; of the first half it only asks when it writes bytecode."""
        original = self._rewrite
        if not sys.dont_write_bytecode:
            return original(file, config)
        passing = config.getini("enable_assertion_pass_hook")
        kind = f"pytest {self._pytest} {passing} ".encode()
        stood = _stamp(file)
        source = Path(file).read_bytes()

        def make() -> Any:
            return original(file, config)[1]

        return None, self._code(kind, source, str(file), make, lambda: _stamp(file) == stood)

    def _code(
        self,
        kind: bytes,
        source: bytes,
        path: Any,
        make: Callable[[], Any],
        same: Callable[[], bool] = lambda: True,
    ) -> Any:
        name = hashlib.sha256(b"%d %b %b" % (len(kind), kind, self._facts) + source).hexdigest()
        for folder in self._taken:
            known = _read(folder / name)
            if known is not None:
                return _moved(known, os.fspath(path))
        places = [
            folder / name for folder in self._kept if folder in self._taken or not (folder / name).exists()
        ]
        if not places:
            return make()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            code = make()
        if told:
            return make()  # tells it to whom it concerns, or raises
        if isinstance(code, CodeType) and same():
            for place in places:
                _write(place, code)
        return code


def _stamp(file: Any) -> Any:
    stat = os.stat(file)  # noqa: PTH116 - some versions of pytest name files by text
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _read(place: Path) -> Optional[CodeType]:  # noqa: UP045 - Python 3.8
    """Give what was kept; none where nothing was, or not in full."""
    try:
        held = place.read_bytes()
        with contextlib.suppress(OSError):
            os.utime(place)  # what was asked for last is kept longest
    except OSError:
        return None
    data = held[_DIGEST_BYTES:]
    if hashlib.sha256(data).digest() != held[:_DIGEST_BYTES]:
        return None
    code = marshal.loads(data)  # noqa: S302 - written by the same Python, and whole
    return code if isinstance(code, CodeType) else None


def _write(place: Path, code: CodeType) -> None:
    data = marshal.dumps(code)
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        part.write_bytes(hashlib.sha256(data).digest() + data)
        part.replace(place)
    except OSError:  # the folder may be shielded or gone: it is a saving, no more
        return


def _moved(code: CodeType, path: str) -> CodeType:
    """Give the code as if it had been compiled from a file at another path."""
    return code if code.co_filename == path else _renamed(code, code.co_filename, path)


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    consts = tuple(
        _renamed(each, old, new) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_consts=consts, co_filename=new if code.co_filename == old else code.co_filename)


def asked(word: str, ahead: str = "") -> Bytecode:
    """Make what variables ask for: `take:FOLDER` or `keep:FOLDER`, and a folder that is filled meanwhile."""
    how, _, folder = word.partition(":")
    taken = [each for each in (ahead, folder if how == "take" else "") if each]
    return Bytecode(taken, [folder] if folder else [])
