"""Recorded runs of a project as logged runs, for replay of halting policies."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.history.replay import History, history
from setpoint.model.events import Event
from setpoint.model.events.people import DeliveryFate, DeliveryJudged
from setpoint.model.facts.budget_account import account_of
from setpoint.model.facts.halting import agent_of, turn_states
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.halting import LoggedRun


def own_run(events: Sequence[Event]) -> LoggedRun | None:
    """Return a finished run as a logged one; none where it is not finished or measured no iteration.

    What people made of the delivered branch is its outcome: merged as it was is right; edited or reverted is
    wrong. That every gate passed does not count as one. Runs of several candidates are left out.
    """
    told = history(events)
    if told.outcome is None or told.base is None or not told.rounds or len(told.order.makers) > 1:
        return None
    past = RunFacts(
        limits=told.limits,
        base=told.base,
        rounds=told.rounds,
        shares=account_of(events).shares,
        weights=told.order.weights,
    )
    outcome = _outcome(told)
    return LoggedRun(
        run=told.trace_id,
        agent=agent_of(told.rounds),
        group=told.order.story.id,
        kind=told.order.story.kind or "",
        turns=turn_states(past),
        verified=tuple(
            outcome if each.snapshot.commit == told.outcome.best else None for each in told.rounds
        ),
        full=len(told.rounds) >= told.limits.max_iterations,
    )


def _outcome(told: History) -> bool | None:
    fates = {each.fate for each in told.feedback if isinstance(each, DeliveryJudged)}
    if fates & {DeliveryFate.EDITED, DeliveryFate.REVERTED}:
        return False
    return True if DeliveryFate.MERGED in fates else None
