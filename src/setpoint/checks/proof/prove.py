"""Prove one tree: measure each obligation of the kind of work."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.measurement import Measuring, Task
from setpoint.checks.proof.find_witnesses import find_witnesses, strongest
from setpoint.checks.proof.sensitivity import sensitivity
from setpoint.checks.proof.subject import subject_of
from setpoint.model.proof import Proof, ProofTerms
from setpoint.ports import Measured


@dataclass(frozen=True, kw_only=True)
class Prover:
    """Proves trees of one project."""

    measuring: Measuring

    async def prove(self, task: Task, place: Measured, terms: ProofTerms) -> Proof:
        """Measure what the change of a tree must prove; the tree itself has passed every other check."""
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            subject = await subject_of(self.measuring, task, place, terms, Path(scratch))
            witness, witnesses = await find_witnesses(subject)
            obligations = (witness, await sensitivity(subject, witnesses))
        return Proof(
            work=subject.work,
            why=subject.why,
            required=terms.required,
            obligations=obligations,
            trust=strongest(witnesses),
        )
