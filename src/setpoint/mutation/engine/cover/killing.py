"""Looks which mutants of the module the cases notice, and for cases that notice the others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..children import Report, run_child
from ..mutants import Mutant, make
from ..source import Source, UnreadableSource
from ..swap import NotSwappable, Swapper
from .cases import varied
from .choose import cost
from .search import Ground, Kept, is_good, stage_of
from .trial import Stage, assured

_POOL = 60
"""More calls of a function that are tried on the mutants which its cases do not notice."""
_MOST_DEATHS = 8
_MOST_CASES = 40
_CPU_S = 0.15
"""CPU seconds that a call may take on a mutant, ten times and more of what any takes on the original."""


@dataclass
class Kills:
    """What came of it."""

    mutants: int = 0
    first: dict[int, int] = field(default_factory=dict)
    """Place of the first case that noticed each mutant."""
    more: list[Kept] = field(default_factory=list)
    """Cases that were found for mutants; their places go on behind those that were given."""


def kills(ground: Ground, kept: Sequence[Kept], preferred: Sequence[int], until: float) -> Kills:
    """Try the mutants of functions that cases reach; those cases go first that are wanted anyhow."""
    found = Kills()
    done: set[int] = set()

    def take(entry: tuple[str, Any]) -> None:
        kind, value = entry
        if kind == "at":
            done.add(value)
        elif kind == "killed":
            found.first[value[0]] = value[1]
        elif kind == "more":
            found.more.append(value)
        else:
            found.mutants = value

    for _ in range(_MOST_DEATHS):
        act = _acting(ground, [*kept, *found.more], preferred, frozenset(done), until)
        ended = run_child(act, ground.limits, take)
        if ended.finished or time.monotonic() > until or not done:
            break
    return found


def _acting(
    ground: Ground, kept: Sequence[Kept], preferred: Sequence[int], done: frozenset[int], until: float
) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        try:
            source = Source.read(ground.path)
        except UnreadableSource:
            return
        stage = stage_of(ground)
        stage.cpu_s = _CPU_S
        mutants = make({ground.path: source}, {}, ground.request.seed).mutants
        mutants = tuple(each for each in mutants if each.unit.is_function)
        report(("mutants", len(mutants)))
        _Killing(ground, stage, report, list(kept), preferred).run(mutants, done, until)

    return act


class _Killing:
    def __init__(
        self, ground: Ground, stage: Stage, report: Report, kept: list[Kept], preferred: Sequence[int]
    ) -> None:
        self._ground, self._stage, self._report, self._kept = ground, stage, report, kept
        self._random = Random(ground.request.seed)
        self._lines = [ground.anatomy.lines_in(each.arcs) for each in kept]
        self._costs = [cost(each, stage.cast) for each in kept]
        self._preferred = set(preferred)
        self._steady = {place for place, each in enumerate(kept) if is_good(each) and self._same(each)}
        self._pools: dict[int, list[Kept]] = {}
        self._swapper = Swapper({ground.path, os.path.realpath(ground.path)})

    def _same(self, kept: Kept) -> bool:
        return self._stage.run(kept.case, traced=False)[0].told == kept.outcome.told

    def run(self, mutants: Sequence[Mutant], done: frozenset[int], until: float) -> None:
        """Try one mutant after the other: those of one function together, so that calls are shared."""
        order = sorted(range(len(mutants)), key=lambda place: mutants[place].unit.first_line)
        self._random.shuffle(order)
        for place in order:
            if place in done:
                continue
            if time.monotonic() > until:
                return
            self._report(("at", place))
            killer = self._killer(mutants[place])
            if killer is not None:
                self._report(("killed", (place, killer)))

    def _killer(self, mutant: Mutant) -> int | None:
        reached = [
            place
            for place in self._steady
            if any(mutant.lines[0] <= line <= mutant.lines[1] for line in self._lines[place])
        ]
        reached.sort(key=lambda place: (place not in self._preferred, self._costs[place]))
        if not reached:
            return None
        more = self._pool(mutant.unit.first_line, reached)
        try:
            self._swapper.apply(mutant.source, mutant.unit, mutant.edits)
            for place in reached[:_MOST_CASES]:
                if not self._same(self._kept[place]):
                    return place
            different = next((each for each in more if not self._same(each)), None)
        except (SyntaxError, NotSwappable):
            return None
        finally:
            self._swapper.undo()
        return self._taken_up(different) if different is not None else None

    def _taken_up(self, kept: Kept) -> int | None:
        """Keep a case that notices a mutant, where it comes out the same again."""
        told = assured(self._stage, kept.case, kept.outcome)
        if told is None or told.told != kept.outcome.told:
            return None
        place = len(self._kept)
        self._kept.append(kept)
        self._costs.append(cost(kept, self._stage.cast))
        self._lines.append(self._ground.anatomy.lines_in(kept.arcs))
        self._steady.add(place)
        self._preferred.add(place)
        self._report(("more", kept))
        return place

    def _pool(self, function: int, reached: Sequence[int]) -> list[Kept]:
        """Make up more calls like those that reach a function, with what comes of them."""
        if function in self._pools:
            return self._pools[function]
        found: list[Kept] = []
        cases = [self._kept[place].case for place in reached]
        end = time.monotonic() + 0.25
        for _ in range(_POOL * 2):
            if len(found) >= _POOL or time.monotonic() > end:
                break
            case = varied(self._random.choice(cases), self._stage.cast, self._random)
            outcome, arcs = self._stage.run(case)
            kept = Kept(case, outcome, arcs, self._stage.dirty)
            if outcome.kind in ("value", "error") and is_good(kept) and self._same(kept):
                found.append(kept)
        self._pools[function] = found
        return found
