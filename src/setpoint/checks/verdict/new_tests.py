"""Judge work on tests: each new test must notice when something that it tests is broken."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from pathlib import Path

from setpoint.checks.languages.all import language_of
from setpoint.checks.languages.changed_function import RAISES, ChangedFunction
from setpoint.checks.mutation.check import is_source
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.verdict.broken_code import BrokenCode, function_of, new_mark
from setpoint.checks.verdict.not_measured import not_applicable, or_not_measured
from setpoint.checks.verdict.sabotage import speaking
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed
from setpoint.checks.verdict.witness import passed_in
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.model.mutation import Fate, MutationReport
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.system.git.git import contents

NEW_TESTS = "new tests"
_MOST_FUNCTIONS, _MOST_FILES = 20, 400
_LEAST_S = 3.0


async def new_tests(subject: Subject, until: float) -> tuple[Obligation, ...]:
    """Break what new tests name, and try mutants of what they reach; one that notices nothing is refused."""
    if subject.work is not WorkKind.TESTS:
        return ()
    return (await or_not_measured(NEW_TESTS, _new_tests(subject, until)),)


async def _new_tests(subject: Subject, until: float) -> Obligation:
    base = subject.base.tests
    before = {function_of(test) for test in (base.outcomes if base else ())}
    known = {*before, *(base.unstable if base else ())}
    new = [test for test in sorted(passed_in(subject.now.tests)) if not {test, function_of(test)} & known]
    if not new:
        return _without_new_tests(subject, before)
    place = BrokenCode(subject=subject, there=await subject.checked_out(), until=until)
    tried, noticing, cut = await _by_sabotage(place, new)
    unsure = frozenset[str]()
    if silent := [test for test in new if function_of(test) not in noticing]:
        more, mutants, unsure = await _by_mutants(subject, silent, until)
        noticing, tried = noticing | more, tried + mutants
        unsure = unsure if tried else frozenset(map(function_of, silent))
    if doubtful := [test for test in new if function_of(test) in unsure - noticing]:
        unsure -= await _passing_with_all_broken(place, doubtful)
    return _judged(list(dict.fromkeys(map(function_of, new))), noticing, unsure, cut)


def _judged(new: list[str], noticing: frozenset[str], unsure: frozenset[str], cut: str) -> Obligation:
    """Judge functions of new tests by those that notice something, and those of which that is unknown."""
    telling = [test for test in new if test in noticing]
    blind = [test for test in new if test not in noticing | unsure]
    evidence = tuple(telling[:MOST_NAMED])
    if blind and not cut:
        reason = f"{listed(blind)} notices nothing when what it tests is broken: assert what comes out"
        state = ObligationState.NOT_MET
    elif telling:
        reason = f"{len(telling)} of {len(new)} new tests notice when what they test is broken"
        left = [test for test in new if test not in noticing]
        reason += f"; not known of {listed(left)}" if left else ""
        state = ObligationState.MET
    else:
        reason = f"nothing that {listed(new)} names could be broken, so what it notices is not measured"
        state = ObligationState.NOT_APPLICABLE
    return Obligation(name=NEW_TESTS, state=state, reason=reason, evidence=evidence, count=len(new), cut=cut)


def _without_new_tests(subject: Subject, before: Collection[str]) -> Obligation:
    """Judge work on tests after which no new test passes."""
    after = subject.now.tests.outcomes if subject.now.tests else {}
    idle = [test for test in sorted(after) if function_of(test) not in before]
    reason = ""
    if idle:
        reason = f"no new test passes: {listed(idle)} {after[idle[0]]}: let them run, and assert something"
    elif not subject.of_tests:
        reason = "tests are asked for, and no test is new or changed: write one"
    if reason:
        return Obligation(name=NEW_TESTS, state=ObligationState.NOT_MET, reason=reason)
    return not_applicable(NEW_TESTS, "no test is new; changed ones ran as they were and as they are")


async def _by_sabotage(place: BrokenCode, new: list[str]) -> tuple[int, frozenset[str], str]:
    """Return how many functions were broken, the new tests that noticed any of it, and what was cut.

    A function raises only where nothing else can be written: a test that asserts nothing notices that.
    """
    subject = place.subject
    functions = [each for each in await _functions(subject) if _is_named(subject, each)][:_MOST_FUNCTIONS]
    if not functions or not await place.looked_at(new):
        return 0, frozenset(), "no time to break what new tests name" if functions else ""
    noticing, tried = set[str](), 0
    for function in functions:
        asked = [test for test in new if function_of(test) not in noticing]
        asked = sorted(speaking(subject, function, asked))
        if not asked:
            continue
        ways = {does: way for does, way in function.sabotages.items() if does != RAISES} or function.sabotages
        for way in ways.values():
            came = await place.noticing(function, way, new_mark(place.there), asked)
            if came.cut:
                return tried, frozenset(noticing), "no time to break all that new tests name"
            noticing |= set(map(function_of, came.red))
        tried += 1
    return tried, frozenset(noticing), ""


async def _passing_with_all_broken(place: BrokenCode, tests: list[str]) -> frozenset[str]:
    """Return the tests that pass where each function of the project raises: they notice nothing at all."""
    red = await place.red_where_all_raise(await _functions(place.subject), tests)
    return frozenset() if red is None else frozenset(map(function_of, tests)) - set(map(function_of, red))


async def _functions(subject: Subject) -> list[ChangedFunction]:
    """Return the functions of the project outside its tests."""
    files = [path for path in sorted(subject.target.files) if runs(path) and not is_test_path(path)]
    files = [path for path in files if language_of(path) and path not in subject.of_tests]
    sources = await contents(subject.place.copy.path, subject.place.commit, files[:_MOST_FILES])
    known = ((language_of(path), path, text) for path, text in sources.items())
    return [each for language, path, text in known if language for each in language.functions(path, text)]


def _is_named(subject: Subject, function: ChangedFunction) -> bool:
    """Whether the changed files of tests mention a function."""
    last = re.findall(r"\w+", function.name)[-1:]
    spoken = (subject.after.get(path, b"") for path in subject.of_tests)
    return bool(last) and any(re.search(rb"\b%b\b" % last[0].encode(), text) for text in spoken)


async def _by_mutants(
    subject: Subject, new: list[str], until: float
) -> tuple[frozenset[str], int, frozenset[str]]:
    """Return which new tests notice a mutant, how many were tried, and tests that could not be judged."""
    every = frozenset(map(function_of, new))
    chosen = subject.task.project.chosen
    asked = [test for test in new if not owner(test, chosen)]
    others = frozenset(function_of(test) for test in new if owner(test, chosen))
    engine, left_s = subject.plan.engine(until - time.monotonic()), until - time.monotonic()
    sources = {file: () for file in subject.target.files if is_source(file)}
    if isinstance(engine, str) or not sources or not asked:
        return frozenset(), 0, frozenset()
    if left_s < _LEAST_S:
        return frozenset(), 0, every
    there = await subject.checked_out()
    _, report, _ = await engine.judge(Path(there.copy.path), sources, each=asked)
    if report is None or not report.mutants:
        return frozenset(), 0, every - others
    return _seen(report), len(report.mutants), _unsure(report) & every


def _seen(report: MutationReport) -> frozenset[str]:
    return frozenset(function_of(test) for each in report.mutants for test in each.noticed)


def _unsure(report: MutationReport) -> frozenset[str]:
    """Return tests of which it is unknown whether they notice anything: what they run may be elsewhere."""
    names = {*report.unsteady, *report.red, *report.unreached}
    if any(each.verdict is Fate.UNTRIED for each in report.mutants):
        names |= {*report.reaching}
    return frozenset(map(function_of, names))
