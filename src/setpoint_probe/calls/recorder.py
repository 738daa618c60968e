"""Notes the arguments of calls, from a statement that Setpoint puts at the top of each function.

Of an object of a watched class it keeps how it was made: what its constructor got, and each call since. It is
loaded by its path, into the project's own process, and imports nothing of Setpoint.
"""

from __future__ import annotations

import base64
import enum
import functools
import hashlib
import inspect
import io
import json
import os
import pathlib
import pickle
import sys
import time
import weakref
from abc import ABCMeta
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any

_MOST, _MOST_OF_TEST, _MOST_BYTES = 80, 12, 8192
"""Calls of one function, those of them in one test, and bytes of the arguments of one call."""
_MOST_S = 3.0
"""Seconds that one process spends on it."""
_DEEPEST = 60
_MOST_STEPS, _MOST_OBJECTS = 20, 2000
"""Calls of one object after which it is no longer followed, and objects that are followed at once."""
_LONGEST, _MOST_OF_FILE = 500, 2000
"""Characters of a path and bytes of the file there that are kept with what the file holds."""
_VARARGS, _VARKEYWORDS = 4, 8


class Made:
    """How an object was made."""

    def __init__(self, name: str, module: str, data: bytes) -> None:
        """Begin with the pickled arguments of the constructor, whose name is empty."""
        self.pid = (name, module, [("", data)])
        self.whole = True
        self.kept: object = None
        """The object, or what notices that it is gone."""


class _Pickler(pickle.Pickler):
    """Keeps a followed object as how it was made."""

    def __init__(self, file: io.BytesIO, made: dict[int, Made]) -> None:
        super().__init__(file, protocol=4)
        self._made = made

    def persistent_id(self, value: object) -> object:
        if isinstance(value, (str, pathlib.PurePath)):
            return _file(value)
        made = self._made.get(id(value))
        return made.pid if made and made.whole else None


def _file(value: str | pathlib.PurePath) -> object:
    """Return what a small file of text holds that lies outside of the tree; none for all other texts."""
    path = str(value)
    if not os.path.isabs(path) or len(path) > _LONGEST or "\0" in path or not os.path.isfile(path):  # noqa: PTH113, PTH117 - tests replace much, strings the least
        return None
    real, tree = os.path.realpath(path), os.path.realpath(os.getcwd())  # noqa: PTH109 - the same
    if real.startswith(tree + os.sep) or os.path.getsize(real) > _MOST_OF_FILE:  # noqa: PTH202 - the same
        return None
    with open(real, "rb") as file:  # noqa: PTH123 - the same
        data = file.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "a file", "str" if isinstance(value, str) else "path", os.path.basename(path), text  # noqa: PTH119 - the same


class Recorder(ModuleType):
    """Writes each call as one line of JSON."""

    def __init__(self, folder: str) -> None:
        """Write to a file of this process in `folder`."""
        super().__init__("setpoint_calls")
        self._folder = folder
        self._codes: set[CodeType] = set()
        self._known: set[tuple[str, str]] = set()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._spent_s = 0.0
        self._busy = False
        self._made: dict[int, Made] = {}

    def seen(self, name: str) -> None:
        """Note the call of the function that asks."""
        self._timed(functools.partial(self._called, name, sys._getframe(1)))  # noqa: SLF001 - the one way to see who calls

    def watch(self, names: dict[str, object], classes: dict[str, str]) -> None:
        """Follow the objects of classes of a module; each has the name under which it is noted."""
        for own, name in classes.items():
            kind = names.get(own)
            if type(kind) in (type, ABCMeta) and not issubclass(kind, (BaseException, tuple, enum.Enum)):  # type: ignore[arg-type]  # a class of classes was asked for
                self._timed(functools.partial(self._follow, kind, name))

    def _timed(self, act: Callable[[], None]) -> None:
        if self._busy:
            return
        if self._spent_s > _MOST_S:
            self._made.clear()
            return
        self._busy, began = True, time.perf_counter()
        try:
            act()
        except Exception:  # noqa: BLE001, S110 - arguments that cannot be kept are left out; the test must go on
            pass
        finally:
            self._busy = False
            self._spent_s += time.perf_counter() - began

    def _follow(self, kind: Any, name: str) -> None:  # noqa: ANN401 - a class of the project
        raw = kind.__init__
        if raw is object.__init__ and kind.__new__ is not object.__new__:
            return
        signature = inspect.signature(raw)

        @functools.wraps(raw)
        def begin(*given: Any, **named: Any) -> None:  # noqa: ANN401 - whatever the class takes
            begun: list[Made] = []
            if given and type(given[0]) is kind and id(given[0]) not in self._made:
                above = sys._getframe(1)  # noqa: SLF001 - the one way to see who calls

                def note() -> None:
                    arguments = {**signature.bind(*given, **named).arguments}
                    del arguments[next(iter(arguments))]
                    begun.append(self._begun(name, kind.__module__, arguments, above))

                self._timed(note)
            raw(*given, **named)
            if begun:
                self._timed(functools.partial(self._finished, given[0], begun[0]))

        kind.__init__ = begin

    def _begun(self, name: str, module: str, arguments: dict[str, Any], above: FrameType) -> Made:
        data = self._dumped(arguments)
        self._note(name, module, data, outer=not self._is_recorded(above))
        return Made(name, module, data)

    def _finished(self, subject: object, made: Made) -> None:
        if len(self._made) >= _MOST_OBJECTS:
            return
        try:
            made.kept = weakref.ref(subject, functools.partial(self._forget, id(subject)))
        except TypeError:
            made.kept = subject
        self._made[id(subject)] = made

    def _forget(self, number: int, _gone: object) -> None:
        self._made.pop(number, None)

    def _dumped(self, value: object) -> bytes:
        file = io.BytesIO()
        _Pickler(file, self._made).dump(value)
        return file.getvalue()

    def _called(self, name: str, frame: FrameType) -> None:
        arguments = _arguments(frame)
        subject = next(iter(arguments.values()), None)
        made = self._made.get(id(subject))
        follows = made is not None and made.whole and not _is_inside(frame, subject)
        if made is not None and follows:
            made.whole = len(made.pid[2]) <= _MOST_STEPS
        try:
            if self._is_wanted(name):
                outer = not self._is_recorded(frame.f_back)
                self._codes.add(frame.f_code)
                self._note(name, frame.f_globals.get("__name__", ""), self._dumped(arguments), outer=outer)
        finally:
            if made is not None and follows:
                self._step(made, name, {key: arguments[key] for key in list(arguments)[1:]})

    def _step(self, made: Made, name: str, arguments: dict[str, Any]) -> None:
        """Note what an object is asked for; where that cannot be kept, the object is no longer followed."""
        whole, made.whole = made.whole, False
        if whole:
            made.pid[2].append((name, self._dumped(arguments)))
            made.whole = True

    def _is_wanted(self, name: str) -> bool:
        return self._counts[name, ""] < _MOST and self._counts[name, _test()] < _MOST_OF_TEST

    def _note(self, name: str, module: str, data: bytes, *, outer: bool) -> None:
        test, digest = _test(), hashlib.sha256(data).hexdigest()
        if not self._is_wanted(name) or len(data) > _MOST_BYTES or (name, digest) in self._known:
            return
        self._known.add((name, digest))
        self._counts[name, ""] += 1
        self._counts[name, test] += 1
        line = {
            "name": name,
            "module": module,
            "test": test,
            "outer": outer,
            "arguments": base64.b64encode(data).decode(),
            "path": [str(each) for each in sys.path],
        }
        os.makedirs(self._folder, exist_ok=True)  # noqa: PTH103 - tests replace much, strings the least
        target = os.open(
            os.path.join(self._folder, f"{os.getpid()}.jsonl"),  # noqa: PTH118 - the same
            os.O_WRONLY | os.O_CREAT | os.O_APPEND,
            0o600,
        )
        try:
            os.write(target, f"{json.dumps(line)}\n".encode())
        finally:
            os.close(target)

    def _is_recorded(self, frame: FrameType | None) -> bool:
        """Whether a recorded function is calling."""
        depth = 0
        while frame is not None and depth < _DEEPEST:
            if frame.f_code in self._codes:
                return True
            frame, depth = frame.f_back, depth + 1
        return False


def _test() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


def _arguments(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    held = frame.f_locals
    return {name: held[name] for name in code.co_varnames[:count]}


def _is_inside(frame: FrameType, subject: object) -> bool:
    """Whether a method of the same object is calling."""
    above, depth = frame.f_back, 0
    while above is not None and depth < _DEEPEST:
        code = above.f_code
        if code.co_argcount and above.f_locals.get(code.co_varnames[0]) is subject:
            return True
        above, depth = above.f_back, depth + 1
    return False


def start(folder: str) -> Recorder:
    """Return what notes calls; it is made once in a process, and outlives reloads of modules."""
    recorder = Recorder(folder)
    sys.modules["setpoint_calls"] = recorder
    return recorder
