"""Looks which mutants of the module the cases notice, and for cases that notice the others."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any

from setpoint_probe.mutants.operators import Mutant, make
from setpoint_probe.process.children import Report, run_child
from setpoint_probe.source.hot_swap import NotSwappable, Swapper
from setpoint_probe.source.source import Source, UnreadableSource

from .cases import Case, varied
from .limits import TimeUp, limited
from .minimise import cost
from .passing import would_pass
from .present_tests import is_unreached, key_of_mutant
from .search import Ground, Kept, is_good, stage_of
from .trial import Stage, assured, environment
from .values.nearby_constants import Surroundings, bound

_POOL = 60
"""More calls that are tried at once on the mutants of a function which its cases do not notice."""
_POOL_S = 0.3
_MOST_ROUNDS, _MOST_QUIET = 60, 20
"""Rounds of more calls, and those without a mutant noticed after which the search ends."""
_MOST_DEATHS = 12
_ALSO_SHARE = 0.2
"""Share of the time for asking who else notices a mutant."""
_MOST_CASES = 40
_CPU_S = 0.15
"""CPU seconds that a call may take on a mutant, ten times and more of what any takes on the original."""


@dataclass
class Kills:
    """What came of it."""

    mutants: int = 0
    first: dict[int, int] = field(default_factory=dict)
    """Place of the first case that noticed each mutant."""
    also: dict[int, set[int]] = field(default_factory=dict)
    """Places of other cases that were seen to notice it too."""
    more: list[Kept] = field(default_factory=list)
    """Cases that were found for mutants; their places go on behind those that were given."""


def kills(ground: Ground, kept: Sequence[Kept], preferred: Sequence[int], until: float) -> Kills:
    """Try the mutants of what cases reach; those cases go first that are wanted anyhow."""
    found = Kills()
    deadly: set[int] = set()
    at = [-1]

    def take(entry: tuple[str, Any]) -> None:
        kind, value = entry
        if kind == "at":
            at[0] = value
        elif kind == "killed":
            found.first[value[0]] = value[1]
        elif kind == "also":
            found.also.setdefault(value[0], set()).add(value[1])
        elif kind == "more":
            found.more.append(value)
        else:
            found.mutants = value

    for _ in range(_MOST_DEATHS):
        act = _acting(ground, [*kept, *found.more], preferred, {*deadly, *found.first}, until)
        ended = run_child(act, ground.limits, take)
        if ended.finished or time.monotonic() > until or at[0] in deadly or at[0] < 0:
            break
        deadly.add(at[0])
    return found


def _acting(
    ground: Ground, kept: Sequence[Kept], preferred: Sequence[int], done: Collection[int], until: float
) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        try:
            source = Source.read(ground.path)
        except UnreadableSource:
            return
        stage = stage_of(ground)
        stage.cpu_s = _CPU_S
        mutants = make({ground.path: source}, {}, ground.request.seed).mutants
        known = [place for place, mutant in enumerate(mutants) if not is_open(ground, mutant)]
        report(("mutants", len(mutants) - len(known)))
        _Killing(ground, stage, report, list(kept), preferred).run(mutants, {*done, *known}, until)

    return act


def is_open(ground: Ground, mutant: Mutant) -> bool:
    """Whether a mutant calls for a test: what was not tried on those that are there does not."""
    if ground.let_pass is None or key_of_mutant(ground.request.tree, mutant) in ground.let_pass:
        return True
    return is_unreached(mutant, ground.anatomy.lines, ground.lines)


class _Killing:
    def __init__(
        self, ground: Ground, stage: Stage, report: Report, kept: list[Kept], preferred: Sequence[int]
    ) -> None:
        self._ground, self._stage, self._report = ground, stage, report
        self._random = Random(ground.request.seed)
        self._kept: list[Kept] = []
        self._lines: list[frozenset[int]] = []
        self._costs: list[float] = []
        for each in kept:
            self._add(each)
        self._preferred = set(preferred)
        self._steady = {place for place, each in enumerate(kept) if is_good(each) and self._same(each)}
        self._swapper = Swapper({ground.path, os.path.realpath(ground.path)})
        self._names = {**environment(stage.module, stage.cast.module), **stage.oracle.names}
        self._around = Surroundings(ground.tree)
        self._first: dict[int, int] = {}
        """The first case that was seen to notice each mutant."""

    def run(self, mutants: Sequence[Mutant], done: Collection[int], until: float) -> None:
        """Try what is there on each mutant, more calls on what nothing notices, then who else notices."""
        self._search(mutants, done, until - (until - time.monotonic()) * _ALSO_SHARE)
        for place, first in sorted(self._first.items()):
            if time.monotonic() > until:
                return
            self._also(place, mutants[place], first)

    def _search(self, mutants: Sequence[Mutant], done: Collection[int], until: float) -> None:
        order = sorted(range(len(mutants)), key=lambda place: mutants[place].unit.first_line)
        order = [place for place in order if place not in done]
        left: list[int] = []
        for place in order:
            if time.monotonic() > until:
                return
            reached = self._reaching(mutants[place])
            if reached and not self._noticed(place, mutants[place], reached):
                left.append(place)
        quiet = 0
        for _ in range(_MOST_ROUNDS):
            if not left or quiet >= _MOST_QUIET or time.monotonic() > until:
                return
            before = len(left)
            left = self._round(mutants, left, until)
            quiet = quiet + 1 if len(left) == before else 0

    def _same(self, kept: Kept) -> bool:
        return self._stage.run(kept.case, traced=False)[0].told == kept.outcome.told

    def _notices(self, kept: Kept) -> bool:
        """Whether the test of a case would fail now that the program is changed."""
        came, _ = self._stage.run(kept.case, traced=False)
        try:
            with limited(self._stage.cpu_s):
                return not would_pass(kept.outcome, came, self._names)
        except TimeUp:
            return True

    def _add(self, kept: Kept) -> int:
        self._kept.append(kept)
        self._lines.append(self._ground.anatomy.lines_in(kept.arcs))
        self._costs.append(cost(kept, self._stage.cast))
        return len(self._kept) - 1

    def _reaching(self, mutant: Mutant) -> list[int]:
        """Return cases that can notice a mutant, those first that are kept anyhow, then the simple ones."""
        if mutant.unit.is_function:
            first, last = mutant.lines
            found = [
                place for place in self._steady if any(first <= line <= last for line in self._lines[place])
            ]
        else:
            users = self._around.users_of(mutant.unit.node)
            found = [
                place for place in self._steady if any(span & self._lines[place] for span in users)
            ] or list(self._steady)
        return sorted(found, key=lambda place: (place not in self._preferred, self._costs[place]))

    def _noticed(self, place: int, mutant: Mutant, reached: Sequence[int]) -> bool:
        """Try the cases on a mutant, and tell which notices it."""
        self._report(("at", place))
        try:
            self._swapper.apply(mutant.source, mutant.unit, mutant.edits)
            for case in reached[:_MOST_CASES]:
                if self._notices(self._kept[case]):
                    self._report(("killed", (place, case)))
                    self._first[place] = case
                    return True
        except (SyntaxError, NotSwappable):
            return True  # it cannot be tried here, so more calls do not help
        finally:
            self._swapper.undo()
        return False

    def _also(self, place: int, mutant: Mutant, first: int) -> None:
        """Tell which other cases that are wanted anyhow notice a mutant."""
        wanted = {*self._preferred, *self._first.values()} - {first}
        self._report(("at", place))
        try:
            self._swapper.apply(mutant.source, mutant.unit, mutant.edits)
            for case in self._reaching(mutant):
                if case in wanted and self._notices(self._kept[case]):
                    self._report(("also", (place, case)))
        except (SyntaxError, NotSwappable):
            return
        finally:
            self._swapper.undo()

    def _round(self, mutants: Sequence[Mutant], left: Sequence[int], until: float) -> list[int]:
        """Try more calls on mutants, those of one function together; gives the mutants still left."""
        still: list[int] = []
        for _, group in groupby(left, key=lambda place: mutants[place].unit.first_line):
            places = list(group)
            pool = self._pool([mutants[place] for place in places])
            still += [
                place
                for place in places
                if time.monotonic() > until or not self._by_pool(place, mutants[place], pool)
            ]
        return still

    def _by_pool(self, place: int, mutant: Mutant, pool: Sequence[Kept]) -> bool:
        self._report(("at", place))
        try:
            self._swapper.apply(mutant.source, mutant.unit, mutant.edits)
            different = next((each for each in pool if self._notices(each)), None)
        finally:
            self._swapper.undo()
        if different is None:
            return False
        told, _ = assured(self._stage, different.case, different.outcome)
        if told is None or told.told != different.outcome.told:
            return False
        known = next((number for number, each in enumerate(self._kept) if each.case == different.case), -1)
        if known < 0:
            known = self._add(different)
            self._steady.add(known)
            self._preferred.add(known)
            self._report(("more", different))
        self._report(("killed", (place, known)))
        self._first[place] = known
        return True

    def _pool(self, mutants: Sequence[Mutant]) -> list[Kept]:
        """Make up more calls like those that reach some mutants of a function, with what comes of them."""
        found = [] if mutants[0].unit.is_function else list(self._constants(mutants[0].unit.node))
        cases = [self._kept[place].case for each in mutants for place in self._reaching(each)[:_MOST_CASES]]
        end = time.monotonic() + _POOL_S
        while len(found) < _POOL and time.monotonic() < end:
            case = varied(self._random.choice(cases), self._stage.cast, self._random)
            if self._random.randrange(2):
                case = varied(case, self._stage.cast, self._random)
            outcome, arcs = self._stage.run(case)
            kept = Kept(case, outcome, arcs, self._stage.dirty)
            if outcome.kind in ("value", "error") and is_good(kept) and self._same(kept):
                found.append(kept)
        return found

    def _constants(self, node: ast.AST) -> Iterator[Kept]:
        """Yield cases that look at the constants which a statement of the module binds."""
        for name in bound(node):
            case = Case(name, expression=f"{self._ground.alias}.{name}")
            outcome, arcs = self._stage.run(case)
            if outcome.kind == "value" and not name.startswith("__"):
                yield Kept(case, outcome, arcs)
