"""The search for cases: in turns for each target, in a child that imports the module under test."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from setpoint_probe.process.children import Ended, Limits, Report, run_child
from setpoint_probe.reach.anatomy import Anatomy, Arc, Branch
from setpoint_probe.reach.arcs import ArcTracer
from setpoint_probe.session.session import prepare_path
from setpoint_probe.source.import_roots import import_roots

from ..wire.cover import CoverRequest
from .cases import Case, Cast, Target, called, fresh, shorter, varied
from .given.answers import answers_of
from .given.offers import Place, Subject, offered
from .limits import arm
from .module_names import import_of
from .module_state import State
from .oracle import Oracle
from .refusals import forbid
from .specified import CONTRADICTS
from .stand_ins import needed, others
from .targets import Hints, cast_of
from .trial import Outcome, Stage, assured
from .values.hypothesis import Drawing
from .values.kinds import MODULES
from .values.seeds import examples, seen_values, signatures_of

_SILENCE_S = 8.0
_MOST_DEATHS = 6
_QUIET_TURNS = 3
"""Rounds over all targets without anything new, after which the search ends."""
_MOST_SHRINKS = 6
_MOST_MISSES = 3000
"""Calls in a row that reach nothing new, after which a target's turn ends."""
_MOST_ENDLESS = 3
"""Calls out of time after which a target is left alone."""
_LEAST_TURN_S, _MOST_TURN_S = 0.06, 0.5


class Kept(NamedTuple):
    """A case that reached something new, and what came of it."""

    case: Case
    outcome: Outcome
    arcs: frozenset[Arc]
    dirty: bool = False
    """It changes what the module keeps from call to call."""


@dataclass
class Found:
    """What the search has found so far; it outlives the child that looked."""

    kept: list[Kept] = field(default_factory=list)
    calls: int = 0
    refused: int = 0
    targets: int = 0
    cast: Cast | None = None
    reason: str = ""
    contradicted: list[str] = field(default_factory=list)
    """Examples of the documentation that give something else than they say."""


@dataclass(frozen=True)
class Ground:
    """What all children of one order share."""

    request: CoverRequest
    path: str
    """The file under test."""
    alias: str
    """How tests call the module."""
    tree: ast.Module
    anatomy: Anatomy
    lines: frozenset[int]
    """Statements that are to be reached."""
    branches: frozenset[Branch]
    limits: Limits
    let_pass: frozenset[tuple[int, str, str]] | None = None
    """Mutants that were tried on the present tests, and not noticed; none where there are no tests."""

    def left(self, arcs: Collection[Arc]) -> tuple[frozenset[int], frozenset[Branch]]:
        """Return what is still to be reached."""
        return self.lines - self.anatomy.lines_in(arcs), self.branches - self.anatomy.branches_in(arcs)


def stage_of(ground: Ground) -> Stage:
    """Import the module under test, in a child, and get ready to run cases."""
    request = ground.request
    prepare_path(request.tree, import_roots(request.tree, [request.file]))
    temporary = Path(request.scratch) / "tmp"
    temporary.mkdir(exist_ok=True)
    tempfile.tempdir = str(temporary)
    arm()
    sys.setrecursionlimit(600)
    for name in MODULES:
        importlib.import_module(name)
    tracer = ArcTracer([ground.path])
    tracer.start()
    try:
        module = importlib.import_module(request.module)
    finally:
        tracer.stop()
    texts = [Path(request.tree, test).read_text(encoding="utf-8", errors="replace") for test in request.tests]
    texts += _shown_in_docs(ground.tree)
    refusals: list[str] = []
    forbid(refusals, str(temporary), listing=False)
    oracle = Oracle(module, ground.alias)
    signatures = signatures_of(ground.tree)
    words = frozenset(re.findall(r"\w+", Path(ground.path).read_text(encoding="utf-8", errors="replace")))
    own_import = import_of(request.module, ground.alias)
    answers = answers_of(dict(zip(request.tests, texts)), request.module, signatures)
    offers, supply = offered(
        Subject(module, ground.alias, own_import, signatures, words),
        Place(request.tree, request.target, request.tests, request.style, refusals),
    )
    hints = Hints(
        seen_values(texts, signatures), Drawing(oracle.expression, str(temporary)).of, offers, answers
    )
    cast = cast_of(module, ground.alias, ground.tree, hints)
    return Stage(
        module,
        cast,
        oracle,
        tracer,
        os.path.realpath(ground.path),
        refusals,
        State(module),
        supply,
    )


def _shown_in_docs(tree: ast.Module) -> list[str]:
    """Return the lines of code in the texts of a module, as its documentation."""
    nodes = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    docs = (value.splitlines() for value in nodes if isinstance(value, str))
    return ["\n".join(line.strip()[4:] for line in doc if line.strip().startswith(">>> ")) for doc in docs]


def search(ground: Ground, until: float) -> Found:
    """Look for cases until `time.monotonic()` says so; a child that dies costs only what it was at."""
    found = Found()
    avoid: list[str] = []
    at = [""]

    def take(entry: tuple[str, Any]) -> None:
        kind, value = entry
        if kind == "kept":
            found.kept.append(value)
        elif kind == "contradicted":
            found.contradicted.append(value)
        elif kind == "at":
            at[0] = value
        else:
            setattr(found, kind, value)

    for life in range(_MOST_DEATHS):
        ended = run_child(_acting(ground, found.kept, tuple(avoid), until, life), ground.limits, take)
        if ended.finished or time.monotonic() > until:
            break
        if not found.cast:
            found.reason = _why(ended)
            break
        avoid.append(at[0])
    return found


def _why(ended: Ended) -> str:
    return f"the module cannot be imported: {ended.error or 'its import ended the process or took too long'}"


def _acting(
    ground: Ground, kept: Sequence[Kept], avoid: Collection[str], until: float, life: int
) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        stage = stage_of(ground)
        gc.freeze()
        report(("cast", stage.cast))
        report(("targets", len(stage.cast.targets)))
        _Search(ground, stage, report, Random(f"{ground.request.seed}-{life}")).run(kept, avoid, until)

    return act


class _Search:
    def __init__(self, ground: Ground, stage: Stage, report: Report, random: Random) -> None:
        self._ground, self._stage, self._report, self._random = ground, stage, report, random
        self._kept: list[Kept] = []
        self._of: dict[str, list[Kept]] = {}
        self._covered: set[Arc] = set()
        self._touched: set[Arc] = set()
        """Arcs of calls that ended in an error which the module does not raise by itself."""
        self._calls = self._refused = 0
        self._doubles: dict[str, tuple[str, ...]] = {}
        """Stand-ins that calls of a target need."""
        self._endless: dict[str, int] = {}
        """How often calls of a target ran out of time."""

    def run(self, kept: Iterable[Kept], avoid: Collection[str], until: float) -> None:
        for each in kept:
            self._remember(each)
        if not self._kept:
            for case in examples(self._stage.module, self._ground.alias):
                self._report(("at", case.target))
                self._try(case)
        targets = [each for each in self._stage.cast.targets.values() if each.name not in avoid]
        quiet = 0
        while targets and quiet < _QUIET_TURNS and time.monotonic() < until:
            before = len(self._kept)
            targets = [each for each in targets if self._endless.get(each.name, 0) < _MOST_ENDLESS]
            wanted = self._wanted(targets)
            left = max(until - time.monotonic(), 0.0)
            turn_s = min(max(left / (2 * len(wanted) + 1), _LEAST_TURN_S), _MOST_TURN_S)
            for target in wanted:
                self._turn(target, min(time.monotonic() + turn_s, until))
            quiet = quiet + 1 if len(self._kept) == before else 0
            if not self._missing():
                break
        self._report(("calls", self._calls))
        self._report(("refused", self._refused))

    def _missing(self) -> bool:
        return any(self._ground.left(self._covered))

    def _wanted(self, targets: Sequence[Target]) -> list[Target]:
        """Return the targets that have something left to be reached in them, or all where none has."""
        lines, branches = self._ground.left(self._covered)
        places = {*lines, *(branch.line for branch in branches)}
        found = [each for each in targets if any(each.first <= line <= each.last for line in places)]
        found += [each for each in targets if each.public and each.name not in self._of and each not in found]
        return found or list(targets)

    def _turn(self, target: Target, end: float) -> None:
        self._report(("at", target.name))
        own = self._of.setdefault(target.name, [])
        misses = 0
        before = self._endless.get(target.name, 0)
        while (
            time.monotonic() < end and misses < _MOST_MISSES and self._endless.get(target.name, 0) == before
        ):
            if own and self._random.random() < 0.6:  # noqa: PLR2004 - rather from what worked
                newest = own[-8:] if self._random.randrange(2) else own
                case = varied(self._random.choice(newest).case, self._stage.cast, self._random)
            else:
                case = fresh(target, self._stage.cast, self._random)
            misses = 0 if self._try(case) else misses + 1
            if self._calls % 50 == 0:
                self._report(("calls", self._calls))

    def _try(self, case: Case) -> bool:
        """Run a case; keep it where it is the first to take an arc and comes out the same again."""
        self._calls += 1
        case = self._with_doubles(case)
        outcome, arcs = self._stage.run(case)
        if outcome.kind not in ("value", "error") or (outcome.loopless and not case.take):
            other = self._other_way(case, outcome)
            return other is not None and self._try(other)
        if outcome.callable and case.then is None and not case.expression and self._random.random() < 0.5:  # noqa: PLR2004 - every other time
            self._try(called(case, self._random))
        if outcome.meets == CONTRADICTS:
            self._report(
                ("contradicted", f"{case.target}: {case.expression} is not {case.want.strip()}"[:200])
            )
            return False
        known = self._covered if _is_good(outcome) else self._covered | self._touched
        if arcs <= known:
            return False
        told, asked = assured(self._stage, case, outcome)
        steady = self._steadied(case, tuple(asked), ()) if asked else None
        if steady is not None and self._try(steady):
            return True
        if told is None:
            return False
        kept = self._shrunk(Kept(case, told, arcs, self._stage.dirty), arcs - known, asked)
        self._report(("kept", kept))
        self._remember(kept)
        return True

    def _other_way(self, case: Case, outcome: Outcome) -> Case | None:
        """Return how else to make a call that could not be made: in a loop, or with stand-ins; or none."""
        if outcome.kind == "refused":
            self._refused += 1
            return self._steadied(case, (), tuple(self._stage.refusals))
        if outcome.kind == "time":
            self._endless[case.target] = self._endless.get(case.target, 0) + 1
            return self._steadied(case, ("sleep",), ())
        if outcome.kind == "waits" and not case.take:
            take, inside = outcome.type, ""
            if take == "async with":
                take, inside = self._random.choice((take, take, "await")), self._random.choice(_INSIDE)
            return replace(case, take=take, inside=inside)
        return replace(case, take="loop") if outcome.loopless and not case.take else None

    def _with_doubles(self, case: Case) -> Case:
        """Give a case the stand-ins that calls of its target were found to need, now and then with others."""
        if case.doubles or case.target not in self._doubles:
            return case
        found, known = self._doubles[case.target], self._stage.cast.answers_for(case.target)
        return replace(
            case,
            doubles=tuple(self._random.choice((each, *others(each, known))) for each in found),
        )

    def _steadied(self, case: Case, asked: Sequence[str], refused: Sequence[str]) -> Case | None:
        """Give a case the stand-ins that it needs; from then on its target has them from the start."""
        known = self._doubles.get(case.target, ())
        names = {each.partition("(")[0] for each in (*known, *case.doubles)}
        found = needed(asked, refused, self._ground.alias, self._stage.cast.answers_for(case.target))
        more = [each for each in found if each.partition("(")[0] not in names]
        if not more or case.target not in self._stage.cast.targets:
            return None
        self._doubles[case.target] = (*known, *more)
        return replace(case, doubles=(*case.doubles, *more))

    def _shrunk(self, kept: Kept, wanted: frozenset[Arc], unsure: frozenset[str]) -> Kept:
        """Leave out of a case what it does not need to take the new arcs, and be no less sure."""
        for _ in range(_MOST_SHRINKS):
            for case in shorter(kept.case):
                outcome, arcs = self._stage.run(case)
                if (
                    outcome.kind != kept.outcome.kind
                    or outcome.declared != kept.outcome.declared
                    or not arcs >= wanted
                ):
                    continue
                told, asked = assured(self._stage, case, outcome)
                if told is not None and asked <= unsure:
                    kept = Kept(case, told, arcs, self._stage.dirty)
                    break
            else:
                break
        return kept

    def _remember(self, kept: Kept) -> None:
        self._kept.append(kept)
        self._of.setdefault(kept.case.target, []).append(kept)
        (self._covered if _is_good(kept.outcome) else self._touched).update(kept.arcs)


_INSIDE = (
    "",
    "await entered.read()",
    "await entered.readline()",
    "await entered.write('abc')",
    "raise ValueError('bad')",
)
"""What is done with a thing of which nothing but its being a context is known."""


def _is_good(outcome: Outcome) -> bool:
    """Whether people would write it down: a value, or an error that the module raises by itself."""
    return outcome.kind == "value" or outcome.declared


def is_good(kept: Kept) -> bool:
    """Whether people would write a case down."""
    return _is_good(kept.outcome)
