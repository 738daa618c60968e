"""Notes the arguments of calls, from a statement that Setpoint puts at the top of each function.

It is loaded by its path, into the project's own process, and imports nothing of Setpoint.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pickle
import sys
import time
from collections import Counter
from types import CodeType, FrameType, ModuleType
from typing import Any

_MOST, _MOST_OF_TEST, _MOST_BYTES = 80, 12, 8192
"""Calls of one function, those of them in one test, and bytes of the arguments of one call."""
_MOST_S = 3.0
"""Seconds that one process spends on it."""
_DEEPEST = 60
_VARARGS, _VARKEYWORDS = 4, 8


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

    def seen(self, name: str) -> None:
        """Note the call of the function that asks."""
        if self._busy or self._spent_s > _MOST_S:
            return
        self._busy, began = True, time.perf_counter()
        try:
            self._note(name, sys._getframe(1))  # noqa: SLF001 - the one way to see who calls
        except Exception:  # noqa: BLE001, S110 - arguments that cannot be kept are left out; the test must go on
            pass
        finally:
            self._busy = False
            self._spent_s += time.perf_counter() - began

    def _note(self, name: str, frame: FrameType) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        if self._counts[name, ""] >= _MOST or self._counts[name, test] >= _MOST_OF_TEST:
            return
        self._codes.add(frame.f_code)
        data = pickle.dumps(_arguments(frame), protocol=4)
        digest = hashlib.sha256(data).hexdigest()
        if len(data) > _MOST_BYTES or (name, digest) in self._known:
            return
        self._known.add((name, digest))
        self._counts[name, ""] += 1
        self._counts[name, test] += 1
        line = {
            "name": name,
            "module": frame.f_globals.get("__name__", ""),
            "test": test,
            "outer": self._is_outer(frame),
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

    def _is_outer(self, frame: FrameType) -> bool:
        """Whether no other recorded function is calling."""
        above, depth = frame.f_back, 0
        while above is not None and depth < _DEEPEST:
            if above.f_code in self._codes:
                return False
            above, depth = above.f_back, depth + 1
        return True


def _arguments(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    held = frame.f_locals
    return {name: held[name] for name in code.co_varnames[:count]}


def start(folder: str) -> Recorder:
    """Return what notes calls; it is made once in a process, and outlives reloads of modules."""
    recorder = Recorder(folder)
    sys.modules["setpoint_calls"] = recorder
    return recorder
