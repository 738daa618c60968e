"""Chooses recorded calls, varies them, and answers them with the code of the tree that it runs in."""

from __future__ import annotations

import contextlib
import dis
import hashlib
import importlib
import inspect
import io
import json
import os
import pickle
import sys
import time
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..foreign_code import attempt
from ..process.children import Limits, Report, run_child
from ..process.refusals import Refused, forbid
from ..process.time_limits import TimeUp, arm, limited
from ..source.module_state import State
from ..wire.calls import RAISES, REFUSED, TIME, UNFIT, VALUE, Answer, CallsRequest, CallsResult
from ..wire.exchange import answer_order
from .built import Built, Unfit, loaded, signature_of
from .choice import Held, chosen, function_of, shortened
from .driven import driven
from .foreign_names import ForeignNames
from .sharing import shared_with
from .told import Teller, equals_everything
from .written import Written

_CPU_S, _RESTARTS, _MOST_SAID = 0.3, 4, 90
_RAISE = dis.opmap["RAISE_VARARGS"]
_SLOW_ENOUGH = 3
"""Calls of one function that take too long before its others are left out."""


@dataclass
class Stage:
    """Answers calls, within one process."""

    request: CallsRequest
    refusals: list[str]
    states: dict[str, State]

    def answer(self, held: Held) -> Answer:
        """Make one call on copies of its arguments; say what came of it."""
        number = held.call.number
        self.refusals.clear()
        printed = io.StringIO()
        try:
            function, given, before = self._prepared(held)
        except TimeUp:
            return Answer(number, TIME, shown="no end")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - what cannot be made again, for whatever reason
            return Answer(number, UNFIT, shown=f"{type(error).__name__}: {error}"[:_MOST_SAID])
        try:
            with limited(_CPU_S), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
                warnings.simplefilter("ignore")
                value, taken = driven(function(*given.args, **given.kwargs))
                told, refused = printed.getvalue(), len(self.refusals)
                # A list and an iterator of the same items are not the same answer.
                answer = self._value(number, (value, taken), (before, given.arguments), told)
                if not taken and held.call.of < 0:
                    again = partial(self._again, held)
                    answer = replace(answer, shares=shared_with(value, given.arguments, function, again))
                del self.refusals[refused:]  # of properties that were only looked at
        except (TimeUp, RecursionError, MemoryError):
            answer = Answer(number, TIME, shown="no end")
        except Refused:
            answer = Answer(number, REFUSED)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code under test raises is its answer
            answer = _raised(number, error, self.request.tree)
        for state in self.states.values():
            state.restore()
        return Answer(number, REFUSED) if self.refusals else answer

    def _value(
        self,
        number: int,
        settled_value: tuple[Any, str],
        arguments: tuple[dict[str, str], dict[str, Any]],
        printed: str,
    ) -> Answer:
        (value, taken), (before, now) = settled_value, arguments
        teller = Teller(self.request.loose)
        after = {name: teller.tell(each) for name, each in now.items()}
        changed = {name: text for name, text in after.items() if text != before.get(name)}
        changes = tuple(name for name in changed if name not in ("self", "cls"))
        told = json.dumps([teller.tell(value), taken, printed, changed], sort_keys=True)
        digest = hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()
        shown = f"{taken} {self._shown(value)}".strip()
        if changed:
            shown += f" ({', '.join(f'{name} is then {self._shown(now[name])}' for name in changed)})"
        if printed:
            shown += f" and prints {shortened(printed)}"
        equal, vague = equals_everything(value), ", ".join(teller.vague)
        return Answer(number, VALUE, digest, shown, equal, vague, changes=changes)

    def _again(self, held: Held) -> Any:  # noqa: ANN401 - any value at all
        """Make a call once more with arguments of its own, as a caller reaches it: with what decorates it."""
        function, given, _ = self._prepared(held)
        module = sys.modules.get(function.__module__)
        public = getattr(module, function.__qualname__, function)
        return (public if callable(public) else function)(*given.args, **given.kwargs)

    def _shown(self, value: Any) -> str:  # noqa: ANN401 - any value at all
        """Show a value; an object whose text says nothing by what it holds."""
        shown = shortened(value)
        return Teller(self.request.loose).tell(value)[:_MOST_SAID] if " object at 0x" in shown else shown

    def _made(self, built: Built | Written) -> Any:  # noqa: ANN401 - any object
        """Make an object, or a file, as a test did."""
        if isinstance(built, Written):
            return built.put(self.request.scratch)
        kind = function_of(self.request, built.name, built.module)
        if not isinstance(kind, type):
            raise Unfit(f"{built.name} is no class")
        (_, first), *steps = built.steps
        given = bound(kind, first)
        subject = kind(*given.args, **given.kwargs)
        for name, arguments in steps:
            last = self.request.functions.get(name, ("", name))[1].rpartition(".")[2]
            # What raised in a test raises again, and the test went on.
            attempt(partial(_asked, subject, last, arguments))
        return subject

    def _prepared(self, held: Held) -> tuple[Callable[..., Any], inspect.BoundArguments, dict[str, str]]:
        function = function_of(self.request, held.call.name, held.module)
        with limited(_CPU_S), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            arguments: dict[str, Any] = loaded(held.arguments, self._made, ())
        given = bound(function, arguments)
        home = sys.modules.get(function.__module__)
        if home is not None and home.__name__ not in self.states:
            self.states[home.__name__] = State(home)
        teller = Teller(self.request.loose)
        return function, given, {name: teller.tell(each) for name, each in given.arguments.items()}


def _raised(number: int, error: BaseException, tree: str) -> Answer:
    """Tell an exception by its type, and where in the tree it was raised."""
    kind, place, deliberate = type(error).__qualname__, "", False
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = os.path.realpath(frame.f_code.co_filename)
        if path.startswith(f"{os.path.realpath(tree)}{os.sep}"):
            place = f"{os.path.relpath(path, os.path.realpath(tree)).replace(os.sep, '/')}:{line}"
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is not None:
        deliberate = step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE
    said = attempt(lambda: " ".join(str(error).split())[:_MOST_SAID])
    return Answer(
        number,
        RAISES,
        kind,
        f"raises {kind}",
        place=place,
        deliberate=deliberate,
        said=said if isinstance(said, str) else "",
    )


def _asked(subject: Any, name: str, arguments: dict[str, Any]) -> None:  # noqa: ANN401 - any object
    """Call a method of an object, or set or read a property."""
    if isinstance(getattr(type(subject), name, None), property) and arguments:
        setattr(subject, name, *arguments.values())
    elif callable(found := getattr(subject, name)):
        given = bound(found, arguments)
        driven(found(*given.args, **given.kwargs))


def bound(function: Callable[..., Any], arguments: dict[str, Any]) -> inspect.BoundArguments:
    """Fit arguments by name to a function; raise `Unfit` where it takes others."""
    signature = signature_of(function)
    if unknown := [name for name in arguments if name not in signature.parameters]:
        raise Unfit(f"no parameter {unknown[0]}")
    given = signature.bind_partial()
    for name, each in signature.parameters.items():
        if name in arguments:
            given.arguments[name] = arguments[name]
        elif each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise Unfit(f"{name} is missing")
    return given


def answered(request: CallsRequest) -> CallsResult:
    """Answer all calls; one that ends the process, or never comes back, is left out."""
    result = CallsResult()
    until = time.monotonic() + request.wall_s
    done: set[int] = set()
    running: list[int] = []

    def take(record: tuple[str, Any]) -> bool:
        kind, value = record
        if kind == "call":
            result.calls.append(value)
        elif kind == "left":
            result.left = value
        elif kind == "altered":
            result.altered = sorted({*result.altered, *value})
        elif kind == "at":
            running[:] = [value]
        elif kind == "answer":
            done.add(value.number)
            result.answers.append(value)
        return time.monotonic() > until

    for turn in range(_RESTARTS):
        act = partial(
            _act, replace(request, recorded="" if turn and result.calls else request.recorded), done
        )
        ended = run_child(act, Limits(request.memory_bytes, 3.0), take)
        if ended.finished or time.monotonic() > until:
            break
        result.reason = ended.error
        done.update(running)
    result.reason = "" if result.answers else result.reason or "no call could be kept"
    return result


def _act(request: CallsRequest, done: set[int], report: Report) -> None:
    os.chdir(request.tree)
    foreign = ForeignNames(request.tree)
    sys.path.insert(0, request.tree)
    if request.recorded:
        held, left = chosen(request, partial(report, ("choosing", "")))
        report(("left", left))
        Path(request.calls).write_bytes(pickle.dumps((held, sys.path)))
        for each in held:
            report(("call", each.call))
    else:
        held, paths = pickle.loads(Path(request.calls).read_bytes())  # noqa: S301 - written by ourselves
        sys.path.extend(each for each in paths if each not in sys.path)
    held = [each for each in held if each.call.name in request.functions]
    for module in {request.functions[each.call.name][0] or each.module for each in held}:
        attempt(partial(importlib.import_module, module))
    report(("altered", loaded := foreign.altered()))
    stage = Stage(request, [], {})
    arm()
    forbid(stage.refusals, request.scratch)
    ready = ForeignNames(request.tree)
    slow: dict[str, int] = defaultdict(int)
    for each in held:
        number = each.call.number
        if (
            number in done
            or (request.only and number not in request.only)
            or slow[each.call.name] > _SLOW_ENOUGH
        ):
            continue
        report(("at", number))
        answer = stage.answer(each)
        slow[each.call.name] += answer.kind == TIME
        report(("answer", answer))
    report(("altered", [*loaded, *ready.altered()]))


def main(words: list[str]) -> int:
    """Read a request, answer its calls, and write what came of them."""
    return answer_order(words, CallsRequest, answered, lambda fault: CallsResult(reason=fault))
