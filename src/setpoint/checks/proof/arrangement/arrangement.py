"""Repeat the last test run in a second arrangement: it must come out the same.

The place is neutral, the variables are those of a plain shell, the test files come in another order, and the
runner starts without Setpoint's plug-in and without coverage. Code that behaves only where Setpoint measures
fails here. What differs on the base too is reported and blames nobody; what passes when it runs again alone
depends on the order or is flaky.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from setpoint.checks.flaky.flaky import MOST_RERUN
from setpoint.checks.proof.arrangement.chance import by_chance_elsewhere, by_chance_in_python
from setpoint.checks.proof.arrangement.neutral_place import NeutralPlace, neutral_place
from setpoint.checks.proof.arrangement.plain_package import plain_package
from setpoint.checks.proof.arrangement.plain_pytest import plain_python
from setpoint.checks.proof.arrangement.without_pytest import refused_without_pytest
from setpoint.checks.proof.impacted import impacted
from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.suites.package_suite import PackageSuite, owner
from setpoint.checks.suites.pytest import TestSuite
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.model.evidence import SUITES, CheckState, Outcome
from setpoint.model.ids import Commit
from setpoint.model.proof import SECOND_ARRANGEMENT, Arrangement, Obligation, ObligationState, WorkKind

_TRIES = 2
_GREEN = (Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY)
_HOW = "in a neutral folder, with plain variables, without Setpoint's plug-in and coverage, in another order"


@dataclass(frozen=True, kw_only=True)
class Gave:
    """What one commit gave in the second arrangement."""

    outcomes: Mapping[str, Outcome]
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why a runner as a whole cannot be believed, by runner."""
    argv: tuple[str, ...] = ()

    def wrong(self, passed: Collection[str]) -> dict[str, str]:
        """Return tests that passed before and do not here, with what became of each."""
        found: dict[str, str] = {}
        sound = {_function(test) for test, outcome in self.outcomes.items() if outcome in _GREEN}
        unsound = {_function(test) for test, outcome in self.outcomes.items() if outcome not in _GREEN}
        for test in passed:
            outcome = self.outcomes.get(test)
            # Parameters may have other names each time.
            if outcome in _GREEN or (outcome is None and _function(test) in sound - unsound):
                continue
            found[test] = "does not run" if outcome is None else str(outcome)
        return found


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """What is repeated of a subject's last test run."""

    checks: tuple[TestSuite | PackageSuite, ...]
    commands: tuple[Acceptance, ...]
    passed: frozenset[str]
    """Tests of the result that passed and are repeated."""
    chosen: bool
    """Whether these are a selection."""
    seed: int

    async def on(self, place: NeutralPlace, commit: Commit, passed: frozenset[str], *, alone: bool) -> Gave:
        """Run the tests that passed on a commit in a fresh checkout of it.

        `alone` names the tests to the runner; else it runs the files that hold them.
        """
        outcomes: dict[str, Outcome] = {}
        broken: dict[str, str] = {}
        argv: tuple[str, ...] = ()
        for check in self.checks:
            own = frozenset(test for test in passed if self._owner(test, place) == _runner_of(check))
            if not own:
                continue
            await place.hold(commit)
            if isinstance(check, TestSuite):
                only = sorted(own) if alone or self.chosen else None
                made = await plain_python(check.runner, place, own, only, self.seed)
            else:
                selection = tuple(sorted(own)) if alone or self.chosen else None
                made = await plain_package(check, place, selection, self.seed)
            outcomes |= made.outcomes
            broken |= {check.name: made.broken} if made.broken else {}
            argv = argv or made.argv
        return Gave(outcomes=outcomes, broken=broken, argv=argv)

    async def refused(
        self, place: NeutralPlace, commit: Commit, commands: Collection[Acceptance]
    ) -> list[Acceptance]:
        """Return the acceptance commands that fail on a commit, each time that they are tried."""
        failed = []
        for command in commands:
            for _ in range(_TRIES):
                await place.hold(commit)
                done = await place.call(
                    ("/bin/sh", "-c", command.command),
                    place.variables(),
                    timeout_s=command.timeout_s,
                    memory_bytes=command.memory_bytes,
                )
                if done.ok:
                    break
            else:
                failed.append(command)
        return failed

    def _owner(self, test: str, place: NeutralPlace) -> str:
        return owner(test, place.subject.task.project.chosen)


async def arrangement(subject: Subject, witnesses: tuple[Witness, ...]) -> Obligation:
    """Repeat the last test run of a subject in the second arrangement, and compare."""
    if reason := _does_not_apply(subject):
        return Obligation(name=SECOND_ARRANGEMENT, state=ObligationState.NOT_APPLICABLE, reason=reason)
    again = await _repeated(subject, witnesses)
    if not again.passed and not again.commands:
        reason = "no test and no acceptance command passed that could be repeated"
        return Obligation(name=SECOND_ARRANGEMENT, state=ObligationState.NOT_APPLICABLE, reason=reason)
    async with neutral_place(subject) as place:
        refused = await again.refused(place, subject.place.commit, again.commands)
        gave = await again.on(place, subject.place.commit, again.passed, alone=False)
        wrong, shaky = await _tried_alone(again, place, gave.wrong(again.passed))
        excused = dict[str, str]()
        if wrong or gave.broken or refused:
            wrong, gave, refused, excused = await _without_those_of_base(again, place, wrong, gave, refused)
        if not wrong:
            wrong = await _without_pytest(again, place, witnesses)
        if not wrong:
            wrong = await _by_chance(again, place)
    return _judged(again, gave, (wrong, shaky, excused), refused)


async def _without_pytest(
    again: Repeated, place: NeutralPlace, witnesses: tuple[Witness, ...]
) -> dict[str, str]:
    """Call the change's own tests without pytest, if they are plain functions."""
    subject = place.subject
    suites = [each for each in again.checks if isinstance(each, TestSuite) and each.name == "pytest"]
    if not suites:
        return {}
    named = {*subject.of_tests, *(each.name for each in witnesses)}
    own = {test for test in again.passed if test in named or test.partition("::")[0] in named}
    stood = witness.passed_in(subject.base.tests) & again.passed
    refused = await refused_without_pytest(suites[0].runner, place, stood, own)
    return {test: f"fails where there is no pytest, {why}" for test, why in refused.items()}


async def _by_chance(again: Repeated, place: NeutralPlace) -> dict[str, str]:
    """Repeat the tests that the change adds; return those that pass by chance."""
    subject = place.subject
    before = subject.base.tests.outcomes if subject.base.tests else {}
    own = frozenset(test for test in again.passed if test not in before)
    python = [test for test in own if not owner(test, subject.task.project.chosen)]
    wrong: dict[str, str] = {}
    for suite in again.checks:
        if isinstance(suite, TestSuite) and suite.name == "pytest":
            wrong |= await by_chance_in_python(suite.runner, place, python)

    async def once(tests: frozenset[str]) -> dict[str, str]:
        return (await again.on(place, subject.place.commit, tests, alone=True)).wrong(tests)

    return wrong | await by_chance_elsewhere(once, own - {*python})


async def _tried_alone(
    again: Repeated, place: NeutralPlace, wrong: dict[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Run again alone what came out otherwise; return what still does, and what then passed."""
    left = dict(wrong)
    for _ in range(_TRIES):
        if not left or len(left) > MOST_RERUN:
            break
        commit = place.subject.place.commit
        left = (await again.on(place, commit, frozenset(left), alone=True)).wrong(left)
    return left, tuple(test for test in wrong if test not in left)


async def _without_those_of_base(
    again: Repeated, place: NeutralPlace, wrong: dict[str, str], gave: Gave, refused: list[Acceptance]
) -> tuple[dict[str, str], Gave, list[Acceptance], dict[str, str]]:
    """Excuse what comes out otherwise on the base too, and name it."""
    base = place.subject.base
    stood = witness.passed_in(base.tests)
    files = {test.partition("::")[0] for test in again.passed}
    passed = frozenset(test for test in stood if test in again.passed or test.partition("::")[0] in files)
    at_base = await again.on(place, base.commit, passed, alone=False)
    of_base = at_base.wrong(passed)
    sound = {test.partition("::")[0] for test in passed - of_base.keys()}
    lost = {test.partition("::")[0] for test in of_base} - sound
    nothing = bool(passed) and not sound
    excused = {
        test: how
        for test, how in wrong.items()
        if nothing or test in of_base or test.partition("::")[0] in lost
    }
    passing = {each.evidence.check for each in base.results if each.state is CheckState.PASS}
    asked = [command for command in refused if command.name in passing]
    stand = {each.name for each in await again.refused(place, base.commit, asked)}
    broken = {name: why for name, why in gave.broken.items() if name not in at_base.broken}
    return (
        {test: how for test, how in wrong.items() if test not in excused},
        replace(gave, broken=broken),
        [command for command in refused if command.name not in stand],
        excused | {command.command: "fails" for command in refused if command.name in stand},
    )


def _does_not_apply(subject: Subject) -> str:
    if subject.work is WorkKind.DOCS:
        return "nothing that runs changes"
    if subject.terms.arrangement is Arrangement.OFF:
        return "off by the setting proof.arrangement"
    return ""


async def _repeated(subject: Subject, witnesses: tuple[Witness, ...]) -> Repeated:
    passed = witness.passed_in(subject.now.tests)
    took_s = sum(each.evidence.duration_s for each in subject.now.results if each.evidence.check in SUITES)
    terms = subject.terms
    chosen = terms.arrangement is Arrangement.IMPACTED or took_s > terms.arrangement_seconds
    if chosen:
        passed &= await impacted(subject, witnesses, passed)
    passes = {each.evidence.check for each in subject.now.results if each.state is CheckState.PASS}
    checks = subject.plan.selection(subject.target, tuple(sorted(passed)))
    return Repeated(
        checks=tuple(each for each in checks if isinstance(each, TestSuite | PackageSuite)),
        commands=tuple(each for each in subject.plan.acceptance() if each.name in passes),
        passed=passed,
        chosen=chosen,
        seed=secrets.randbelow(1 << 16) + 1,
    )


def _judged(
    again: Repeated,
    gave: Gave,
    found: tuple[dict[str, str], tuple[str, ...], dict[str, str]],
    refused: list[Acceptance],
) -> Obligation:
    wrong, shaky, excused = found
    evidence = (f"seed {again.seed}", " ".join(gave.argv)[:300])
    if wrong or refused or gave.broken:
        said = [f"`{command.command}` fails" for command in refused]
        said += [f"{test} ({how})" for test, how in wrong.items()]
        said += [] if wrong else [f"{name}: {why}" for name, why in gave.broken.items()]
        reason = f"what passed comes out otherwise {_HOW}: {listed(said)}"
        reason += ": let code and tests behave alike wherever they run"
        return Obligation(
            name=SECOND_ARRANGEMENT, state=ObligationState.NOT_MET, reason=reason, evidence=evidence
        )
    agree = len(again.passed) - len(excused.keys() & again.passed)
    others = [each for each in again.commands if each.command not in excused]
    if not agree and not others:
        reason = f"what passes does not pass {_HOW} on the base either: {listed(excused)}"
        return Obligation(name=SECOND_ARRANGEMENT, state=ObligationState.NOT_APPLICABLE, reason=reason)
    notes = [f"{agree} {'chosen ' if again.chosen else ''}tests come out the same {_HOW}"]
    notes += [f"acceptance commands: {len(others)}"] if others else []
    notes += [f"flaky or dependent on the order: {listed(shaky)}"] if shaky else []
    notes += [f"otherwise on the base too: {listed(excused)}"] if excused else []
    return Obligation(
        name=SECOND_ARRANGEMENT, state=ObligationState.MET, reason="; ".join(notes), evidence=evidence
    )


def _function(test: str) -> str:
    return test.partition("[")[0]


def _runner_of(check: TestSuite | PackageSuite) -> str:
    return "" if isinstance(check, TestSuite) else check.name
