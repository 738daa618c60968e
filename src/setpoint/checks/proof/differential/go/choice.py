"""Choose among recorded calls of Go, and vary them."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.proof.differential.go.values import (
    Made,
    Step,
    constants,
    is_boundary,
    near,
    plain,
    read,
    shown,
    written,
)
from setpoint_probe.calls.neighbours import leaves
from setpoint_probe.wire.calls import Call, CallsRequest

_MOST_OF_FUNCTION, _MOST_NEAR, _MOST_CALLS, _FEWEST = 16, 120, 4000, 400
_MOST_OF_STEP, _MOST_SEQUENCES, _MOST_OTHERS = 4, 24, 2
_MOST_SHOWN, _MOST_LEAVES, _MOST_CONSTANTS = 60, 40, 36


@dataclass(frozen=True, kw_only=True)
class Held:
    """One call that can be made again and again."""

    call: Call
    step: Step
    first: tuple[Step, ...] = ()
    """Methods that are called on the same object before."""

    @property
    def used(self) -> Iterator[Step]:
        """Yield all calls that are made for this one."""
        for each in (*self.first, self.step):
            yield each
            yield from (value.by for value in each.given if isinstance(value, Made))

    @property
    def line(self) -> str:
        """Return it as the answering test reads it."""
        held = {
            "number": self.call.number,
            "key": self.step.key,
            "given": [*map(written, self.step.given)],
            "first": [{"key": each.key, "given": [*map(written, each.given)]} for each in self.first],
        }
        return json.dumps(held) + "\n"


class _Recorded(NamedTuple):
    step: Step
    outer: bool
    first: tuple[Step, ...] = ()

    @property
    def told(self) -> str:
        return json.dumps([[each.key, *map(written, each.given)] for each in (*self.first, self.step)])


class _Objects(NamedTuple):
    """How the objects come about on which a method is called."""

    methods: list[Step]
    """Calls of methods that tests make."""
    makers: list[Step]
    """Calls that make an object."""


def chosen(request: CallsRequest, makers: Mapping[str, str]) -> tuple[list[Held], dict[str, str]]:
    """Choose small calls that tests make themselves first, then vary each; say why a function has none.

    `makers` are functions that give an object first, each with what the names of its methods begin with.
    """
    groups, left = _read(Path(request.recorded))
    names = [name for name in request.functions if name in groups]
    found: list[Held] = []
    for name in names:
        near_code = constants(request.texts.get(name, ()))[:_MOST_CONSTANTS]
        own = _of_function(groups[name], near_code, _objects(name, groups, makers), len(found))
        found += itertools.islice(own, max(_FEWEST, _MOST_CALLS // len(names)))
    return found[:_MOST_CALLS], {name: why for name, why in left.items() if name not in groups}


def _objects(name: str, groups: Mapping[str, list[_Recorded]], makers: Mapping[str, str]) -> _Objects:
    """Return the calls of methods of the same type, and of the functions that make its objects."""
    path, _, own = name.rpartition("::")
    owner = f"{path}::{own.rpartition('.')[0]}."
    methods = [
        each.step
        for other, entries in groups.items()
        if "." in own and other.startswith(owner) and entries[0].step.own[:1].isupper()
        for each in entries[:_MOST_OF_STEP]
    ]
    made = [
        each.step
        for other, entries in groups.items()
        if "." in own and makers.get(other) == owner
        for each in entries[:_MOST_OF_STEP]
    ]
    return _Objects(methods, made)


def _of_function(
    entries: list[_Recorded], near_code: list[object], objects: _Objects, start: int
) -> Iterator[Held]:
    known = {each.told for each in entries}
    numbers = itertools.count(start)
    for each in entries[:_MOST_OF_FUNCTION]:
        of = next(numbers)
        name, _, given = each.step
        told = itertools.islice(leaves([*map(plain, given)]), _MOST_LEAVES)
        method = "." in name.rpartition("::")[2]
        call = Call(
            of,
            name,
            _shown(each),
            outer=each.outer,
            boundary=all(map(is_boundary, given[method:])),
            leaves=tuple(map(str, told)),
        )
        yield Held(call=call, step=each.step)
        for other in itertools.islice(_varied(each, near_code, objects, known), _MOST_NEAR):
            varied = Call(next(numbers), name, _shown(other), of, outer=each.outer)
            yield Held(call=varied, step=other.step, first=other.first)


def _varied(
    recorded: _Recorded, near_code: list[object], objects: _Objects, known: set[str]
) -> Iterator[_Recorded]:
    """Yield calls with one argument varied, each in turn, or on other objects; none that a test makes."""
    ways: list[Iterator[_Recorded]] = [_on_others(recorded, objects)] if objects.methods else []
    for place, value in enumerate(recorded.step.given):
        fitting = [each for each in near_code if type(each) is type(value)]
        ways += [map(partial(_with, recorded, place), values) for values in (near(value), fitting)]
    for group in itertools.zip_longest(*ways):
        for other in filter(None, group):
            if (told := other.told) not in known:
                known.add(told)
                yield other


def _with(recorded: _Recorded, place: int, value: object) -> _Recorded:
    given = recorded.step.given
    step = recorded.step._replace(given=(*given[:place], value, *given[place + 1 :]))
    return recorded._replace(step=step)


def _on_others(recorded: _Recorded, objects: _Objects) -> Iterator[_Recorded]:
    """Yield the call on objects that are made again, and on such of which other things were asked before."""
    methods = [each for each in objects.methods if each.kinds == recorded.step.kinds]
    made = [_with(recorded, 0, Made(each)) for each in objects.makers]
    lengths = [itertools.product(methods, repeat=size) for size in (0, 1, 2, 3)]
    for first in itertools.chain.from_iterable(itertools.islice(each, _MOST_SEQUENCES) for each in lengths):
        for each in (*made, *([recorded] if first else [])):
            subject = each._replace(first=first)
            yield subject
            for place, value in enumerate(recorded.step.given[1:], start=1):
                yield from map(partial(_with, subject, place), itertools.islice(near(value), _MOST_OTHERS))


def _shown(recorded: _Recorded) -> str:
    name, _, given = recorded.step
    texts = [_shortened(shown(each)) for each in given]
    owner = name.rpartition("::")[2].rpartition(".")[0]
    own = recorded.step.own
    if not owner or not texts:
        return f"{own}({', '.join(texts)})"
    made = isinstance(given[0], Made)
    first = "".join(f".{each.own}({', '.join(map(shown, each.given[1:]))})" for each in recorded.first)
    subject = texts[0] if made else f"{owner}{texts[0].removeprefix('&')}"
    return f"{subject}{_shortened(first)}.{own}({', '.join(texts[1:])})"


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def _read(folder: Path) -> tuple[Mapping[str, list[_Recorded]], dict[str, str]]:
    groups: dict[str, list[_Recorded]] = defaultdict(list)
    left: dict[str, str] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):  # tests write there
                entry = json.loads(line)
                name = str(entry["name"])
                if entry["why"]:
                    left[name] = str(entry["why"])
                    continue
                step = Step(name, str(entry["types"]), tuple(map(read, entry["given"])))
                groups[name].append(_Recorded(step, entry["outer"] is True))
    for entries in groups.values():
        entries.sort(key=lambda each: (not each.outer, len(each.told)))
    return groups, left
