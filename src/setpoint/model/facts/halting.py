"""The turns of a run as halting policies see them, whatever they were recorded for."""

from __future__ import annotations

from setpoint.model.facts.rounds import RunFacts, blocking, open_count, problems, review_findings
from setpoint.model.finding import Category
from setpoint.model.halting import TurnState
from setpoint.model.run import Round


def turn_states(past: RunFacts) -> tuple[TurnState, ...]:
    """Return every round of a run as a turn, oldest first.

    A round that did not reach the full suite has a share of tests of its own, which is left out.
    """
    states = []
    before: Round | None = None
    for place, each in enumerate(past.rounds):
        quality = each.latest.quality
        states.append(
            TurnState(
                number=place + 1,
                chain=each.chain,
                quality=each.latest.score,
                gates=each.verified,
                failing=open_count(each),
                tests_share=quality.tests if each.tests is not None else None,
                security=sum(finding.category is Category.SECURITY for finding in blocking(each)),
                review=len(review_findings(each)),
                repeated=before is not None and bool(problems(each)) and problems(each) == problems(before),
                cost_usd=max(0.0, float(past.shares[place].cost_usd)) if place < len(past.shares) else 0.0,
            )
        )
        before = each
    return tuple(states)
