"""Makes recorded calls again, one after the other, and writes what came of each.

usage: python replay.py REQUEST.json; a bare test calls `replay` in the runner's own process.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib
import inspect
import io
import itertools
import json
import os
import pickle
import runpy
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

_CALL_S, _MOST_SAID = 2.0, 120
_TELLING = runpy.run_path(str(Path(__file__).with_name("telling.py")))
Teller = _TELLING["Teller"]


class TimeUp(BaseException):
    """A call takes too long."""


class NoRunner:
    """Refuses to import the test runner: whatever needs it is no call outside of a test."""

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse the runner, and leave all others to the next."""
        if name.partition(".")[0] in ("pytest", "_pytest"):
            raise ImportError("no test runner here")


class _Unpickler(pickle.Unpickler):
    """Remembers the classes that arguments are made of."""

    def __init__(self, data: bytes, teller: Any) -> None:  # noqa: ANN401 -- the teller is loaded by its path
        super().__init__(io.BytesIO(data))
        self._teller = teller

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 -- any class or function
        found = super().find_class(module, name)
        if isinstance(found, type) and not _TELLING["is_of_library"](found):
            self._teller.classes[f"{module}.{name}"] = found
        return found


def replay(request: str, *, outside: bool) -> None:
    """Answer all calls of a request."""
    with open(request, encoding="utf-8") as file:  # noqa: PTH123 -- in the project's own process
        asked = json.load(file)
    if outside:
        sys.meta_path.insert(0, NoRunner())
    os.environ.update(asked["environment"])
    sys.path.extend(each for each in asked["path"] if each not in sys.path)
    until = time.monotonic() + asked["wall_s"]
    with (
        open(asked["calls"], encoding="utf-8") as calls,  # noqa: PTH123 -- the same
        open(asked["answers"], "w", encoding="utf-8") as answers,  # noqa: PTH123 -- the same
        contextlib.redirect_stdout(io.StringIO()),
    ):
        for line in calls:
            call = json.loads(line)
            if time.monotonic() > until:
                break
            answers.write(f"{json.dumps({'number': call['number'], **_answer(call)})}\n")
            answers.flush()


def _answer(call: dict[str, Any]) -> dict[str, Any]:
    teller = Teller()
    try:
        with _limited():
            function = _function(call["module"], call["function"])
            given, named = _Unpickler(base64.b64decode(call["arguments"]), teller).load()
    except (Exception, TimeUp, SystemExit) as error:  # noqa: BLE001 -- what cannot be made again, for whatever reason
        return {"kind": "unfit", "told": "", "shown": f"{type(error).__name__}: {error}"[:_MOST_SAID]}
    try:
        with _limited():
            if call["makes"]:
                kind, told, shown = _told(call, teller, given[0](*given[1:], **named))
            else:
                kind, told, shown = _told(call, teller, function(*given, **named))
    except TimeUp:
        return {"kind": "time", "told": "", "shown": "no end"}
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever the code raises is its answer
        name = type(error).__qualname__
        kind, told, shown = "raises", name, f"raises {name}"
    return {"kind": kind, "told": _TELLING["digest"](told), "shown": shown, "classes": teller.prints()}


def _told(call: dict[str, Any], teller: Any, value: Any) -> tuple[str, str, str]:  # noqa: ANN401 -- any value at all
    if inspect.iscoroutine(value):
        value = asyncio.run(value)
    if not inspect.isgenerator(value) or call["kind"] not in ("yields", "closed", "raises"):
        return "value", teller.tell(value), _TELLING["shortened"](value)
    if call["kind"] == "closed":
        items = [teller.tell(each) for each in itertools.islice(value, call["items"])]
        value.close()
        return "closed", f"closed {items} None", f"{len(items)} items"
    items, returned = [], None
    kind = "yields"
    try:
        while True:
            items.append(teller.tell(next(value)))
    except StopIteration as stop:
        returned = teller.tell(stop.value)
    except Exception as error:
        if not items:
            raise
        kind, returned = "raises", type(error).__qualname__
    return kind, f"{kind} {items[: call['items']]} {returned}", f"{len(items)} items"


def _function(module: str, qualified: str) -> Any:  # noqa: ANN401 -- a function
    """Return the plain function of a name, without what decorates it."""
    *owners, last = qualified.split(".")
    found: Any = importlib.import_module(module)
    for each in owners:
        found = getattr(found, each)
    raw: Any = inspect.getattr_static(found, last)
    for _ in range(8):
        if isinstance(raw, FunctionType) and not hasattr(raw, "__wrapped__"):
            break
        for name in ("__func__", "fget", "__wrapped__", "func"):
            if (inner := getattr(raw, name, None)) is not None:
                raw = inner
                break
    if not callable(raw):
        raise TypeError(f"{qualified} is no function")
    return raw


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _CALL_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    sys.path[:] = sys.path[1:]  # its own folder, where modules could hide those of the project
    replay(sys.argv[1], outside=True)
