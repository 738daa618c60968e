"""Notices calls whose answers are others tomorrow or elsewhere: of the clock, of chance, of the machine."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

_ASKING = frozenset(
    (
        *(
            "now",
            "today",
            "utcnow",
            "time",
            "time_ns",
            "monotonic",
            "monotonic_ns",
            "perf_counter",
            "process_time",
        ),
        *("random", "getrandbits", "urandom", "uuid1", "uuid4", "getpid", "getppid", "getcwd", "gethostname"),
        *("uname", "getlogin", "cpu_count", "getloadavg", "get_ident"),
    )
)
_METHODS_TOO = frozenset(("now", "today", "utcnow", "random", "getrandbits"))
"""Those that are methods; the others count as functions of a module only."""
_BY_CHANCE = frozenset(("random", "getrandbits"))
_LOOPS = ("asyncio", "concurrent.futures", "selectors")
"""Modules that ask for their own bookkeeping: a loop asks the clock for its timers in each round."""
_OWN = "setpoint_engine"
_BY_THREAD = ("dataclasses", "reprlib", "threading")
"""Modules to which a thread's number is a mere key: the repr of a dataclass asks for it."""


class Unsure:
    """Watches calls of built-in functions."""

    def __init__(self, *, steady: bool = False) -> None:
        """Watch; where chance is held `steady` by a stand-in, it does not count."""
        self._steady = _BY_CHANCE if steady else frozenset()
        self.asked: set[str] = set()
        """Names of what was called."""

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch for as long as the block lasts."""
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:  # noqa: ANN401 - what the interpreter hands over
        if event != "c_call":
            return
        name = getattr(arg, "__name__", "")
        asking = frame.f_globals.get("__name__", "")
        if name not in _ASKING or name in self._steady or asking.startswith(_LOOPS) or _OWN in asking:
            return
        if (name == "get_ident" and asking in _BY_THREAD) or _of_the_collector(frame):
            return
        if name in _METHODS_TOO or isinstance(getattr(arg, "__self__", None), ModuleType):
            self.asked.add(name)


def _of_the_collector(frame: FrameType) -> bool:
    """Whether it is a callback of the garbage collector, which runs at any moment and answers nobody."""
    return any(getattr(each, "__code__", None) is frame.f_code for each in gc.callbacks)
