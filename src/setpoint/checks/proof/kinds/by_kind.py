"""What a kind of work must prove beside a witness and sensitivity."""

from __future__ import annotations

import asyncio

from setpoint.checks.proof.kinds.documents import nothing_runs
from setpoint.checks.proof.kinds.generated_source import generated_source
from setpoint.checks.proof.kinds.lock_file import lock_file
from setpoint.checks.proof.kinds.lock_hosts import lock_hosts
from setpoint.checks.proof.kinds.manifests.entries import entries
from setpoint.checks.proof.kinds.manifests.settings import settings
from setpoint.checks.proof.kinds.new_tests import new_tests
from setpoint.checks.proof.kinds.public_names import public_names
from setpoint.checks.proof.kinds.same_outcomes import same_outcomes
from setpoint.checks.proof.process.alike import same_in_every_process
from setpoint.checks.proof.subject import Subject
from setpoint.model.proof import Obligation


async def by_kind(subject: Subject) -> tuple[Obligation, ...]:
    """Measure what the kind of a change asks for; what it does not ask for is not listed."""
    return (
        *same_outcomes(subject),
        *public_names(subject),
        *await lock_file(subject),
        *await asyncio.to_thread(lock_hosts, subject),
        *await new_tests(subject),
        *nothing_runs(subject),
        *same_in_every_process(subject),
        *await generated_source(subject),
        *entries(subject),
        *settings(subject),
    )
