"""Decide which checks broke through no fault of the work: a person has to act, not the maker."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import SUITES, CheckState, Evidence, Fault
from setpoint.model.lasting_text import lasting
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story

_OUTSIDE = frozenset({Fault.MISSING_TOOL, Fault.MASKED})
"""Nothing that the work changes can be the reason."""
_LASTING = frozenset({*_OUTSIDE, Fault.USAGE, Fault.KILLED})
"""An acceptance command that breaks so at the base will do so on every result."""
_ACCEPTANCE = "acceptance:"


def unanswered(now: Evaluation, base: Evaluation) -> tuple[Evidence, ...]:
    """Return checks that broke for a reason outside the tree, or as they did at the base.

    One that was killed was tried again alone before: what killed it is not known to be the work.
    """
    return tuple(
        each
        for each in now.broken
        if each.fault is not None
        and (each.fault in (*_OUTSIDE, Fault.KILLED) or _as_before(each, base.evidence_of(each.check)))
    )


def not_ready(base: Evaluation, story: Story) -> tuple[Evidence, ...]:
    """Return what keeps every result from being verified, as the base shows before an agent is paid.

    A suite that does not build or collect is what a repair is about.
    """
    return (*filter(_lasts, base.broken), *unmeasured_suites(base, story))


def unmeasured_suites(base: Evaluation, story: Story) -> tuple[Evidence, ...]:
    """Return suites without a measurement at the base, with which no result can be compared."""
    repair = kind_of_request(story)[0] is WorkKind.REPAIR
    return tuple(each for each in base.broken if each.check in SUITES and not (repair and each.fault is None))


def in_words(broken: Iterable[Evidence]) -> str:
    """Return what cannot answer, and why, in one line."""
    return "; ".join(
        each.reason if each.check.startswith(_ACCEPTANCE) else f"{each.check} broke: {each.reason}"
        for each in broken
    )


def _lasts(evidence: Evidence) -> bool:
    """Whether a check other than a suite will break on every result as it does at the base."""
    if evidence.check.startswith(_ACCEPTANCE):
        return evidence.fault in _LASTING
    return evidence.check not in SUITES and evidence.fault is Fault.MISSING_TOOL


def _as_before(evidence: Evidence, stood: Evidence | None) -> bool:
    """Whether a check broke at the base for the same reason; where the work is unknown, in the same words."""
    if stood is None or stood.state is not CheckState.ERROR or stood.fault is not evidence.fault:
        return False
    return evidence.fault is not Fault.UNRELATED or lasting(stood.reason) == lasting(evidence.reason)
