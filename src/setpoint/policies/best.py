"""Which of a run's states is the best; it is delivered whatever ends the run."""

from __future__ import annotations

from setpoint.domain.evaluation import Evaluation
from setpoint.domain.run import Round
from setpoint.policies.past import Past, blocking, failures

Rank = tuple[bool, int, int, float, int]
"""Verified, then fewer red tests, fewer blocking findings, higher score, later."""


def rank(past: Round) -> Rank:
    """Order rounds lexicographically; ties go to the latest."""
    red = len(failures(past)) + len(past.latest.broken)
    return (past.verified, -red, -len(blocking(past)), past.latest.score or 0.0, past.number)


def best_first(past: Past) -> tuple[Round, ...]:
    """Give the rounds that changed something, best first."""
    changed = [each for each in past.rounds if each.changed_against_base]
    return tuple(sorted(changed, key=rank, reverse=True))


def no_worse_than_base(measured: Evaluation, base: Evaluation) -> bool:
    """Whether a fully measured tree may replace the base: it breaks nothing and nothing new blocks."""
    base_red = {failure.test for failure in base.failures} | set(base.known_red)
    newly_red = {failure.test for failure in measured.failures} - base_red
    return not newly_red and not measured.blocking and not measured.broken


def better_than_base(measured: Evaluation, base: Evaluation) -> bool:
    """Whether it is worth delivering unverified: no worse, and with fewer red tests."""
    return no_worse_than_base(measured, base) and len(measured.failures) < len(base.failures)
