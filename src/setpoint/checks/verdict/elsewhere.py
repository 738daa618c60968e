"""Repeat the tests in another folder, by the plain runner, in another order, with another hash seed.

Code that behaves only where Setpoint measures fails here. What fails on the base too, or is unstable there,
is excused and named; what passes when it runs again alone depends on the order or is flaky.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from setpoint.checks.flaky.flaky import MOST_RERUN
from setpoint.checks.suites.plain_runs import PlainRun, plain_run
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.checks.verdict.broken_code import function_of, suite_s
from setpoint.checks.verdict.elsewhere_place import Elsewhere, elsewhere_of
from setpoint.checks.verdict.impacted import impacted
from setpoint.checks.verdict.not_measured import not_applicable, or_not_measured
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.evidence import CheckState, Outcome
from setpoint.model.ids import Commit
from setpoint.model.proof import ELSEWHERE, Obligation, ObligationState, WorkKind
from setpoint.ports import Check

_TRIES, _MOST_CONTROLS, _LEAST_S = 2, 20, 60.0
_SILENT = "does not run"
_GREEN = (Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY)
_HOW = "in another folder, by the plain runner, in another order and with another hash seed"


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """What is repeated of a subject's last test run."""

    place: Elsewhere
    checks: tuple[Check, ...]
    tests: frozenset[str]
    """Tests of the result that passed."""
    chosen: bool
    """Whether these are a selection."""
    until: float

    @property
    def limit_s(self) -> float:
        """Return the seconds that a run may take."""
        return max(_LEAST_S, self.until - time.monotonic())

    async def on(self, commit: Commit, tests: Collection[str], *, alone: bool) -> PlainRun:
        """Run tests on a commit in a fresh checkout of it."""
        there = await self.place.hold(commit, self.limit_s)
        return await plain_run(self.checks, there, tests, alone=alone or self.chosen)


@dataclass(kw_only=True)
class Found:
    """What came out otherwise elsewhere."""

    wrong: dict[str, str]
    """Tests, and commands, with what became of each."""
    broken: str = ""
    shaky: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()


async def elsewhere(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    """Repeat the last test run of a subject elsewhere, and compare."""
    return await or_not_measured(ELSEWHERE, _elsewhere(subject, witnesses, until))


async def _elsewhere(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    if subject.work is WorkKind.DOCS:
        return not_applicable(ELSEWHERE, "nothing that runs changes")
    base = subject.base.tests
    passed = passed_in(subject.now.tests) - frozenset(base.unstable if base else ())
    commands = _commands(subject)
    if not passed and not commands:
        return not_applicable(ELSEWHERE, "no test and no acceptance command passed that could be repeated")
    tests = await _fitting(subject, witnesses, passed, until - time.monotonic())
    cut = f"no time to repeat {len(passed) - len(tests)} of {len(passed)} tests" if tests != passed else ""
    if not tests and not (commands and time.monotonic() < until):
        return not_applicable(ELSEWHERE, "no time was left to repeat the tests", cut)
    async with elsewhere_of(subject, secrets.randbelow(1 << 16) + 1) as place:
        checks = subject.plan.selection(subject.target, tuple(sorted(tests)))
        again = Repeated(place=place, checks=checks, tests=tests, chosen=tests != passed, until=until)
        found = await _repeated(again)
        if not found.wrong and not found.broken:
            found.wrong = await _refused(again, commands)
    return _judged(again, found, cut)


async def _fitting(
    subject: Subject, witnesses: tuple[Witness, ...], passed: frozenset[str], left_s: float
) -> frozenset[str]:
    """Return the tests for which there is time: all, those that a change reaches, the witnesses, or none."""
    each_s = suite_s(subject) / max(1, len(passed))
    if left_s <= 0:
        return frozenset()
    if suite_s(subject) <= left_s:
        return passed
    reached = await impacted(subject, witnesses, passed)
    for some in (reached, passed & {each.name for each in witnesses}):
        if len(some) * each_s <= left_s:
            return some
    return frozenset()


def _commands(subject: Subject) -> tuple[Acceptance, ...]:
    passes = {each.evidence.check for each in subject.now.results if each.state is CheckState.PASS}
    return tuple(each for each in subject.plan.acceptance() if each.name in passes)


async def _repeated(again: Repeated) -> Found:
    """Run the tests; what comes out otherwise runs again alone, and then on the base."""
    subject = again.place.subject
    commit = subject.place.commit
    gave = await again.on(commit, again.tests, alone=False) if again.tests else PlainRun(outcomes={})
    wrong = otherwise(gave.outcomes, again.tests)
    left = dict(wrong)
    for _ in range(1 if len(left) > MOST_RERUN else _TRIES):
        if left:
            left = otherwise((await again.on(commit, left, alone=True)).outcomes, left)
    shaky = tuple(test for test in wrong if test not in left)
    found = Found(wrong=left, broken=gave.broken, shaky=shaky, argv=gave.argv)
    return await _without_those_of_base(again, found) if left or gave.broken else found


async def _without_those_of_base(again: Repeated, found: Found) -> Found:
    """Excuse what comes out otherwise on the base too; where nothing passes there, the place is at fault."""
    base = again.place.subject.base
    stood = passed_in(base.tests)
    functions = {function_of(test) for test in found.wrong}
    own = {test for test in stood if function_of(test) in functions}
    files = set(map(_file, found.wrong))
    near = sorted(stood - own, key=lambda test: (_file(test) not in files, test))
    # More than can run alone hang on the order, so the base runs in the same one.
    alone = len(found.wrong) <= MOST_RERUN
    asked = own | {*near[:_MOST_CONTROLS]} if alone else stood
    at_base = await again.on(base.commit, asked, alone=alone) if asked else PlainRun(outcomes={})
    wrong_there = otherwise(at_base.outcomes, asked)
    if asked and len(wrong_there) == len(asked):
        excused = set(found.wrong)
        found.broken = ""
    else:
        there = {function_of(test) for test in wrong_there}
        silent = {_file(test) for test, how in wrong_there.items() if how == _SILENT}
        silent -= {_file(test) for test in asked if wrong_there.get(test) != _SILENT}
        excused = {
            test
            for test, how in found.wrong.items()
            if function_of(test) in there or (how == _SILENT and _file(test) in silent)
        }
    found.excused = tuple(sorted(excused))
    found.wrong = {test: how for test, how in found.wrong.items() if test not in excused}
    found.broken = "" if at_base.broken else found.broken
    return found


def _file(test: str) -> str:
    return test.partition("::")[0]


async def _refused(again: Repeated, commands: Collection[Acceptance]) -> dict[str, str]:
    """Return the acceptance commands that fail elsewhere and not on the base."""
    subject = again.place.subject
    passed = {each.evidence.check for each in subject.base.results if each.state is CheckState.PASS}
    refused: dict[str, str] = {}
    for command in commands:
        if time.monotonic() >= again.until or not await again.place.refuses(command, subject.place.commit):
            continue
        if command.name in passed and await again.place.refuses(command, subject.base.commit):
            continue
        refused[f"`{command.command}`"] = "fails"
    return refused


def otherwise(outcomes: Mapping[str, Outcome], passed: Collection[str]) -> dict[str, str]:
    """Return tests that passed before and do not here, with what became of each.

    Parameters may have other names each time: where an identifier is missing, its function counts.
    """
    found: dict[str, str] = {}
    sound = {function_of(test) for test, outcome in outcomes.items() if outcome in _GREEN}
    unsound = {function_of(test) for test, outcome in outcomes.items() if outcome not in _GREEN}
    for test in passed:
        outcome = outcomes.get(test)
        if outcome not in _GREEN and not (outcome is None and function_of(test) in sound - unsound):
            found[test] = _SILENT if outcome is None else str(outcome)
    return found


def _judged(again: Repeated, found: Found, cut: str) -> Obligation:
    evidence = (f"seed {again.place.seed}", " ".join(found.argv)[:300])
    agree = len(again.tests) - len(found.excused)
    if found.wrong or found.broken:
        said = [f"{test} ({how})" for test, how in found.wrong.items()] or [found.broken]
        reason = (
            f"what passed comes out otherwise {_HOW}: {listed(said)}: let it behave alike wherever it runs"
        )
        return Obligation(
            name=ELSEWHERE,
            state=ObligationState.NOT_MET,
            reason=reason,
            evidence=evidence,
            count=len(again.tests),
            cut=cut,
        )
    notes = [f"{agree} tests come out the same {_HOW}"] if agree else []
    notes += [f"flaky or dependent on the order: {listed(found.shaky)}"] if found.shaky else []
    notes += [f"otherwise on the base too: {listed(found.excused)}"] if found.excused else []
    state = ObligationState.MET if agree or not again.tests else ObligationState.NOT_APPLICABLE
    return Obligation(
        name=ELSEWHERE,
        state=state,
        reason="; ".join(notes) or f"the acceptance commands pass {_HOW}",
        evidence=evidence,
        count=len(again.tests),
        cut=cut,
    )
