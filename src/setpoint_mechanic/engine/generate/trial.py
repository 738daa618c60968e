"""Runs one case under the tracer and says what came of it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import re
import shutil
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from setpoint_probe.reach.anatomy import Arc
from setpoint_probe.reach.arcs import ArcTracer

from .cases import Case, Cast
from .given.fixtures import FOLDER, NO_SUPPLY, Supply
from .limits import CPU_S, TimeUp, limited
from .module_state import State
from .nondeterminism import Unsure
from .oracle import Oracle, changed_files
from .programs import Program, program
from .refusals import Refused
from .specified import compared
from .stand_ins import FUNCTIONS, NAMED, run_watched
from .values.kinds import MODULES

_MOST_ITEMS = 12
"""Items that are taken of an iterator which may never end."""
SOURCE = "<case>"
AWAITS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_NUMBERS = itertools.count()


class Outcome(NamedTuple):
    """What came of a case."""

    kind: str
    """value, error, time, refused, waits (a loop takes its answer) or wrong (the case does not work)."""
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
    meets: str = ""
    """Whether it is what the example of a documentation says: meets or contradicts; empty: not known."""
    loopless: bool = False
    """It failed because no event loop ran."""
    still: bool = False
    """It asks the event loop for the time, or sets a timer."""

    @property
    def told(self) -> tuple[object, ...]:
        """All that a test would notice."""
        return (
            self.kind,
            self.wrap,
            self.checks,
            self.after,
            self.error,
            self.line,
            self.type if self.kind == "waits" else "",
        )


class Ready(NamedTuple):
    """A case that is compiled."""

    steps: Program
    want: str
    """What the example says that the call gives."""
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
    supply: Supply = NO_SUPPLY
    cpu_s: float = CPU_S
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
        code = tuple(compile(line, SOURCE, "exec", AWAITS) for line in steps.setup)
        return Ready(steps, case.want, code, compile(steps.call, SOURCE, "eval", AWAITS))

    def _timed(self, ready: Ready, *, traced: bool) -> Outcome:
        names: dict[str, Any] = {}
        try:
            with limited(self.cpu_s):
                names.update(self._names(ready))
        except TimeUp:
            return Outcome("time")
        except Exception:  # noqa: BLE001 - a fixture of the project raises what it likes
            self.supply.close()
            return Outcome("wrong")
        self.oracle.folder = str(names.get(FOLDER, ""))
        try:
            with contextlib.ExitStack() as doubles, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for text in ready.steps.doubles:
                    given = doubles.enter_context(eval(text, names))  # noqa: S307 - a stand-in of ours
                    names[NAMED.get(text.partition("(")[0], "_")] = given
                with limited(self.cpu_s):
                    play = self._play(ready, names, traced=traced)
                    outcome, still = run_watched(play) if ready.steps.waits else (_at_once(play), False)
                    shared = self.supply.is_changed()  # other tests would see that
                    return Outcome("wrong") if shared else outcome._replace(still=still)
        except (TimeUp, RecursionError):
            return Outcome("time")
        finally:
            self.tracer.stop()
            self.supply.close()
            if FOLDER in names:
                shutil.rmtree(names[FOLDER], ignore_errors=True)

    async def _play(self, ready: Ready, names: dict[str, Any], *, traced: bool) -> Outcome:
        """Run the steps of a case; without one that waits, this never waits either."""
        place, wrap = 0, "{}"
        try:
            if traced:
                self.tracer.start()
            try:
                for line in ready.code:
                    await _ran(line, names)
                    place += 1
                value = await _ran(ready.call, names)
                if (how := taken(value)) and not ready.steps.waits:
                    return Outcome("waits", type=how)
                meets = compared(value, ready.want) if ready.want else ""
                wrap = "list({})" if _is_iterator(value) else "{}"
                value, wrap = settled(value)
            finally:
                self.tracer.stop()
            return (await self._value(value, wrap, ready, names))._replace(meets=meets)
        except RecursionError:
            return Outcome("time")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code under test raises is what a test pins
            return self._error(error, place, wrap)
        finally:
            self.tracer.stop()

    def _names(self, ready: Ready) -> dict[str, Any]:
        names = environment(self.module, self.cast.module)
        given = ready.steps.given
        names.update((name, self.supply.functions[name]) for name in given if name in self.supply.functions)
        if any(FOLDER in line for line in (*ready.steps.setup, ready.steps.call)) or self.supply.asks_folder(
            given
        ):
            names[FOLDER] = Path(tempfile.gettempdir(), f"run-{next(_NUMBERS)}")  # `mkdtemp` would ask chance
            names[FOLDER].mkdir(parents=True)
        names.update(self.supply.made(given, names))
        return names

    async def _value(self, value: Any, wrap: str, ready: Ready, names: dict[str, Any]) -> Outcome:  # noqa: ANN401 - any value at all
        checks = self.oracle.describe(value)
        steps = ready.steps
        after = [
            (name, check)
            for text in steps.doubles
            if (name := NAMED.get(text.partition("(")[0], ""))
            for check in self.oracle.describe(names[name])
        ]
        if steps.names or steps.subject or FOLDER in names:
            after += await self._changes(ready, names)
        can_be_called = callable(value) and not inspect.isclass(value)
        return Outcome("value", wrap, checks, tuple(after), callable=can_be_called, type=type(value).__name__)

    async def _changes(self, ready: Ready, names: dict[str, Any]) -> list[tuple[str, str]]:
        """Describe the object, the arguments and the files that the call has changed."""
        steps = ready.steps
        before = self._names(ready)
        found: list[tuple[str, str]] = []
        with contextlib.suppress(Exception):  # what cannot be made again or compared is not described
            for line, code in zip(steps.setup, ready.code):
                if "entered:\n" not in line:
                    await _ran(code, before)
            for name in (steps.subject, *steps.names):
                self.oracle.folder = str(before.get(FOLDER, ""))
                was = self.oracle.describe(before[name]) if name else ()
                self.oracle.folder = str(names.get(FOLDER, ""))
                now = self.oracle.describe(names[name]) if name else ()
                if was != now:
                    found += [(name, check) for check in now if "__name__" not in check and check not in was]
        if FOLDER in names:
            found += [(FOLDER, check) for check in changed_files(before[FOLDER], names[FOLDER])]
            shutil.rmtree(before[FOLDER], ignore_errors=True)
        return found

    def _error(self, error: BaseException, at: int, wrap: str) -> Outcome:
        if isinstance(error, Refused):
            return Outcome("refused")
        name, module = self._raisable(type(error))
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename != __file__]
        last = own[-1] if own else None
        raised = last is not None and re.match(r"\s*(raise|assert)\b", last.line or "") is not None
        declared = raised and last is not None and last.filename == self.module.__file__
        loopless = isinstance(error, RuntimeError) and "event loop" in str(error)
        return Outcome(
            "error", wrap, error=name, imports=module, declared=declared, line=at, loopless=loopless
        )

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
    names.update(FUNCTIONS)
    names.update({name: sys.modules[name] for name in MODULES if name in sys.modules and name != alias})
    return names


def _is_iterator(value: Any) -> bool:  # noqa: ANN401 - any value at all
    return hasattr(value, "__next__") and hasattr(value, "__iter__") and not hasattr(value, "read")


async def _ran(code: types.CodeType, names: dict[str, Any]) -> Any:  # noqa: ANN401 - any value at all
    """Run one compiled step, and wait for it where it waits."""
    value = eval(code, names)  # noqa: S307 - a call that we made up
    return await value if code.co_flags & inspect.CO_COROUTINE else value


def _at_once(play: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run a coroutine that never waits."""
    try:
        play.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # what `_play` returns
    finally:
        play.close()
    return Outcome("wrong")


def taken(value: Any) -> str:  # noqa: ANN401 - any value at all
    """Say how an answer is taken in an event loop; empty where it is a plain value."""
    kind = type(value)
    if inspect.iscoroutine(value):
        value.close()
    if hasattr(kind, "__aenter__") and not inspect.isclass(value) and hasattr(kind, "__await__"):
        return "async with"
    if hasattr(kind, "__await__"):
        return "await"
    return "async for" if hasattr(kind, "__anext__") else ""


def settled(value: Any) -> tuple[Any, str]:  # noqa: ANN401 - any value at all
    """Take from an iterator what it gives; say how that is written."""
    if _is_iterator(value):
        items = list(itertools.islice(value, _MOST_ITEMS + 1))
        if len(items) <= _MOST_ITEMS:
            return items, "list({})"
        return items[:-1], f"list(itertools.islice({{}}, {_MOST_ITEMS}))"
    return value, "{}"


class Assured(NamedTuple):
    """What may be asserted of a case."""

    outcome: Outcome | None
    """None where nothing is the same twice."""
    asked: frozenset[str]
    """What the call asked of the clock, of chance and of the machine."""


def assured(stage: Stage, case: Case, first: Outcome) -> Assured:
    """Run a case once more, and tell what may be asserted of it.

    Of what asks the clock, chance or the machine, the type alone is asserted.
    """
    unsure = Unsure(steady=any(double.startswith("steady_chance") for double in case.doubles))
    with unsure.watching():
        again, _ = stage.run(case, traced=False)
    asked = frozenset(unsure.asked)
    if again.told == first.told and not asked:
        return Assured(first, asked)
    if first.kind != "value" or again.kind != "value" or first.type != again.type or first.wrap != "{}":
        return Assured(None, asked)
    return Assured(first._replace(checks=(f"type({{}}).__name__ == {first.type!r}",), after=()), asked)
