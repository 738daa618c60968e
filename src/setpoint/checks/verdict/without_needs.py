"""Broken code and hidden tests never meet the network, nor the ignored files and variables that checks get.

A test that needs these says nothing there. Where a run fails, the tests that cannot do without are looked for
and left out. What the others say then counts, unless a test that was left out might have noticed the broken
code: such a run is not measured. A hidden test that fails is a failure, whatever other tests need.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace

from setpoint.checks.verdict.broken_code import suite_s
from setpoint.checks.verdict.steps import Found
from setpoint.checks.verdict.subject import Subject
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.proof import ObligationState
from setpoint.model.wording import counted
from setpoint.system.processes import without_network

_LEAST_S, _SLOWER, _TRIES = 60.0, 3, 2
REACHED = "broken code could reach the network: this machine cannot cut it off"


@dataclass(kw_only=True)
class Bare:
    """A change as broken code and hidden tests meet it."""

    subject: Subject
    """Without what is found to need what they never get."""
    lost: frozenset[str] = field(default=frozenset(), init=False)
    """Tests and commands that pass, and not here."""
    needing: str = field(default="", init=False)
    """How many these are, in words; empty where there are none."""
    _words: str
    """What they may need."""
    _eager: bool
    """Whether some need it in all likelihood, so that they are looked for at once."""
    _looked: bool = field(default=False, init=False)
    _told: bool = field(default=False, init=False)

    @classmethod
    def of(cls, subject: Subject) -> Bare:
        """Take from a change what its tests get beside what git holds."""
        needs = subject.task.project.needs
        if needs:
            task = replace(subject.task, project=subject.task.project.bare)
            plan = subject.measuring.plan(task, subject.place.copy.trace_id, subject.scratch)
            subject = replace(subject, task=task, plan=plan)
        words = f"{needs.words} or the network" if needs else "the network"
        return cls(subject=subject, _words=words, _eager=bool(needs))

    async def run(self, measure: Callable[[Subject], Awaitable[Found]], *, again: bool = False) -> Found:
        """Measure a change without network; what tests that were left out may explain is not measured.

        With `again` a failing run is repeated without them, and what the others say then counts.
        """
        async with without_network() as reachable:
            if self._eager:
                await self._look()
            found = await measure(self.subject)
            if _fails(found) and not (reachable or self._looked):
                await self._look()
                found = await measure(self.subject) if again and self.needing else found
        return self._judged(found, reachable, excused=not again)

    def left_of(self, witnesses: tuple[Witness, ...]) -> tuple[Witness, ...]:
        """Return the witnesses that say something here."""
        return tuple(each for each in witnesses if each.name not in self.lost)

    async def _look(self) -> None:
        """Find the tests and commands that pass otherwise alone; what fails by chance runs once more."""
        if self._looked:
            return
        self._looked = True
        subject, there = self.subject, await self.subject.checked_out()
        tests = passed_in(subject.now.tests)
        limit_s = max(_LEAST_S, _SLOWER * suite_s(subject))
        for _ in range(_TRIES):
            tests -= passed_in(await subject.run_tests(tests, there, limit_s)) if tests else frozenset()
        passing = {each.evidence.check for each in subject.now.results if each.state is CheckState.PASS}
        asked = [each for each in subject.plan.acceptance() if each.name in passing]
        failing = [each for each in asked if (await each.run(there)).state is not CheckState.PASS]
        if not tests and not failing:
            return
        self.lost = frozenset((*tests, *(each.command for each in failing)))
        kinds = ((len(tests), "test"), (len(failing), "command"))
        many = " and ".join(counted(count, kind) for count, kind in kinds if count)
        self.needing = f"not measured: {many} cannot do without {self._words}, which broken code never gets"
        gone = {each.name for each in failing}
        kept = (_without(each, tests) for each in subject.now.results if each.evidence.check not in gone)
        self.subject = replace(subject, now=subject.now.model_copy(update={"results": tuple(kept)}))

    def _judged(self, found: Found, reachable: str, *, excused: bool) -> Found:
        judged = list(found.obligations)
        if self.needing and excused:
            unknown = {"state": ObligationState.NOT_APPLICABLE, "reason": self.needing}
            judged = [
                each.model_copy(update=unknown) if each.state is ObligationState.NOT_MET else each
                for each in judged
            ]
        if judged and reachable and not self._told:
            self._told = True
            judged[0] = judged[0].model_copy(update={"reason": f"{judged[0].reason}; {REACHED}"})
        return found.model_copy(update={"obligations": tuple(judged)})


def _fails(found: Found) -> bool:
    return any(each.state is ObligationState.NOT_MET for each in found.obligations)


def _without(result: CheckResult, lost: Collection[str]) -> CheckResult:
    if result.tests is None:
        return result
    kept = {test: outcome for test, outcome in result.tests.outcomes.items() if test not in lost}
    return result.model_copy(update={"tests": result.tests.changed(outcomes=kept)})
