"""What a person grants is added to the limits; what was not limited stays so."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.examples import AT, ORDER
from setpoint.model import events as e
from setpoint.model.config.limits import Limits
from setpoint.model.facts.budget_account import account_of, granted
from setpoint.model.gate import Answer, Choice, Escalation, Gate, GateKind, Grant, Option, Via
from setpoint.model.ids import EventId, GateId
from setpoint.presets.classic import CLASSIC
from setpoint.runs.policy.budget import attempt_limits

GRANTS = st.lists(
    st.builds(Grant, iterations=st.integers(0, 10), wall_s=st.floats(0, 1e6), tokens=st.integers(0, 10**6))
)


def test_everything_that_counts_rounds_gives_way():
    more = granted(Limits(**CLASSIC), [Grant(iterations=3, cost_usd=Decimal(2), wall_s=60)])
    assert (more.max_iterations, more.max_review_bounces, more.max_test_bounces) == (8, 6, 5)
    assert (more.max_refinement_attempts, more.max_cost_usd, more.max_wall_s) == (6, Decimal(7), 1860)
    assert (more.max_same_test_failure, more.max_tokens) == (3, None)


def test_money_without_a_limit_stays_without_one():
    assert granted(Limits(max_cost_usd=Decimal(0)), [Grant(cost_usd=Decimal(5))]).max_cost_usd == 0


def test_tokens_are_added_where_they_are_limited():
    assert granted(Limits(max_tokens=1000), [Grant(tokens=500)]).max_tokens == 1500


@given(GRANTS)
def test_a_grant_never_takes_anything_away(given_grants):
    before, after = Limits(), granted(Limits(), given_grants)
    assert after.max_iterations >= before.max_iterations
    assert after.max_wall_s >= before.max_wall_s
    assert after.deadline_s == before.deadline_s


def events(*bodies):
    return tuple(
        e.Event(id=EventId(f"e{seq}"), trace_id=ORDER.trace_id, seq=seq, at=AT, key=str(seq), body=body)
        for seq, body in enumerate(bodies, start=1)
    )


def test_only_answers_that_let_a_run_go_on_grant_anything():
    def asked(name, iteration):
        option = Option(choice=Choice.CONTINUE, text="")
        return e.GateOpened(
            gate=Gate(
                id=GateId(name),
                kind=GateKind.ESCALATION,
                iteration=iteration,
                question="?",
                options=(option,),
                asked_at=AT,
            )
        )

    def answered(name, choice):
        answer = Answer(choice=choice, by="Ann", via=Via.CLI, grant=Grant(iterations=2))
        return e.GateAnswered(gate=GateId(name), answer=answer)

    told = events(
        asked("one", 3),
        answered("one", Choice.CONTINUE),
        asked("two", 5),
        answered("two", Choice.ACCEPT),
        answered("never asked", Choice.CONTINUE),
    )
    assert [iteration for iteration, _ in account_of(told).continued] == [3]
    assert [grant.iterations for grant in account_of(told).grants] == [2]


def test_an_attempt_ends_with_the_deadline_of_the_run():
    limits = Limits(max_wall_s=1000, deadline_s=300)
    assert attempt_limits(limits, ORDER.attempt, Decimal(0), 100, 250).wall_s == 50
    assert attempt_limits(limits, ORDER.attempt, Decimal(0), 100, 900).wall_s == 5
    assert attempt_limits(limits, ORDER.attempt, Decimal(0), 980, 0).wall_s == 20
    assert attempt_limits(limits, ORDER.attempt, Decimal(0), 0).same_calls == 3


def test_tokens_are_those_that_agents_told():
    paid = e.ReviewCompleted.model_validate(
        {
            "iteration": 1,
            "verdict": {"reviewer": "code", "judgement": "approve"},
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }
    )
    assert account_of(events(paid, paid)).used.tokens == 2040


@pytest.mark.parametrize("path", ["", "../x.md", "/etc/x", "a//b", "a/../b", ".git/config", "a\\b", "./x"])
def test_debts_are_kept_inside_the_repository(path):
    with pytest.raises(ValueError, match="root of the repository"):
        Escalation(debt_file=path)


def test_only_answers_to_an_escalation_may_be_its_default():
    with pytest.raises(ValueError, match="continue, accept and cancel"):
        Escalation(at_deadline=Choice.APPROVE)


def test_debts_may_lie_in_a_folder():
    assert Escalation(debt_file="docs/debts.md").debt_file == "docs/debts.md"
