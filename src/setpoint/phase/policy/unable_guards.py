"""Which guards cannot judge a run, and why: a guard that never fires must not look like one that agrees."""

from __future__ import annotations

from setpoint.model.facts.rounds import RunFacts
from setpoint.phase.policy.progress_guards import (
    FLOOR_AFTER_ROUNDS,
    STAGNATION_WINDOW,
    full_scores,
    scores_in_a_row,
)


def unable(past: RunFacts) -> dict[str, str]:
    """Return the guards that are switched on and cannot judge the newest round, each with the reason."""
    asked = {
        "minimum_quality": _floor(past),
        "stagnation": _stagnation(past),
        "max_rounds_without_gain": _tests(past),
        "max_cost_usd": _cost(past),
        "max_tokens": _tokens(past),
    }
    return {name: reason for name, reason in asked.items() if reason}


def _floor(past: RunFacts) -> str:
    late = len(past.recent) >= FLOOR_AFTER_ROUNDS
    if past.limits.minimum_quality is None or not late or full_scores(past):
        return ""
    return f"none of {len(past.recent)} rounds reached the full test suite, so there is no score of the whole"


def _stagnation(past: RunFacts) -> str:
    late = len(past.recent) >= STAGNATION_WINDOW
    if not past.limits.stagnation or not late or scores_in_a_row(past):
        return ""
    window = past.recent[-STAGNATION_WINDOW:]
    if len({each.tests is None for each in window}) > 1:
        why = "some ran the full test suite and some a part of it"
    else:
        why = "no tests ran in one of them"
    return f"the quality of the last {STAGNATION_WINDOW} rounds cannot be compared: {why}"


def _tests(past: RunFacts) -> str:
    ran = past.base.test_counts or past.base.failures or any(each.latest.test_counts for each in past.rounds)
    reached = any(each.tests is not None for each in past.rounds)
    if past.limits.max_rounds_without_gain == 0 or ran or not reached:
        return ""
    return "no test runs in this project, so only findings, gates and goals show whether a round gains"


def _cost(past: RunFacts) -> str:
    if past.limits.max_cost_usd <= 0 or past.cost_known:
        return ""
    return "an agent does not report what it spends, so only the cost that is known counts"


def _tokens(past: RunFacts) -> str:
    if past.limits.max_tokens is None or past.tokens or past.cost_known:
        return ""
    return "no agent reports its tokens"
