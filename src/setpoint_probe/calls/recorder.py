"""Notes the calls of functions that Setpoint puts its decorator on: arguments, and what came of them."""

from __future__ import annotations

import base64
import functools
import hashlib
import inspect
import json
import os
import pickle
import runpy
import sys
import time
from collections import Counter
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

_MOST, _MOST_OF_TEST, _MOST_BYTES = 24, 6, 20_000
"""Calls of one function, those of them in one test, and bytes of the arguments of one call."""
_MOST_S = 3.0
"""Seconds that one process spends on it."""
_MOST_ITEMS = 60
"""Items of a generator that are noted."""
_OF_RUNNER = ("PYTEST", "SETPOINT", "COV")
"""What the variables begin with that belong to the runner."""
_TELLING = runpy.run_path(os.path.join(os.path.dirname(__file__), "telling.py"))  # noqa: PTH118, PTH120 -- tests replace much, strings the least


class Noted:
    """One call that is under way."""

    def __init__(self, line: dict[str, Any], subject: object) -> None:
        """Take the line that will be written, and of a constructor the object that it makes."""
        self.line, self.subject = line, subject
        self.items: list[str] = []


class Recorder(ModuleType):
    """Writes each call as one line of JSON."""

    def __init__(self, folder: str) -> None:
        """Write to a file of this process in `folder`."""
        super().__init__("setpoint_calls")
        self._folder = folder
        self._known: set[tuple[str, str]] = set()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._spent_s = 0.0
        self._busy = False
        self._told_place = False

    def noting(self, name: str) -> Callable[[Any], Any]:
        """Return a decorator for the function of a name."""

        def decorate(function: Any) -> Any:  # noqa: ANN401 -- whatever is decorated there
            if not isinstance(function, FunctionType) or inspect.isasyncgenfunction(function):
                return function
            return _wrapped(self, name, function)

        return decorate

    def begin(self, name: str, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401 -- a note or nothing
        """Note that a call begins; nothing where it is not kept."""
        return self._timed(functools.partial(self._begun, name, function, given, named))

    def end(self, noted: Noted | None, kind: str, value: Any) -> None:  # noqa: ANN401 -- any value at all
        """Note what came of a call."""
        if noted is not None:
            self._timed(functools.partial(self._ended, noted, kind, value))

    def item(self, noted: Noted | None, value: Any) -> None:  # noqa: ANN401 -- any value at all
        """Note what a generator yields."""
        if noted is not None and len(noted.items) < _MOST_ITEMS:
            self._timed(lambda: noted.items.append(_TELLING["Teller"]().tell(value)))

    def _begun(
        self, name: str, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]
    ) -> Noted | None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        if self._counts[name, ""] >= _MOST or self._counts[name, test] >= _MOST_OF_TEST:
            return None
        makes, subject = function.__name__ == "__init__", None
        if makes:
            subject, given = given[0], (type(given[0]), *given[1:])
            if type(subject).__init__.__qualname__ != function.__qualname__:
                return None  # the constructor of a class above
        line = {"name": name, "module": function.__module__, "function": function.__qualname__}
        try:
            data = pickle.dumps((given, named), protocol=4)
            pickle.loads(data)  # noqa: S301 -- written just now
        except Exception:  # noqa: BLE001 -- the arguments' own code
            self._once(name, "missed", {**line, "missed": "its arguments cannot be kept"})
            return None
        digest = hashlib.sha256(data).hexdigest()
        if len(data) > _MOST_BYTES or (name, digest) in self._known:
            return None
        self._known.add((name, digest))
        self._counts[name, ""] += 1
        self._counts[name, test] += 1
        texts = [_TELLING["shortened"](each) for each in given[makes:]]
        texts += [f"{key}={_TELLING['shortened'](each)}" for key, each in named.items()]
        shown = f"{name.rpartition('::')[2].removesuffix('.__init__')}({', '.join(texts)})"
        kept = base64.b64encode(data).decode()
        return Noted({**line, "test": test, "call": shown, "arguments": kept, "makes": makes}, subject)

    def _ended(self, noted: Noted, kind: str, value: Any) -> None:  # noqa: ANN401 -- any value at all
        if noted.subject is not None and kind == "value":
            value = noted.subject
        told = value if kind == "raises" else _TELLING["Teller"]().tell(value)
        shown = f"raises {value}" if kind == "raises" else _TELLING["shortened"](value)
        if kind in ("yields", "closed") or noted.items:
            told, shown = f"{kind} {noted.items} {told}", f"{len(noted.items)} items"
        line = {**noted.line, "kind": kind, "told": _TELLING["digest"](told), "shown": shown}
        self._written({**line, "items": len(noted.items)})

    def _once(self, name: str, what: str, line: dict[str, Any]) -> None:
        if (name, what) not in self._known:
            self._known.add((name, what))
            self._written(line)

    def _written(self, line: dict[str, Any]) -> None:
        if not self._told_place:
            self._told_place = True
            own = {key: text for key, text in os.environ.items() if not key.startswith(_OF_RUNNER)}
            self._written({"environment": own, "path": [str(each) for each in sys.path]})
        os.makedirs(self._folder, exist_ok=True)  # noqa: PTH103 -- tests replace much, strings the least
        target = os.open(
            os.path.join(self._folder, f"{os.getpid()}.jsonl"),  # noqa: PTH118 -- the same
            os.O_WRONLY | os.O_CREAT | os.O_APPEND,
            0o600,
        )
        try:
            os.write(target, f"{json.dumps(line)}\n".encode())
        finally:
            os.close(target)

    def _timed(self, act: Callable[[], Any]) -> Any:  # noqa: ANN401 -- what the act gives
        if self._busy or self._spent_s > _MOST_S:
            return None
        self._busy, began = True, time.perf_counter()
        try:
            return act()
        except Exception:  # noqa: BLE001 -- what cannot be noted is left out; the test must go on
            return None
        finally:
            self._busy = False
            self._spent_s += time.perf_counter() - began


def _wrapped(recorder: Recorder, name: str, function: FunctionType) -> Any:  # noqa: ANN401 -- a function
    """Return a function of the same kind that notes its calls."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
            noted = recorder.begin(name, function, given, named)
            try:
                value = await function(*given, **named)
            except BaseException as error:
                recorder.end(noted, "raises", type(error).__qualname__)
                raise
            recorder.end(noted, "value", value)
            return value

        return awaited
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generated(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
            noted = recorder.begin(name, function, given, named)
            return (yield from _followed(recorder, noted, function(*given, **named)))

        return generated

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the function
        noted = recorder.begin(name, function, given, named)
        try:
            value = function(*given, **named)
        except BaseException as error:
            recorder.end(noted, "raises", type(error).__qualname__)
            raise
        recorder.end(noted, "value", value)
        return value

    return called


def _followed(recorder: Recorder, noted: Noted | None, inner: Any) -> Any:  # noqa: ANN401 -- generators
    """Pass on what a generator yields and is sent, and note it."""
    act: Callable[[], Any] = functools.partial(next, inner)
    try:
        while True:
            item = act()
            recorder.item(noted, item)
            try:
                sent = yield item
                act = functools.partial(inner.send, sent)
            except GeneratorExit:
                inner.close()
                recorder.end(noted, "closed", None)
                raise
            except BaseException as error:  # noqa: BLE001 -- it is thrown into the generator
                act = functools.partial(inner.throw, error)
    except StopIteration as stop:
        recorder.end(noted, "yields", stop.value)
        return stop.value
    except GeneratorExit:
        raise
    except BaseException as error:
        recorder.end(noted, "raises", type(error).__qualname__)
        raise


def start(folder: str) -> Recorder:
    """Return what notes calls; it is made once in a process, and outlives reloads of modules."""
    recorder = Recorder(folder)
    sys.modules["setpoint_calls"] = recorder
    return recorder
