"""What is known of one failing test: its failure, suspected lines, and the place in the raw output."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.errors import RecordedDataError, UsageError
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import SUITES, Failure, Suspect
from setpoint.wiring.project import Project

AROUND = 20
"""Lines of raw output on both sides of the place that names the test."""
_SHOWN = 5


class FailingTest(NamedTuple):
    """One failing test as it was measured."""

    failure: Failure
    suspects: tuple[Suspect, ...]
    """Lines that failing tests of this tree run more than passing ones; empty where nothing was located."""
    localised: str
    """What the suspects rest on, or why there are none."""
    output: str
    """The part of the raw output that names the test last; empty where none does."""


def failing_test(project: Project, evaluation: Evaluation, which: str) -> FailingTest:
    """Return the failing test that is named, or whose name ends so.

    Raises `UsageError` for none or several.
    """
    every = evaluation.failures
    exact = [each for each in every if each.test == which]
    found = exact or [each for each in every if which and each.test.endswith(which)]
    if len(found) != 1:
        names = ", ".join(each.test for each in every[:_SHOWN]) or "none"
        more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
        message = f"{len(found)} failing tests are called '{which}'; failing are: {names}{more}"
        raise UsageError(message, hint="name one of them in full")
    failure = found[0]
    return FailingTest(
        failure, evaluation.suspects, evaluation.localised, _output(project, evaluation, failure.test)
    )


def _output(project: Project, evaluation: Evaluation, test: str) -> str:
    """Return the lines around the last place in a suite's output that names the test."""
    name = test.replace("::", " ").split()[-1]
    for evidence in evaluation.evidence:
        if evidence.check not in SUITES or evidence.output is None:
            continue
        try:
            raw = project.artifacts.read(evidence.output)
        except RecordedDataError:  # it is gone; what is recorded of the failure remains
            continue
        lines = raw.decode("utf-8", "replace").splitlines()
        at = max((place for place, line in enumerate(lines) if name in line), default=-1)
        if at >= 0:
            return "\n".join(lines[max(at - AROUND, 0) : at + AROUND])
    return ""
