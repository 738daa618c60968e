"""Find the witnesses of a change: tests and commands that fail without its code, and pass with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from setpoint.model.evidence import (
    SUITES,
    Cause,
    CheckResult,
    CheckState,
    Failure,
    Fault,
    Outcome,
    TestReport,
)
from setpoint.model.exam import Examiner
from setpoint.model.value import Text, Value
from setpoint.model.wording import shortened

_GREEN = (Outcome.PASSED, Outcome.FLAKY)
_MOST_MESSAGE = 80
_NO_CAUSE = {
    Cause.TIMEOUT: "it times out",
    Cause.FLAKY: "it fails by chance",
    Cause.ENVIRONMENT: "something is missing on this machine",
}
"""Causes that say nothing about the code."""
GONE = "it passes without the change, and with it what it tests is gone"
_WORD = re.compile(r"[\w-]+")
_MISSING_NAME = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError")
"""Errors that say that a name, or a parameter, is not there."""


class Witness(Value):
    """One test or command that tells the change from its lack."""

    name: Text
    """The test's identifier, or the command."""
    why: Text
    """How it fails at the base."""
    by: Examiner
    """Who set it."""
    author: Text = ""
    """The agent that wrote it, or that found it to express the request; empty for a person and the maker."""

    def __str__(self) -> str:
        """Return it as a report names it."""
        return f"{self.name}: {self.why}"


def passed_in(report: TestReport | None) -> frozenset[str]:
    """Return the tests that passed."""
    outcomes = report.outcomes if report else {}
    return frozenset(test for test, outcome in outcomes.items() if outcome in _GREEN)


def mended(base: TestReport | None, now: TestReport | None) -> tuple[Witness, ...]:
    """Return tests that failed at the base and pass now; a file that did not load represents its tests."""
    passed, contradicted = passed_in(now), now.contradicted if now else ()
    files = {test.partition("::")[0] for test in passed}
    return tuple(
        Witness(
            name=each.test,
            why=f"it failed at the base ({shortened(each.message, _MOST_MESSAGE)})",
            by=Examiner.FAILING_TESTS,
        )
        for each in (base.failures if base else ())
        if each.cause not in _NO_CAUSE
        and each.test not in contradicted
        and (each.test in passed or ("::" not in each.test and each.test in files))
    )


def removed(base: TestReport | None, now: TestReport | None) -> tuple[Witness, ...]:
    """Return tests of the base that fail with the change as they were, and that the change takes away."""
    gone = [test for test in (now.contradicted if now else ()) if test not in (now.outcomes if now else ())]
    known = passed_in(base)
    return tuple(Witness(name=test, why=GONE, by=Examiner.MAKER) for test in gone if test in known)


def built(base: Iterable[CheckResult], now: Iterable[CheckResult]) -> tuple[Witness, ...]:
    """Return suites that pass now and were not built or collected at the base, for a reason in the tree."""
    passes = {each.evidence.check for each in now if each.state is CheckState.PASS}
    return tuple(
        Witness(
            name=each.evidence.check,
            why=f"it broke at the base ({shortened(each.evidence.reason, _MOST_MESSAGE)})",
            by=Examiner.FAILING_TESTS,
        )
        for each in base
        if each.evidence.check in passes & {*SUITES}
        and each.state is CheckState.ERROR
        and each.evidence.fault is None
    )


def added(
    asked: Iterable[str],
    report: TestReport,
    control: Collection[str],
    inline: Collection[str] = (),
    modules: Collection[str] = (),
) -> tuple[tuple[Witness, ...], str]:
    """Return those of the change's own tests that are witnesses, and why the first of the others is none.

    Args:
        asked: Tests that pass on the result and are new or in files that changed.
        report: What they gave with all of the change but its code.
        control: Tests that pass with its code too, run in the same place and in the same way.
        inline: Names of tests in sources that the change adds as a whole, so that they cannot exist without.
        modules: Names of files and folders that the change adds, which tests may miss without it.

    """
    found, other = [], ""
    for test in asked:
        failure = failure_of(test, report)
        if test not in control:
            other = other or f"{test} does not pass when it runs in another place"
        elif failure is None and test not in report.outcomes and test.rpartition("::")[2] in inline:
            found.append(
                Witness(name=test, why="the change adds the module that holds it", by=Examiner.MAKER)
            )
        elif failure is None:
            other = other or f"{test} passes without the changed code too"
        elif reason := other_cause(failure, report.outcomes.get(test), modules):
            other = other or f"{test} fails without the changed code, but {reason}"
        else:
            why = f"without the changed code: {shortened(failure.message, _MOST_MESSAGE)}"
            found.append(Witness(name=test, why=why, by=Examiner.MAKER))
    return tuple(found), other


def other_cause(failure: Failure, outcome: Outcome | None, modules: Collection[str] = ()) -> str:
    """Say for which reason a failure says nothing about the code; empty where it does.

    An assertion does, an exception in the test, and a name that is not there, one of `modules` too. A fixture
    that breaks for another reason than a missing name does not.
    """
    if failure.cause is Cause.ENVIRONMENT and not set(_WORD.findall(failure.message)).isdisjoint(modules):
        return ""
    if failure.cause in _NO_CAUSE:
        return f"{_NO_CAUSE[failure.cause]}: {shortened(failure.message, _MOST_MESSAGE)}"
    prepared = outcome is Outcome.ERROR and "::" in failure.test and bool(failure.error)
    if prepared and failure.error.rpartition(".")[2] not in _MISSING_NAME:
        return f"what prepares it breaks: {shortened(failure.message, _MOST_MESSAGE)}"
    return ""


def failure_of(test: str, report: TestReport) -> Failure | None:
    """Return why a test fails: by itself, as a part of its file, or because nothing was built."""
    red = {failure.test: failure for failure in report.failures}
    found = red.get(test) or red.get(test.partition("::")[0])
    if found is None and test in report.red:
        return next((each for each in report.failures if each.cause is Cause.SYNTAX), None)
    return found


def commands(
    at_base: Iterable[CheckResult], now: Iterable[CheckResult], words: Mapping[str, str]
) -> tuple[tuple[Witness, ...], str]:
    """Return acceptance commands that failed at the base and pass now, and what the others prove.

    `words` are the commands by the name of their check.
    """
    passes = {each.evidence.check for each in now if each.state is CheckState.PASS}
    found, other = [], ""
    for each in at_base:
        check = each.evidence.check
        if check not in passes:
            continue
        if each.state is CheckState.FAIL or each.evidence.fault is Fault.UNRELATED:
            why = f"exit code {each.evidence.exit_code} at the base"
            found.append(Witness(name=words[check], why=why, by=Examiner.COMMAND))
        elif each.evidence.fault is Fault.ABSENT:
            why = "what it names is not there at the base"
            found.append(Witness(name=words[check], why=why, by=Examiner.COMMAND))
        elif each.state is CheckState.PASS:
            other = other or f"`{words[check]}` passes at the base too, so it proves nothing"
        else:
            other = other or f"`{words[check]}` could not run at the base"
    return tuple(found), other
