"""Choose the tests that a change can reach."""

from __future__ import annotations

from dataclasses import replace

from setpoint.checks.verdict.subject import Subject
from setpoint.checks.verdict.witness import Witness
from setpoint.model.evaluation import Stage


async def impacted(subject: Subject, witnesses: tuple[Witness, ...], tests: frozenset[str]) -> frozenset[str]:
    """Return the witnesses, tests of changed files, and those that the map of the last run names."""
    known = await reached(subject)
    if known is None:
        return tests
    named = {*known, *subject.of_tests, *(each.name for each in witnesses)}
    return frozenset(test for test in tests if test in named or test.partition("::")[0] in named)


async def reached(subject: Subject) -> tuple[str, ...] | None:
    """Return the tests, or files of them, that the change is known to reach; none where nothing is known."""
    early = subject.place._replace(stage=Stage.EVALUATE)
    return (await subject.measuring.target(replace(subject.task, fast=True), early)).only
