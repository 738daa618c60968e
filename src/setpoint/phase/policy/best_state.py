"""Choose the best state of a run; it is delivered whatever ends the run."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.evaluation import Evaluation
from setpoint.model.facts.cover_gain import (
    gains,
    hindering,
    is_about_reach,
    strength_of_tests,
)
from setpoint.model.facts.rounds import RunFacts, blocking, comparable_scores, failures
from setpoint.model.finding import Severity
from setpoint.model.run import Round

Rank = tuple[bool, int, int, tuple[int, int, int], float, int, int]
"""Verified, fewer failing tests, fewer blocking findings, stronger tests, higher score, smaller, later."""
SAME_SCORE = 2
"""Decimal places of the quality score that tell states apart."""


def rank(past: Round, score: float | None = None) -> Rank:
    """Order rounds lexicographically; ties go to the smaller change, then to the latest.

    `score` is the quality by metrics that every compared round measured, where that is not its own.
    """
    red = len(failures(past)) + len(past.latest.broken)
    left = [each for each in blocking(past) if not is_about_reach(each)]
    strength = strength_of_tests(past.latest)
    order = strength.order if strength else (0, 0, 0)
    value = round((past.latest.score if score is None else score) or 0.0, SAME_SCORE)
    return (past.verified, -red, -len(left), order, value, -(past.lines or 0), past.number)


def ranked(rounds: Sequence[Round], weights: dict[str, float]) -> tuple[Round, ...]:
    """Return the rounds that changed something, best first; scores are compared by common metrics."""
    changed = [each for each in rounds if each.changed_against_base]
    scores = comparable_scores(changed, weights) or (0.0,) * len(changed)
    pairs = sorted(zip(changed, scores, strict=True), key=lambda pair: rank(*pair), reverse=True)
    return tuple(each for each, _ in pairs)


def best_first(past: RunFacts) -> tuple[Round, ...]:
    """Return the rounds that changed something, best first."""
    return ranked(past.rounds, past.weights)


def may_be_better(unproved: Round, proved: Round) -> bool:
    """Whether a round that was not measured in full could turn out better than one that was.

    Early checks run only part of the tests, so its known problems are a lower bound.
    """
    return rank(unproved)[1:3] > rank(proved)[1:3]


def no_worse_than_base(measured: Evaluation, base: Evaluation) -> bool:
    """Whether a fully measured tree may replace the base: it breaks nothing and nothing new blocks."""
    base_red = {failure.test for failure in base.failures} | set(base.known_red)
    newly_red = {failure.test for failure in measured.failures} - base_red
    return not newly_red and not hindering(measured) and not measured.broken


def worth_delivering(proved: Round, base: Evaluation) -> bool:
    """Whether a fully measured round is worth offering though it is not verified.

    It is at least as good as the base and has no critical finding; if the story asks to fix failing tests, it
    has fewer of them, and if it asks for tests, they are stronger.
    """
    if strength_of_tests(base) is not None and not gains(proved.latest, base):
        return False
    critical = any(finding.severity is Severity.CRITICAL for finding in blocking(proved))
    fewer = len(failures(proved)) < len(base.failures) or not base.failures
    return no_worse_than_base(proved.latest, base) and fewer and not critical
