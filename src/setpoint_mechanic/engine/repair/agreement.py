"""Which of several repairs behave alike: each is called with inputs of the tests and with others near them.

Tests tell that a repair satisfies them, not that it is right (Smith et al. 2015). Repairs that give the same
results on all inputs are one class; classes that differ show what the tests leave open.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import pickle
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

from setpoint_probe.foreign_code import Raised, attempt
from setpoint_probe.localise.ochiai import Function
from setpoint_probe.process import guard
from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import Suite
from setpoint_probe.source.hot_swap import Swapper

from .candidates import Candidate

_MOST_CALLS = 96
_EACH_FUNCTION = 6
_LARGEST = 20_000
"""Bytes of a pickled input; what is larger takes more time than it tells."""
_MOST_CANDIDATES = 24
_CALL_S = 0.3
_RECORDING_S = 5.0
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_SKIPPED = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Call(NamedTuple):
    """One input of one function."""

    function: Function
    name: str
    data: bytes
    """Positional and keyword arguments, pickled."""
    words: str
    """The call as one would write it, shortened."""


@dataclass
class Agreement:
    """How the repairs behave on the inputs."""

    calls: int = 0
    classes: list[tuple[str, ...]] = field(default_factory=list)
    """What each repair gave, call by call; empty where it was not tried."""
    told: list[str] = field(default_factory=list)
    """The calls in words."""

    def alike(self, place: int) -> int:
        """Count the other repairs that behave as one does; 0 where it was not tried."""
        own = self.classes[place] if 0 <= place < len(self.classes) else ()
        return sum(each == own for each in self.classes) - 1 if own else 0

    def same(self, one: int, other: int) -> bool:
        """Return whether two repairs were tried and gave the same on every input."""
        if not 0 <= min(one, other) <= max(one, other) < len(self.classes):
            return False
        return bool(self.classes[one]) and self.classes[one] == self.classes[other]

    def differing(self, one: int, other: int) -> str:
        """Return an input on which two repairs differ, with both results; empty for none known."""
        if not 0 <= min(one, other) <= max(one, other) < len(self.classes):
            return ""
        left, right = self.classes[one], self.classes[other]
        for call, mine, theirs in zip(self.told, left, right):
            if mine != theirs:
                return f"{call}: {mine[:80]} or {theirs[:80]}"
        return ""


@dataclass(frozen=True)
class Comparison:
    """The session in which repairs are compared."""

    suite: Suite
    swapper: Swapper
    wanted: Callable[[str], bool]
    """Accepts the files of the project."""
    limits: Limits
    tree: str
    scratch: str

    def compare(self, candidates: Sequence[Candidate], tests: Collection[str]) -> Agreement:
        """Call the functions that `tests` enter and those that were edited, once with each repair."""
        edited = {
            (each.source.path, unit.first_line)
            for each in candidates
            for unit in each.units()
            if unit.is_function
        }
        calls = self._inputs(edited, tests)
        agreement = Agreement(len(calls), [()] * len(candidates), [call.words for call in calls])
        if calls:
            for place, candidate in enumerate(candidates[:_MOST_CANDIDATES]):
                agreement.classes[place] = self._behaviour(candidate, calls)
        return agreement

    def _inputs(self, edited: Collection[Function], tests: Collection[str]) -> list[Call]:
        own: list[Call] = []
        varied: list[Call] = []

        def act(report: Report) -> None:
            guard.install([self.scratch], self.tree)
            cpu_timer(_RECORDING_S, 2 * _RECORDING_S)
            recorder = _Recorder(self.wanted, edited)
            for test in tests:
                sys.settrace(recorder)
                try:
                    self.suite.run(test)
                finally:
                    sys.settrace(None)
            for call in dict.fromkeys(recorder.calls):
                report(("own", call))
                for other in _variants(call):
                    report(("varied", other))

        def take(entry: tuple[str, Call]) -> None:
            kind, call = entry
            if self.swapper.live(call.function, call.name):
                (own if kind == "own" else varied).append(call)

        run_child(act, self.limits, take)
        room = max(1, _MOST_CALLS - len(own))
        return [*own, *varied[:: len(varied) // room + 1]][:_MOST_CALLS]

    def _behaviour(self, candidate: Candidate, calls: Sequence[Call]) -> tuple[str, ...]:
        seen: list[str] = []

        def act(report: Report) -> None:
            guard.install([self.scratch], self.tree)
            for unit, edits in candidate.parts():
                self.swapper.apply(candidate.source, unit, edits)
            for call in calls:
                cpu_timer(_CALL_S, 4 * _CALL_S)
                report(self._outcome(call))

        def take(outcome: str) -> None:
            seen.append(outcome)

        ended = run_child(act, self.limits, take)
        if not ended.finished and not seen and not ended.cpu_limit:
            return ()
        return (*seen, *["no end"] * (len(calls) - len(seen)))

    def _outcome(self, call: Call) -> str:
        function = self.swapper.live(call.function, call.name)
        if function is None:
            return "not live"
        args, keywords = pickle.loads(call.data)  # noqa: S301 - pickled by our own child

        def called() -> object:
            result = function(*args, **keywords)
            if inspect.isgenerator(result) or isinstance(result, (map, filter, zip)):
                return list(itertools.islice(result, 50))
            return result

        result = attempt(called)
        if isinstance(result, Raised):
            return type(result.error).__name__  # how the code under repair ends is what is asked
        return f"{_shown(result)} {_shown(args) if _is_mutable(args) else ''}".strip()


class _Recorder:
    """A trace function that keeps the inputs of edited functions and of those that tests call themselves."""

    def __init__(self, wanted: Callable[[str], bool], edited: Collection[Function]) -> None:
        self._wanted = wanted
        self._edited = edited
        self.calls: list[Call] = []
        self._seen: dict[CodeType, int] = {}

    def __call__(self, frame: FrameType, _event: str, _arg: object) -> None:
        code = frame.f_code
        known = self._seen.get(code, 0)
        if known >= _EACH_FUNCTION or not self._is_entry(frame):
            return
        given = _arguments(frame)
        data = _pickled(given)
        if data is not None and len(data) < _LARGEST:
            self._seen[code] = known + 1
            place = (code.co_filename, code.co_firstlineno)
            self.calls.append(Call(place, code.co_name, data, _words(code.co_name, *given)))

    def _is_entry(self, frame: FrameType) -> bool:
        code = frame.f_code
        if not self._wanted(code.co_filename) or code.co_name.startswith("<") or code.co_flags & _SKIPPED:
            return False
        caller = frame.f_back
        from_test = caller is not None and not self._wanted(caller.f_code.co_filename)
        return from_test or (code.co_filename, code.co_firstlineno) in self._edited


def _arguments(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    code, names = frame.f_code, frame.f_locals
    places = code.co_varnames
    args = [names[name] for name in places[: code.co_argcount] if name in names]
    at = code.co_argcount + code.co_kwonlyargcount
    keywords = {name: names[name] for name in places[code.co_argcount : at] if name in names}
    if code.co_flags & inspect.CO_VARARGS:
        args += names.get(places[at], ())
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords.update(names.get(places[at], {}))
    return tuple(args), keywords


def _variants(call: Call) -> Iterator[Call]:
    """Yield inputs in which one argument is another value of its type."""
    args, keywords = pickle.loads(call.data)  # noqa: S301 - pickled by our own child
    for place, value in enumerate(args):
        for other in _neighbours(value):
            changed = (*args[:place], other, *args[place + 1 :])
            data = _pickled((changed, keywords))
            if data is not None:
                yield call._replace(data=data, words=_words(call.name, changed, keywords))


def _pickled(given: tuple[tuple[Any, ...], dict[str, Any]]) -> bytes | None:
    """Return inputs so that they can be given again; none where they cannot."""
    data = attempt(lambda: pickle.dumps(given))  # classes of the project say how they are pickled
    return None if isinstance(data, Raised) else data


def _neighbours(value: object) -> tuple[object, ...]:
    near = attempt(lambda: tuple(_near(value)))  # a type of the project's own may refuse to be cut
    return () if isinstance(near, Raised) else near


def _near(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1, -value, 0)
    elif isinstance(value, (str, bytes, list, tuple)):
        sequence: Any = value
        yield from (sequence[:0], sequence[1:], sequence[::-1], sequence + sequence)
        if isinstance(value, str):
            yield from (value.swapcase(), f" {value}")
    elif isinstance(value, dict) and value:
        smaller = copy.copy(value)
        smaller.pop(next(iter(smaller)))
        yield smaller


def _shown(value: object) -> str:
    shown = attempt(lambda: _ADDRESS.sub("", repr(value))[:300])
    return f"<{type(shown.error).__name__}>" if isinstance(shown, Raised) else shown


def _is_mutable(args: tuple[Any, ...]) -> bool:
    return any(isinstance(each, (list, dict, set, bytearray)) for each in args)


def _words(name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    parts = [_shown(each)[:40] for each in args]
    parts += [f"{key}={_shown(each)[:40]}" for key, each in keywords.items()]
    return f"{name}({', '.join(parts)})"
