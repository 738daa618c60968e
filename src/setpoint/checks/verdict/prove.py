"""Prove one tree: take the runs that its kind of work asks for, cheapest falsifier first."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.languages.all import language_of
from setpoint.checks.measurement import Measuring, Task
from setpoint.checks.verdict.broken_code import suite_s
from setpoint.checks.verdict.canary import canary
from setpoint.checks.verdict.clean_room import clean_room
from setpoint.checks.verdict.elsewhere import elsewhere
from setpoint.checks.verdict.find_witnesses import exams_of, find_witnesses
from setpoint.checks.verdict.hidden_tests import hidden_on, try_at_base
from setpoint.checks.verdict.kinds import Kind
from setpoint.checks.verdict.new_tests import NEW_TESTS, new_tests
from setpoint.checks.verdict.nothing_lost import nothing_lost
from setpoint.checks.verdict.package_tools import package_tools
from setpoint.checks.verdict.public_names import public_names
from setpoint.checks.verdict.reproductions import reproduced
from setpoint.checks.verdict.sabotage import sabotage
from setpoint.checks.verdict.same_calls import same_calls
from setpoint.checks.verdict.steps import Found, KeptRuns, ObligationListener, Steps
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed, subject_of
from setpoint.checks.verdict.without_needs import Bare
from setpoint.checks.verdict.witness import Witness
from setpoint.model.exam import Exam, Examiner
from setpoint.model.proof import (
    CANARY,
    CLEAN_ROOM,
    ELSEWHERE,
    FILES,
    HIDDEN,
    NOBODY,
    NOTHING_LOST,
    SABOTAGE,
    SAME_CALLS,
    WITNESS,
    HiddenTests,
    HiddenTrial,
    Obligation,
    ObligationState,
    Proof,
    ProofTerms,
    Vouched,
    WorkKind,
)
from setpoint.ports import Measured
from setpoint.system.processes import withholding, without_network

_LEAST_BUDGET_S = 20.0
_OF_SABOTAGE = 0.6
"""Share of the budget that the sabotage may take."""
_START_S = 1.0
"""Seconds that starting a runner takes, roughly."""
_BUDGETED = {
    WorkKind.BEHAVIOUR: (SABOTAGE, CANARY, ELSEWHERE, SAME_CALLS),
    WorkKind.REPAIR: (SABOTAGE, CANARY, ELSEWHERE, SAME_CALLS),
    WorkKind.REFACTOR: (SABOTAGE, ELSEWHERE, SAME_CALLS),
    WorkKind.TESTS: (CANARY, ELSEWHERE),
    WorkKind.CHORE: (ELSEWHERE,),
    WorkKind.DOCS: (),
}
"""Which runs share the budget, by kind of work."""


_OF_TESTS = "only tests are changed, and each new one fails where Setpoint breaks the code"
_OF_FILES = {
    WorkKind.CHORE: "no code is changed",
    WorkKind.DOCS: "nothing that runs is changed, and nobody judged the text",
}
_OF_OLD = {
    WorkKind.REFACTOR: "as a refactoring changes no outcome",
    WorkKind.CHORE: "as no code is changed",
}
"""What Setpoint itself measured, where it is the examiner."""


_Measure = Callable[[Subject, tuple[Witness, ...], float], Awaitable[Obligation]]


class _Run(NamedTuple):
    name: str
    estimate_s: float
    measure: Callable[[float], Awaitable[Found]]
    """Is given the time of `time.monotonic` by which it has to have ended."""


@dataclass(frozen=True, kw_only=True)
class Prover:
    """Proves trees of one project."""

    measuring: Measuring
    told: ObligationListener = lambda _: None
    """Is given what each run found as soon as it is known."""

    async def prove(self, task: Task, place: Measured, terms: ProofTerms, vouched: Vouched = NOBODY) -> Proof:
        """Measure what the change of a tree must prove; the tree itself has passed every other check."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            subject = await subject_of(self.measuring, task, place, terms, Path(scratch))
            kept = KeptRuns.of(subject, vouched)
            steps = Steps(without=terms.without, kept=kept, told=self.told)
            return await _proved(subject, vouched, steps)

    async def reproduce(self, task: Task, place: Measured, tests: HiddenTests) -> HiddenTrial:
        """Run what shows objections on the base and on the result, checked out at `place`."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            async with without_network():
                came = [await reproduced(self.measuring, task, place, test, Path(scratch)) for test in tests]
            return HiddenTrial(reproduced=tuple(came))

    async def try_hidden(self, task: Task, place: Measured, tests: HiddenTests) -> HiddenTrial:
        """Run tests that were written from the request alone at the base, checked out at `place`."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            return await try_at_base(self.measuring, task, place, tests, Path(scratch))


async def _proved(subject: Subject, vouched: Vouched, steps: Steps) -> Proof:
    """Take runs 1 to 3, which are never cut short, then those that share the budget."""
    alone = Bare.of(subject)

    async def room() -> Found:
        return Found(obligations=(clean_room(subject),))

    async def old_tests() -> Found:
        obligation, against = await nothing_lost(subject, vouched)
        return Found(obligations=(obligation,), against=against)

    async def witnessed() -> Found:
        async with without_network():
            with withholding():
                hidden = await hidden_on(subject, alone.subject, vouched)
        obligation, witnesses = await find_witnesses(subject, vouched, hidden.witnesses)
        return Found(
            obligations=(*hidden.obligations, obligation),
            witnesses=witnesses,
            noticed=tuple(sorted(hidden.noticed)),
        )

    await steps.take(CLEAN_ROOM, room)
    lost = await steps.take(NOTHING_LOST, old_tests)
    found = await steps.take(WITNESS, witnessed)
    if subject.kind.promises_nothing and not found.witnesses:
        subject = replace(subject, kind=Kind(WorkKind.REFACTOR, "no outcome changes, and none is promised"))
        alone.subject = replace(alone.subject, kind=subject.kind)
    if subject.work not in (WorkKind.BEHAVIOUR, WorkKind.REPAIR):
        await steps.take(str(subject.work), partial(_by_kind, subject, alone))
    rests = await _within_budget(alone, found, steps)
    asked = {*_BUDGETED[subject.work], NOTHING_LOST, *(vouched.hidden and (HIDDEN,))}
    return Proof(
        work=subject.work,
        why=subject.kind.why,
        obligations=tuple(steps.made),
        exams=exams_of(found.witnesses, vouched.readable) or _without_witness(subject, steps.made),
        contradicts=lost.against,
        not_run=_not_run(steps.made, asked),
        vouched=vouched,
        mutants=rests.mutants,
    )


def _without_witness(subject: Subject, made: Sequence[Obligation]) -> tuple[Exam, ...]:
    """Return the exam of work that has no witness: nothing may come out otherwise."""
    met = {each.name: each for each in made if each.state is ObligationState.MET}
    exams: list[Exam] = []
    if subject.work in (WorkKind.REFACTOR, WorkKind.CHORE) and (lost := met.get(NOTHING_LOST)):
        exams.append(Exam(examiner=Examiner.BASE_TESTS, count=lost.count, what=_OF_OLD[subject.work]))
    if subject.work is WorkKind.TESTS and NEW_TESTS in met:
        exams.append(Exam(examiner=Examiner.SETPOINT, what=_OF_TESTS))
    if subject.work in (WorkKind.CHORE, WorkKind.DOCS) and FILES in met and not exams:
        exams.append(Exam(examiner=Examiner.SETPOINT, what=_OF_FILES[subject.work]))
    return tuple(exams)


def _not_run(made: Sequence[Obligation], asked: Collection[str]) -> tuple[str, ...]:
    """Return the runs that the kind of work asks for, and that did not apply or could not be made."""
    unknown = ObligationState.NOT_APPLICABLE
    return tuple(each.name for each in made if each.name in asked and each.state is unknown)


async def _by_kind(subject: Subject, alone: Bare) -> Found:
    """Measure what one kind of work asks for beside the seven runs."""
    obligations: tuple[Obligation, ...] = ()
    if subject.work is WorkKind.REFACTOR:
        obligations = public_names(subject)
    elif subject.work is WorkKind.TESTS:
        until = time.monotonic() + budget_s(subject)

        async def tried(change: Subject) -> Found:
            return Found(obligations=await new_tests(change, until))

        return await alone.run(tried)
    elif subject.work is WorkKind.CHORE:
        obligations = (
            _files(subject, "settings or a version alone are changed"),
            *await package_tools(subject),
        )
    elif subject.work is WorkKind.DOCS:
        obligations = (_files(subject, "nothing that runs is changed"),)
    return Found(obligations=obligations)


def _files(subject: Subject, said: str) -> Obligation:
    return Obligation(
        name=FILES,
        state=ObligationState.MET,
        reason=f"{said}: {listed(subject.paths)}",
        evidence=subject.paths[:MOST_NAMED],
    )


async def _within_budget(alone: Bare, witnessed: Found, steps: Steps) -> Found:
    """Take the runs that share the budget; return what the sabotage found.

    The sabotage tells most, so it goes first, with its share of the budget; the others follow, the shortest
    first, and share all that is left.
    """
    came, work = Found(), alone.subject.work
    began, whole_s = time.monotonic(), budget_s(alone.subject)
    runs = [each for each in _runs(alone, witnessed) if each.name in _BUDGETED[work]]
    for each in sorted(runs, key=lambda run: (run.name != SABOTAGE, run.estimate_s)):
        share = _OF_SABOTAGE if each.name == SABOTAGE and len(runs) > 1 else 1.0
        measure = partial(each.measure, began + share * whole_s)
        found = await steps.take(each.name, measure, each.estimate_s)
        came = found if each.name == SABOTAGE else came
    return came


async def _sabotaged(
    subject: Subject, witnesses: tuple[Witness, ...], until: float, noticed: tuple[str, ...]
) -> Found:
    obligation, mutants = await sabotage(subject, witnesses, until, noticed)
    return Found(obligations=(obligation,), mutants=mutants)


def _runs(alone: Bare, witnessed: Found) -> tuple[_Run, ...]:
    """Return the runs that share the budget, with how long each may take."""
    subject, witnesses = alone.subject, witnessed.witnesses

    async def sabotaged(until: float) -> Found:
        own, noticed = alone.left_of(witnesses), witnessed.noticed
        return await alone.run(lambda change: _sabotaged(change, own, until, noticed))

    async def plainly(measure: _Measure, until: float) -> Found:
        async def found(change: Subject) -> Found:
            return Found(obligations=(await measure(change, alone.left_of(witnesses), until),))

        return await alone.run(found, again=True)

    own_s = suite_s(subject)
    functions = sum(
        len(language.changed(path, subject.before.get(path), text).functions)
        for path, text in subject.after.items()
        if path not in subject.of_tests and (language := language_of(path)) is not None
    )
    asked = max(1, len(subject.now.tests.outcomes) if subject.now.tests else 1)
    one_s = _START_S + own_s * len(witnesses) / asked
    return (
        _Run(CANARY, 2 * _START_S, partial(plainly, canary)),
        _Run(SAME_CALLS, 4 * one_s, partial(plainly, same_calls)),
        _Run(ELSEWHERE, own_s + _START_S, partial(plainly, elsewhere)),
        _Run(SABOTAGE, 3 * functions * one_s, sabotaged),
    )


def budget_s(subject: Subject) -> float:
    """Return the seconds that the runs 4 to 7 share."""
    return subject.terms.seconds or max(_LEAST_BUDGET_S, suite_s(subject))
