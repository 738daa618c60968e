"""Tests that fail at the base for what Setpoint sets: they are repeated in a person's own variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from setpoint.checks.baseline import PASSES, Measurements
from setpoint.checks.discovery.interpreter import OF_CHECKS
from setpoint.checks.plan import Plan
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.pytest import TestSuite
from setpoint.checks.target import Target
from setpoint.model.evidence import Cause, CheckResult, Outcome
from setpoint.ports import Check, Measured

MOST = 1000
"""Most failing tests that are repeated."""
LIMIT_S = 120.0
"""Seconds that one runner has for it."""
_GREEN = (Outcome.PASSED, Outcome.FLAKY)


async def passing_in_a_shell(
    plan: Plan, target: Target, place: Measured, tests: Collection[str]
) -> dict[str, str]:
    """Return the failing tests that pass without the variables of the checks, each with these in words.

    A test that passes there and fails once more in ours is ours, not theirs.
    """
    blamed: dict[str, str] = {}
    for check in plan.selection(target, tuple(tests)) if tests else ():
        plain, names = in_a_shell(check)
        if plain is None or not names:
            continue
        passes = _passing(await plain.run(place), tests)
        if passes and (again := _passing(await check.run(place), passes)) != passes:
            words = f"without {_named(names)}, which Setpoint sets"
            blamed |= dict.fromkeys((test for test in passes if test not in again), words)
    return blamed


def marked(made: Measurements, blamed: Mapping[str, str], begun: str = PASSES) -> Measurements:
    """Name tests that pass otherwise, each with how; a failure of theirs is of the environment."""
    if not blamed:
        return made
    results = tuple(_said(each, blamed, begun) for each in made.results)
    return made.model_copy(update={"results": results})


def in_a_shell(check: Check) -> tuple[Check | None, tuple[str, ...]]:
    """Return a check of tests in a person's own variables, and the names of those that are gone."""
    if isinstance(check, TestSuite):
        limit_s = min(check.runner.timeout_s, LIMIT_S)
        return replace(check, runner=replace(check.runner, in_a_shell=True, timeout_s=limit_s)), OF_CHECKS
    if isinstance(check, PackageSuite):
        limit_s = min(check.asked.timeout_s or check.timeout_s, LIMIT_S)
        asked = check.asked.model_copy(update={"timeout_s": limit_s})
        return replace(check, in_a_shell=True, asked=asked), (*check.own_variables, *OF_CHECKS)
    return None, ()


def _passing(result: CheckResult, tests: Iterable[str]) -> list[str]:
    outcomes = result.tests.outcomes if result.tests else {}
    return [test for test in tests if outcomes.get(test) in _GREEN]


def _said(result: CheckResult, blamed: Mapping[str, str], begun: str) -> CheckResult:
    report = result.tests
    if report is None or not blamed.keys() & report.outcomes.keys():
        return result
    failures = tuple(
        each.model_copy(
            update={
                "cause": Cause.ENVIRONMENT,
                "message": f"{begun}{blamed[each.test]}: {each.message}",
            }
        )
        if each.test in blamed
        else each
        for each in report.failures
    )
    said = report.changed(failures=failures)
    return result.model_copy(update={"tests": said})


def _named(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
