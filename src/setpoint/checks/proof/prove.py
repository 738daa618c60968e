"""Prove one tree: measure each obligation of the kind of work."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.measurement import Measuring, Task
from setpoint.checks.proof.arrangement.arrangement import arrangement
from setpoint.checks.proof.assertions.real_assertions import real_assertions
from setpoint.checks.proof.differential.differential import answers
from setpoint.checks.proof.equality.plain_values import plain_values
from setpoint.checks.proof.expected.expected import expected
from setpoint.checks.proof.instrument.instrument import instrument
from setpoint.checks.proof.kinds.by_kind import by_kind
from setpoint.checks.proof.kinds.look import looked_at
from setpoint.checks.proof.kinds.own_gate import OWN_GATE, own_gate
from setpoint.checks.proof.kinds.whole_request import RestoredWork, whole_request
from setpoint.checks.proof.named.named import named
from setpoint.checks.proof.process.debug_only import in_every_build
from setpoint.checks.proof.sensitivity.sensitivity import sensitivity
from setpoint.checks.proof.subject import Subject, subject_of
from setpoint.checks.proof.witness.find_witnesses import find_witnesses, strongest, weakest
from setpoint.checks.proof.witness.sealed_tests import sealed_on, try_at_base
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.proof import (
    INSTRUMENT,
    NOBODY,
    SECOND_ARRANGEMENT,
    Obligation,
    ObligationState,
    Proof,
    ProofTerms,
    SealedTest,
    SealedTrial,
    Trust,
    Vouched,
)
from setpoint.ports import Measured


@dataclass(frozen=True, kw_only=True)
class Prover:
    """Proves trees of one project."""

    measuring: Measuring

    async def prove(
        self,
        task: Task,
        place: Measured,
        terms: ProofTerms,
        restored: RestoredWork | None = None,
        vouched: Vouched = NOBODY,
    ) -> Proof:
        """Measure what the change of a tree must prove; the tree itself has passed every other check.

        `restored` are changes of protected files that are not in the tree any more.
        """
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            subject = await subject_of(self.measuring, task, place, terms, Path(scratch))
            kept, unseen = await sealed_on(subject, vouched.sealed)
            witness, witnesses = await find_witnesses(subject, vouched, unseen)
            sensitive = await sensitivity(subject, witnesses)
            answered, rests = await answers(subject, witnesses)
            noticed = [name for each in sensitive.obligations for name in each.evidence]
            obligations = [
                *await looked_at(subject, witnesses),
                *kept,
                witness,
                *sensitive.obligations,
                *answered,
                *await named(subject, witnesses, noticed),
                *await plain_values(subject, witnesses),
                *await real_assertions(subject),
                *await in_every_build(subject, witnesses),
                *await expected(subject, witnesses),
                *await by_kind(subject),
                *whole_request(task.story, restored or RestoredWork()),
            ]
            missing = [each.name for each in obligations if each.state is ObligationState.NOT_MET]
            obligations += await _at_last(subject, witnesses, missing if terms.required else [])
        return Proof(
            work=subject.work,
            why=subject.why,
            required=terms.required,
            obligations=tuple(obligations),
            trust=_least(strongest(witnesses), rests),
            vouched=vouched,
            mutants=sensitive.mutants,
        )

    async def try_sealed(self, task: Task, place: Measured, tests: tuple[SealedTest, ...]) -> SealedTrial:
        """Run tests that were written from the request alone at the base, checked out at `place`."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            return await try_at_base(self.measuring, task, place, tests, Path(scratch))


def _least(trust: Trust | None, rests: Trust | None) -> Trust | None:
    """Return the trust of the proof; what it rests on beside its strongest witness can lower it."""
    return weakest([trust, rests]) if trust and rests else trust


async def _at_last(
    subject: Subject, witnesses: tuple[Witness, ...], missing: list[str]
) -> tuple[Obligation, ...]:
    """Measure what doubts the tests themselves, unless the work is unproven already."""
    if missing:
        reason = f"not measured while {' and '.join(missing)} is missing"
        return tuple(
            Obligation(name=name, state=ObligationState.NOT_APPLICABLE, reason=reason)
            for name in (OWN_GATE, INSTRUMENT, SECOND_ARRANGEMENT)
        )
    return (
        *await own_gate(subject),
        await instrument(subject, witnesses),
        await arrangement(subject, witnesses),
    )
