"""What is left, when to warn, how long a run has worked and what it has cost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from model.examples import EXAMPLES, ORDER, a_snapshot, an_attempt
from phase.policy.rounds import a_past
from setpoint.model.attempt import AttemptLimits, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.events import Event
from setpoint.model.events.run import AgentFinished, PhaseCompleted, ReviewCompleted, RunResumed, RunStarted
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import EventId
from setpoint.runs.policy.budget import attempt_limits, warnings

BEGAN = datetime(2026, 2, 1, tzinfo=UTC)


def recorded(*timed):
    return tuple(
        Event(
            id=EventId(f"e{seq}"),
            trace_id=ORDER.trace_id,
            seq=seq,
            at=BEGAN + timedelta(seconds=at),
            key=f"k{seq}",
            body=body,
        )
        for seq, (at, body) in enumerate(timed, start=1)
    )


def at_once(*bodies):
    return recorded(*((0, body) for body in bodies))


def paid(money, scope="turn", **more):
    attempt = an_attempt(usage=Usage(cost_usd=None if money is None else Decimal(money), scope=scope))
    return AgentFinished(phase="implement", iteration=1, snapshot=a_snapshot(attempt), **more)


def _spent(events):
    used = account_of(events).used
    return used.cost_usd, used.known


START, RESUMED = RunStarted(order=ORDER, workdir="/copy"), RunResumed(process=7)


def test_time_before_a_resumption_does_not_count():
    events = recorded((0, START), (10, paid("1")), (5000, RESUMED), (5003, paid("1")))
    assert account_of(events).active_s == 13
    assert account_of(()).active_s == account_of(events[:1]).active_s == 0


@given(gaps=st.lists(st.tuples(st.integers(0, 10**6), st.booleans())))
def test_active_time_is_the_sum_of_the_gaps_without_a_death(gaps):
    timed, now = [(0, START)], 0
    for gap, died in gaps:
        now += gap
        timed.append((now, RESUMED if died else paid("1")))
    assert account_of(recorded(*timed)).active_s == sum(gap for gap, died in gaps if not died)


def test_all_agents_are_paid_for():
    thought = PhaseCompleted(phase="plan", usage=Usage(cost_usd=Decimal("0.10"), scope="turn"))
    reviewed = EXAMPLES["review.completed"].model_copy(
        update={"usage": Usage(cost_usd=Decimal("0.20"), scope="turn")}
    )
    assert isinstance(reviewed, ReviewCompleted)
    events = at_once(START, thought, paid("1.00", lost_cost_usd=Decimal("0.05")), reviewed)
    assert _spent(events) == (Decimal("1.35"), True)


def test_an_agent_that_did_not_tell_makes_the_sum_unknown():
    assert _spent(at_once(paid("1"), paid(None))) == (Decimal(1), False)
    assert _spent(at_once(paid("1"), paid(None, scope="none"))) == (Decimal(1), True)
    bare = AgentFinished(phase="implement", iteration=1, snapshot=a_snapshot(None))
    assert _spent(at_once(bare)) == (Decimal(0), True)


def test_an_attempt_gets_what_is_left():
    limits, wanted = Limits(max_cost_usd=Decimal(5), max_wall_s=100), AttemptLimits(wall_s=60, idle_s=50)
    whole = attempt_limits(limits, wanted, Decimal(1), 0)
    assert (whole.wall_s, whole.idle_s, whole.cost_usd) == (60, 50, Decimal(4))
    late = attempt_limits(limits, wanted, Decimal(9), 70)
    assert (late.wall_s, late.idle_s, late.cost_usd) == (30, 30, Decimal(0))
    assert attempt_limits(limits, wanted, Decimal(0), 1000).wall_s == 5


def test_an_attempt_gets_no_more_money_than_is_wanted():
    wanted, free = AttemptLimits(cost_usd=Decimal(1)), Limits(max_cost_usd=Decimal(0))
    assert attempt_limits(Limits(), wanted, Decimal(0), 0).cost_usd == 1
    assert attempt_limits(free, wanted, Decimal(0), 0).cost_usd == 1
    assert attempt_limits(free, AttemptLimits(), Decimal(0), 0).cost_usd is None


def test_warnings_come_at_half_and_at_four_fifths():
    limits = Limits(max_cost_usd=Decimal(10), max_wall_s=100)

    def warned(money, seconds):
        past = a_past(limits=limits, cost_usd=Decimal(money), active_s=seconds)
        return [(name, share) for name, share, _, _ in warnings(past)]

    assert warned("4.99", 49.9) == []
    assert warned("5", 50) == [("cost", 0.5), ("time", 0.5)]
    assert warned("8", 79.9) == [("cost", 0.8), ("time", 0.5)]
    assert warnings(a_past(limits=limits, cost_usd=Decimal(8))) == (("cost", 0.8, 8.0, 10.0),)
    assert warnings(a_past(limits=Limits(max_cost_usd=Decimal(0)), cost_usd=Decimal(8))) == ()
