"""Runs one case under the tracer and says what came of it."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import os
import re
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from ..reach.anatomy import Arc
from ..reach.arcs import ArcTracer
from .cases import Case, Cast, Program, program
from .module_state import State
from .nondeterminism import Unsure
from .oracle import Oracle
from .values.kinds import MODULES

_CPU_S, _WALL_S = 0.25, 2.0
_MOST_ITEMS = 12
"""Items that are taken of an iterator which may never end."""
SOURCE = "<case>"


class TimeUp(BaseException):
    """A call took too long."""


class Refused(PermissionError):
    """A call reached for what a test may not touch."""


class Outcome(NamedTuple):
    """What came of a case."""

    kind: str
    """value, error, time, refused or wrong (the case itself does not work)."""
    wrap: str = "{}"
    """What has to be put around the call so that its value can be compared."""
    checks: tuple[str, ...] = ()
    """Assertions about the result, with `{}` for it."""
    after: tuple[tuple[str, str], ...] = ()
    """Assertions about variables afterwards: variable, and assertion with `{}` for it."""
    error: str = ""
    """Expression for the type of the exception."""
    imports: str = ""
    """Module to be imported for it."""
    declared: bool = False
    """The module under test raises the exception by itself."""
    callable: bool = False
    """The result can be called in turn."""
    type: str = ""
    """Name of the result's type."""
    line: int = 0
    """Place in the setup, from 0, of what raised; the number of its lines for the call."""

    @property
    def told(self) -> tuple[object, ...]:
        """All that a test would notice."""
        return (self.kind, self.wrap, self.checks, self.after, self.error, self.line)


class Ready(NamedTuple):
    """A case that is compiled."""

    steps: Program
    code: tuple[types.CodeType, ...]
    call: types.CodeType


@dataclass
class Stage:
    """All that running cases needs, within one process."""

    module: ModuleType
    cast: Cast
    oracle: Oracle
    tracer: ArcTracer
    path: str
    refusals: list[str]
    """What was refused since it was emptied last."""

    state: State
    """What the module keeps from call to call; put back before each case."""
    cpu_s: float = _CPU_S
    dirty: bool = False
    """The last case changed what the module keeps."""
    ready: dict[Case, Ready] = field(default_factory=dict)
    """Compiled cases that are run again and again."""

    def run(self, case: Case, *, traced: bool = True) -> tuple[Outcome, frozenset[Arc]]:
        """Run a case; gives what came of it and the arcs of the module that it took."""
        try:
            ready = self.ready.get(case) or self._compiled(case)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            return Outcome("wrong"), frozenset()
        if not traced:
            self.ready[case] = ready
        self.refusals.clear()
        self.tracer.take()
        outcome = self._timed(ready, traced=traced)
        arcs = self.tracer.take().get(self.path, frozenset())
        self.dirty = self.state.restore()
        return (Outcome("refused") if self.refusals else outcome), arcs

    def _compiled(self, case: Case) -> Ready:
        steps = program(case, self.cast)
        code = tuple(compile(line, SOURCE, "exec") for line in steps.setup)
        return Ready(steps, code, compile(steps.call, SOURCE, "eval"))

    def _timed(self, ready: Ready, *, traced: bool) -> Outcome:
        names = environment(self.module, self.cast.module)
        place, wrap = 0, "{}"
        try:
            with limited(self.cpu_s), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if traced:
                    self.tracer.start()
                try:
                    for line in ready.code:
                        exec(line, names)  # noqa: S102 - a call that we made up
                        place += 1
                    value = eval(ready.call, names)  # noqa: S307 - the same
                    wrap = "list({})" if _is_iterator(value) else "{}"
                    value, wrap = settled(value)
                finally:
                    self.tracer.stop()
                return self._value(value, wrap, ready.steps, names)
        except (TimeUp, RecursionError):
            return Outcome("time")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code under test raises is what a test pins
            return self._error(error, place, wrap)
        finally:
            self.tracer.stop()

    def _value(self, value: Any, wrap: str, steps: Program, names: dict[str, Any]) -> Outcome:  # noqa: ANN401 - any value at all
        checks = self.oracle.describe(value)
        after = self._changes(steps, names) if steps.names or steps.subject else ()
        can_be_called = callable(value) and not inspect.isclass(value)
        return Outcome("value", wrap, checks, after, callable=can_be_called, type=type(value).__name__)

    def _changes(self, steps: Program, names: dict[str, Any]) -> tuple[tuple[str, str], ...]:
        """Describe the object and the arguments that the call has changed in place."""
        before: dict[str, Any] = environment(self.module, self.cast.module)
        found: list[tuple[str, str]] = []
        with contextlib.suppress(Exception):  # what cannot be made again or compared is not described
            for line in steps.setup:
                exec(line, before)  # noqa: S102 - what we made up, once more
            for name in (steps.subject, *steps.names):
                was, now = (
                    self.oracle.describe(before[name]) if name else (),
                    self.oracle.describe(names[name]) if name else (),
                )
                if was != now:
                    found += [(name, check) for check in now if "__name__" not in check and check not in was]
        return tuple(found)

    def _error(self, error: BaseException, at: int, wrap: str) -> Outcome:
        if isinstance(error, Refused):
            return Outcome("refused")
        name, module = self._raisable(type(error))
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename != __file__]
        last = own[-1] if own else None
        raised = last is not None and re.match(r"\s*(raise|assert)\b", last.line or "") is not None
        declared = raised and last is not None and last.filename == self.module.__file__
        return Outcome("error", wrap, error=name, imports=module, declared=declared, line=at)

    def _raisable(self, kind: type[BaseException]) -> tuple[str, str]:
        """Name an exception's type, or the nearest above it that tests can name."""
        for each in kind.__mro__:
            if each.__module__ == "builtins":
                return each.__name__, ""
            if getattr(self.module, each.__name__, None) is each:
                return f"{self.cast.module}.{each.__name__}", ""
            home = sys.modules.get(each.__module__)
            if (
                home is not None
                and getattr(home, each.__name__, None) is each
                and not each.__module__.startswith("_")
            ):
                return f"{each.__module__}.{each.__name__}", each.__module__
        return "Exception", ""


def environment(module: ModuleType, alias: str) -> dict[str, Any]:
    """Return the names that a case can use."""
    names: dict[str, Any] = {"__name__": "case", alias: module}
    names.update({name: sys.modules[name] for name in MODULES if name in sys.modules and name != alias})
    return names


def _is_iterator(value: Any) -> bool:  # noqa: ANN401 - any value at all
    return hasattr(value, "__next__") and hasattr(value, "__iter__") and not hasattr(value, "read")


def settled(value: Any) -> tuple[Any, str]:  # noqa: ANN401 - any value at all
    """Take from an iterator what it gives, and from a coroutine what it returns; say how that is written."""
    if inspect.iscoroutine(value):
        import asyncio  # noqa: PLC0415 - few modules under test need it

        return asyncio.run(value), "asyncio.run({})"
    if _is_iterator(value):
        items = list(itertools.islice(value, _MOST_ITEMS + 1))
        if len(items) <= _MOST_ITEMS:
            return items, "list({})"
        return items[:-1], f"list(itertools.islice({{}}, {_MOST_ITEMS}))"
    return value, "{}"


@contextlib.contextmanager
def limited(cpu_s: float, wall_s: float = _WALL_S) -> Iterator[None]:
    """Raise `TimeUp` in the call when it takes too long; a loop in C is ended by the parent process."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.05)
    signal.setitimer(signal.ITIMER_REAL, wall_s, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def arm() -> None:
    """Make the time limits raise, in this process."""

    def time_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeUp

    signal.signal(signal.SIGPROF, time_up)
    signal.signal(signal.SIGALRM, time_up)


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REFUSED = frozenset(
    (
        *(
            f"os.{name}"
            for name in ("remove", "rmdir", "rename", "truncate", "mkdir", "chmod", "chown", "link")
        ),
        *(f"os.{name}" for name in ("symlink", "utime", "chdir", "putenv", "unsetenv", "kill", "killpg")),
        *(f"os.{name}" for name in ("system", "exec", "fork", "forkpty", "posix_spawn")),
        *(f"socket.{name}" for name in ("connect", "bind", "getaddrinfo", "gethostbyname", "sendto")),
        *("shutil.rmtree", "shutil.move", "subprocess.Popen", "ctypes.dlopen", "signal.pthread_kill"),
        *("webbrowser.open", "resource.setrlimit", "builtins.input", "sqlite3.connect"),
    )
)


def forbid(refusals: list[str], temporary: str) -> None:
    """Refuse from now on, in this process, what tests may not touch: files, processes, the network.

    Temporary files may be made: what makes them takes them away, and so will the test.
    """
    real = os.path.realpath(temporary) + os.sep

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if not (isinstance(flags, int) and flags & _WRITING) or path is None or isinstance(path, int):
                return
            if os.path.realpath(os.fsdecode(path)).startswith((real, os.devnull)):
                return
        elif event not in _REFUSED or (
            args
            and isinstance(args[0], (str, bytes))
            and os.path.realpath(os.fsdecode(args[0])).startswith(real)
        ):
            return
        refusals.append(event)
        raise Refused(f"{event} is not for tests")

    sys.addaudithook(hook)


def assured(stage: Stage, case: Case, first: Outcome) -> Outcome | None:
    """Run a case once more; gives what may be asserted of it, or none where nothing is the same twice.

    Of what asks the clock, chance or the machine, the type alone is asserted.
    """
    unsure = Unsure()
    with unsure.watching():
        again, _ = stage.run(case, traced=False)
    if again.told == first.told and not unsure.asked:
        return first
    if first.kind != "value" or again.kind != "value" or first.type != again.type or first.wrap != "{}":
        return None
    return first._replace(checks=(f"type({{}}).__name__ == {first.type!r}",), after=())
