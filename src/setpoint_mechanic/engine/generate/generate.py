"""Writing tests for one file, from the search for cases to tests that were judged one by one."""

from __future__ import annotations

import ast
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from setpoint_probe.process.children import Limits
from setpoint_probe.reach.anatomy import UNREADABLE, Branch, dissect, text_of
from setpoint_probe.session.session import warm_up
from setpoint_probe.source.import_roots import import_roots
from setpoint_probe.wire.exchange import answer_order

from ..wire.cover import CoverRequest, CoverResult, Written
from .cases import Cast
from .given.fixtures import fixture_names
from .minimise import chosen, goals_of, needed_cases
from .module_names import alias_of
from .mutant_kills import Kills, kills
from .present_tests import let_pass
from .replay import OTHER_ORDER, Replay, replay
from .rows import name_of_row
from .search import Ground, Kept, search
from .specified import Specification, specified
from .stand_ins import whence
from .test_text import Draft, drafts, file_of

_SEARCH_SHARE, _PRESENT_SHARE, _KILL_SHARE = 0.45, 0.65, 0.8
"""Shares of the time after which the search for cases, the trial of present tests, and the mutants end."""
_SILENCE_S = 8.0
_MOST_LINES = 5
_NOTHING = "no call was found that reaches or notices what the present tests do not"
_KEEPS = "changes what the module keeps from call to call, so that others fail behind it"


def write(request: CoverRequest) -> CoverResult:
    """Work on one order; whatever goes wrong with the module ends in the result's reason."""
    began = time.monotonic()
    scratch = request.scratch or tempfile.mkdtemp(prefix="cover-")
    request = replace(request, tree=os.path.realpath(request.tree), scratch=scratch)
    result = CoverResult()
    path = Path(request.tree, request.file)
    try:
        ground = _ground(request, str(path), text_of(path))
    except UNREADABLE as error:
        result.reason = f"{request.file} cannot be read: {error}"
        return result
    here = Path(scratch) / "here"
    here.mkdir(exist_ok=True)
    found = search(ground, began + request.wall_s * _SEARCH_SHARE)
    result.calls, result.refused, result.targets = found.calls, found.refused, found.targets
    result.reason, result.contradicted = found.reason, list(dict.fromkeys(found.contradicted))
    _stage(result, "search", began)
    if found.cast is None or not found.kept:
        result.reason = result.reason or _NOTHING
        result.status = "nothing" if found.cast else "not_possible"
        return result
    cases, places = list(found.kept), chosen(found.kept, ground, found.cast, request.most)
    first: dict[int, int] = {}
    if request.kill:
        if request.tests:
            left_s = began + request.wall_s * _PRESENT_SHARE - time.monotonic()
            ground = replace(ground, let_pass=let_pass(request, left_s))
            _stage(result, "present", began)
        came = kills(ground, cases, places, began + request.wall_s * _KILL_SHARE)
        result.mutants, result.killed = came.mutants, len(came.first)
        cases, places, first = _with_killers(cases, places, came, request.most)
        noticing = [{place, *came.also.get(mutant, ())} for mutant, place in came.first.items()]
        places = needed_cases(places, cases, ground, found.cast, noticing)
        _stage(result, "mutants", began)
    judged = _judged(request, found.cast, _drafts(ground, cases, places, first, found.cast), result, began)
    _stage(result, "replay", began)
    _tell(result, ground, judged, found.cast, first, cases)
    return result


def _ground(request: CoverRequest, path: str, text: str) -> Ground:
    anatomy = dissect(text, path)
    return Ground(
        request=request,
        path=path,
        alias=alias_of(request.module, fixture_names(request.tree, request.target, request.tests)),
        tree=ast.parse(text),
        anatomy=anatomy,
        lines=frozenset(request.missed_lines),
        branches=frozenset(Branch(line, taken) for line, taken in request.missed_branches),
        limits=Limits(request.memory_bytes, _SILENCE_S),
    )


def _with_killers(
    cases: list[Kept], places: list[int], came: Kills, most: int
) -> tuple[list[Kept], list[int], dict[int, int]]:
    """Add the cases that noticed mutants which the chosen ones do not."""
    cases = [*cases, *came.more]
    counts: dict[int, int] = {}
    for place in came.first.values():
        counts[place] = counts.get(place, 0) + 1
    more = sorted((place for place in counts if place not in places), key=lambda place: -counts[place])
    return cases, [*places, *more][:most], counts


def _drafts(
    ground: Ground, cases: Sequence[Kept], places: Sequence[int], first: dict[int, int], cast: Cast
) -> list[Draft]:
    promises = Specification(ground.tree)
    sources = [_source(cases[place], promises) for place in places]
    return drafts(
        [cases[place] for place in places],
        [
            _why(ground, cases[place], first.get(place, 0), source, cast)
            for place, source in zip(places, sources)
        ],
        sources,
    )


def _source(kept: Kept, promises: Specification) -> str:
    outcome = kept.outcome
    check = outcome.checks[0] if len(outcome.checks) == 1 and not outcome.after else ""
    parts = {"meets": outcome.meets, "error": outcome.error, "check": check}
    return specified(parts, kept.case.target, promises)


def _why(ground: Ground, kept: Kept, killed: int, source: str, cast: Cast) -> str:
    """Say in a docstring what a test is there for."""
    goals = goals_of(kept, ground)
    lines = sorted(goal for goal in goals if isinstance(goal, int))
    own = lines[-_MOST_LINES:]
    reaches = f"reaches {'line' if len(own) == 1 else 'lines'} {', '.join(map(str, own))}" if own else ""
    ways = "" if own else ("takes another way through it" if goals else "")
    notices = f"notices {killed} small {'change' if killed == 1 else 'changes'} of the code" if killed else ""
    told = "; ".join(
        part
        for part in (reaches or ways, notices, whence(kept.case.doubles, cast.answers_for(kept.case.target)))
        if part
    )
    begun = f"Checks `{kept.case.target}` against {source}" if source else f"Pins `{kept.case.target}`"
    return f"{begun}{f': {told}' if told else ''}."


def _judged(
    request: CoverRequest, cast: Cast, tests: list[Draft], result: CoverResult, began: float
) -> list[Draft]:
    """Write the tests, judge each, and keep those that are good."""
    target = Path(request.tree, request.target)
    made = not target.parent.exists()
    target.parent.mkdir(parents=True, exist_ok=True)
    how = Replay(
        tree=request.tree,
        files=(request.target,),
        scratch=request.scratch,
        limits=Limits(request.memory_bytes, _SILENCE_S),
        alone=max(request.repeats - 2, 1),
        shuffled=min(2, max(request.repeats - 1, 0)),
        pytest_args=request.pytest_args,
        roots=import_roots(request.tree, [request.file]),
    )
    warm_up(request.tree, request.scratch)
    try:
        for _ in range(4):
            if not tests:
                return []
            target.write_text(file_of(tests, cast, request.module, request.style), encoding="utf-8")
            came = replay(how, began + request.wall_s * 1.5)
            bad, result.orders = {name_of_row(name): why for name, why in came.bad.items()}, came.orders
            if came.reason:
                result.reason = came.reason
                return []
            if not bad:
                return tests
            before = tests
            tests = _without(tests, bad)
            left = {each.name for each in tests}
            gone = [each.name for each in before if each.name not in left]
            result.dropped.update({name: bad.get(name, _KEEPS) for name in gone})
        return []
    finally:
        target.unlink(missing_ok=True)
        if made and not any(target.parent.iterdir()):
            target.parent.rmdir()


def _without(tests: list[Draft], bad: dict[str, str]) -> list[Draft]:
    """Leave out what failed; where others failed in another order, rather those that change what is kept."""
    alone = {name for name, why in bad.items() if why != OTHER_ORDER}
    dirty = {each.name for each in tests if each.kept.dirty}
    if not alone and dirty:
        bad = dict.fromkeys(dirty, _KEEPS)
    return [each for each in tests if each.name not in bad]


def _tell(
    result: CoverResult,
    ground: Ground,
    tests: Sequence[Draft],
    cast: Cast,
    first: dict[int, int],
    cases: Sequence[Kept],
) -> None:
    if not tests:
        result.status = "nothing"
        unsteady = "no test that was written was steady"
        result.reason = result.reason or (unsteady if result.dropped else _NOTHING)
        return
    result.status = "written"
    result.text = file_of(tests, cast, ground.request.module, ground.request.style)
    killed = {id(cases[place]): count for place, count in first.items()}
    for each in tests:
        branches = ground.branches & ground.anatomy.branches_in(each.kept.arcs)
        written = Written(
            name=each.name,
            target=each.target,
            why=each.why,
            specified=each.source,
            lines=tuple(sorted(ground.lines & ground.anatomy.lines_in(each.kept.arcs))),
            branches=tuple((branch.line, branch.taken) for branch in sorted(branches)),
            kills=killed.get(id(each.kept), 0),
        )
        result.tests.append(written)


def _stage(result: CoverResult, name: str, began: float) -> None:
    result.seconds[name] = round(time.monotonic() - began - sum(result.seconds.values()), 3)


def main(words: list[str]) -> int:
    """Read a request, work on it and write the result; the words are the two paths."""
    return answer_order(words, CoverRequest, write, lambda reason: CoverResult(reason=reason))
