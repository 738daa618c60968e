"""What a run has used, read from its events: ended, lost, answered and in flight."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from model.examples import ORDER, a_snapshot, an_attempt
from setpoint.model.attempt import Usage
from setpoint.model.events import Event
from setpoint.model.events.run import (
    AgentFinished,
    AgentSpent,
    PhaseCompleted,
    ReviewAnswered,
    ReviewCompleted,
)
from setpoint.model.facts.budget_account import account_of
from setpoint.model.facts.spending import added, in_words, origin
from setpoint.model.ids import EventId
from setpoint.model.verdict import Judgement, Verdict

APPROVED = Verdict(reviewer="r", judgement=Judgement.APPROVE)


def usage(money, tokens=10, **more):
    cost = None if money is None else Decimal(money)
    return Usage(input_tokens=tokens, output_tokens=0, cost_usd=cost, scope="turn", **more)


def recorded(*keyed):
    return tuple(
        Event(
            id=EventId(f"e{seq}"),
            trace_id=ORDER.trace_id,
            seq=seq,
            at=datetime(2026, 2, 1, tzinfo=UTC),
            key=key,
            body=body,
        )
        for seq, (key, body) in enumerate(keyed, start=1)
    )


def told(label, money, attempt=1, **more):
    return f"{label}:{attempt}:{money}", AgentSpent(label=label, attempt=attempt, usage=usage(money, **more))


def made(money, lost="0"):
    snapshot = a_snapshot(an_attempt(usage=usage(money)))
    return "implement-1", AgentFinished(
        phase="implement", iteration=1, snapshot=snapshot, lost_cost_usd=Decimal(lost)
    )


def answered(key, money):
    return key, ReviewAnswered(iteration=1, review="code", verdict=APPROVED, usage=usage(money))


def test_what_is_in_flight_counts_by_its_newest_figure():
    events = recorded(told("implement-1", "0.1"), told("implement-1", "0.3"), told("plan-0", "0.2"))
    so_far = account_of(events).used
    assert (so_far.cost_usd, so_far.tokens) == (Decimal("0.5"), 20)
    assert so_far.flying == {"implement-1": Decimal("0.3"), "plan-0": Decimal("0.2")}


def test_an_attempt_that_ended_counts_once_with_the_tries_that_were_lost():
    events = recorded(told("implement-1", "0.1"), told("implement-1", "0.3", 2), made("0.4", lost="0.1"))
    so_far = account_of(events).used
    assert (so_far.cost_usd, so_far.tokens, so_far.flying) == (Decimal("0.5"), 20, {})


def test_a_lost_try_whose_cost_nobody_told_leaves_the_whole_unknown():
    first = told("implement-1", None, tokens=500)
    so_far = account_of(recorded(first, told("implement-1", "0.3", 2), made("0.4"))).used
    assert (so_far.cost_usd, so_far.tokens, so_far.known) == (Decimal("0.4"), 510, False)


def test_the_figures_of_a_thinking_phase_give_way_to_its_result():
    events = recorded(told("plan-0", "0.1"), ("plan-0", PhaseCompleted(phase="plan", usage=usage("0.2"))))
    assert account_of(events).used.cost_usd == Decimal("0.2")


def test_reviewers_count_while_they_work_when_they_answered_and_in_the_sum():
    first = (told("review-1:code", "0.1"), told("review-1:security", "0.2"))
    assert account_of(recorded(*first)).used.cost_usd == Decimal("0.3")
    half = (*first, answered("review-1:code", "0.15"))
    assert account_of(recorded(*half)).used.cost_usd == Decimal("0.35")
    whole = (
        *half,
        answered("review-1:security", "0.25"),
        ("review-1", ReviewCompleted(iteration=1, verdict=APPROVED, usage=usage("0.4", tokens=20))),
    )
    assert (account_of(recorded(*whole)).used.cost_usd, account_of(recorded(*whole)).used.tokens) == (
        Decimal("0.4"),
        20,
    )


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([], "$0.00"),
        ([usage("0.421", priced_by="agent")], "$0.42 (told by the agent)"),
        ([usage("0.42")], "$0.42 (told by the agent)"),
        (
            [usage("1", priced_by="user", tokens_by="agent")],
            "$1.00 (tokens told by the agent, priced by your settings)",
        ),
        (
            [usage("1", priced_by="genai-prices 0.2.3", tokens_by="proxy")],
            "$1.00 (counted by the proxy, priced by genai-prices 0.2.3)",
        ),
        (
            [usage("1"), usage("2", priced_by="user", tokens_by="proxy")],
            "$3.00 ($2.00 counted by the proxy, priced by your settings; $1.00 told by the agent)",
        ),
        ([usage(None)], "cost not told"),
        ([usage("1"), usage(None)], "$1.00 known (told by the agent; the rest not told)"),
        ([usage("1", at_least=True)], "$1.00 known (told by the agent; the rest not told)"),
        ([Usage(scope="none")], "$0.00"),
    ],
)
def test_the_cost_is_said_with_its_source(parts, shown):
    keyed = [
        (f"plan-{number}", PhaseCompleted(phase="plan", usage=each)) for number, each in enumerate(parts)
    ]
    assert in_words(account_of(recorded(*keyed)).used) == shown


def test_the_sum_of_several_is_a_lower_bound_where_one_is_unknown():
    total = added([usage("1", model="a"), usage(None, model="b"), Usage(scope="none")])
    assert (total.cost_usd, total.at_least, total.input_tokens, total.model) == (1, True, 20, "a, b")
    assert added([usage(None), usage(None)]).cost_usd is None
    assert not added([usage(None), usage(None)]).at_least
    assert added([Usage(scope="none")]) == Usage(scope="none")


def test_an_unknown_cost_has_no_source():
    assert origin(Usage(input_tokens=5)) == "unknown"
