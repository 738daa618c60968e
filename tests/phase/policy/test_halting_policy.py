"""rules-v1: halts on gates alone, turns on repetition, escalates at limits."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phase.policy.rounds import GREEN, a_past, a_round, confirmed, finding, reds, with_gates
from setpoint.model.config.limits import Limits
from setpoint.model.proof import ELSEWHERE, Obligation, ObligationState, Proof, WorkKind
from setpoint.model.run import Action
from setpoint.model.verdict import Judgement
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.progress_guards import stagnation
from setpoint.presets.classic import CLASSIC
from setpoint.testing import Scene

SCENES = st.builds(
    Scene,
    score=st.floats(0, 1),
    failing=st.lists(st.sampled_from(["t::a", "t::b", "t::c"]), unique=True, max_size=2).map(tuple),
    flaky=st.sampled_from([(), ("t::shaky",)]),
    broken=st.sampled_from([(), ("coverage",), ("pytest",)]),
    findings=st.sampled_from([(), (finding(),)]),
    agent_wrote_tests=st.booleans(),
)
REVIEWS = st.sampled_from([(), (finding("the name misleads"),)])


@st.composite
def pasts(draw):
    rounds = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        past = a_round(number, draw(SCENES), review=draw(REVIEWS), reached=draw(st.booleans()))
        if past.tests is not None and draw(st.booleans()):
            past = confirmed(past, draw(SCENES))
        rounds.append(past.model_copy(update={"chain": draw(st.integers(0, 1))}))
    past = a_past(*rounds, limits=draw(st.sampled_from([Limits(), Limits(**CLASSIC)])))
    # A round can be judged again after a person answered about it.
    return past.model_copy(update={"since": draw(st.integers(0, len(rounds)))})


@given(past=pasts())
def test_a_halt_needs_every_gate_whatever_the_score(past):
    decision, halt = rules_v1(past)
    if decision.action in (Action.HALT, Action.CONFIRM):
        assert past.last.verified
        assert halt is None
    else:
        assert not past.last.verified
    assert decision.policy == "rules-v1"
    assert decision.reason
    assert decision.figures["round"] == len(past.rounds)


@given(past=pasts())
def test_a_restart_happens_in_the_first_chain_only(past):
    decision, halt = rules_v1(past)
    if decision.action is Action.RESTART:
        assert past.last.chain == 0
        assert halt.guard == "repeated_findings"


@given(past=pasts(), score=st.floats(0, 1))
def test_the_score_decides_nothing_by_default(past, score):
    past = past.model_copy(update={"limits": Limits()})
    measured = past.last.tests or past.last.evaluation
    other = measured.model_copy(update={"score": score})
    last = past.last.model_copy(update={"tests" if past.last.tests else "evaluation": other})
    changed = past.model_copy(update={"rounds": (*past.rounds[:-1], last)})
    assert rules_v1(changed)[0].action is rules_v1(past)[0].action


def test_the_worked_example_of_r0():
    scenes = (
        Scene(score=0.65, failing=("t::a", "t::b")),
        Scene(score=0.78, failing=("t::b",)),
        Scene(score=0.88),
    )
    rounds = tuple(a_round(number, scene) for number, scene in enumerate(scenes, start=1))
    actions = [rules_v1(a_past(*rounds[:number]))[0].action for number in (1, 2, 3)]
    assert actions == [Action.CONTINUE, Action.CONTINUE, Action.CONFIRM]
    last = confirmed(rounds[2], GREEN)
    decision, _ = rules_v1(a_past(*rounds[:2], last))
    assert (decision.action, decision.reason) == (Action.HALT, "every hard gate passes twice")


def test_steady_progress_is_stagnation_to_r0_and_goes_on_by_default():
    past = a_past(
        a_round(1, Scene(score=0.80, failing=("t::a", "t::b", "t::c"))),
        a_round(2, Scene(score=0.83, failing=("t::b", "t::c"))),
        a_round(3, Scene(score=0.86, failing=("t::c",))),
    )
    halt = stagnation(Limits(stagnation=True))(past)
    assert halt is not None
    assert halt.figures == {"variance": 0.0006, "last": 0.86}
    assert rules_v1(past)[0].action is Action.CONTINUE
    classic = Limits(stagnation=True, restart_on_repeat=False)
    decision, halt = rules_v1(past.model_copy(update={"limits": classic}))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "stagnation")


def test_repetition_restarts_once_then_escalates():
    first = reds(3, "t::a", "t::b")
    decision, halt = rules_v1(a_past(*first))
    assert (decision.action, halt.guard) == (Action.RESTART, "repeated_findings")
    assert "fresh context" in decision.reason
    again = a_round(4, Scene(failing=("t::a", "t::b")), chain=1)
    decision, halt = rules_v1(a_past(*first, again))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "max_same_test_failure")
    assert "every approach" not in decision.reason  # two tests fail, so no single one is suspect


def test_classic_stops_at_repetition():
    decision, halt = rules_v1(a_past(*reds(3, "t::a"), limits=Limits(restart_on_repeat=False)))
    assert decision.action is Action.ESCALATE
    assert halt is not None


def test_one_test_that_fails_in_every_chain_is_suspect():
    second = [a_round(number, Scene(failing=("t::a",)), chain=1) for number in (4, 5, 6)]
    decision, halt = rules_v1(a_past(*reds(3, "t::a"), *second))
    assert decision.action is Action.ESCALATE
    assert "t::a alone fails in every approach" in decision.reason
    assert decision.reason == halt.reason


def test_limits_go_before_a_restart():
    decision, halt = rules_v1(a_past(*reds(3, "t::a"), limits=Limits(max_iterations=3)))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "max_iterations")
    decision, halt = rules_v1(a_past(*reds(1), cost_usd=Decimal(5)))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "max_cost_usd")


def test_a_pass_goes_before_every_limit():
    decision, halt = rules_v1(a_past(a_round(1), limits=Limits(max_iterations=1), cost_usd=Decimal(99)))
    assert (decision.action, halt) == (Action.HALT, None)


def test_a_pass_is_confirmed_where_it_is_a_weak_proof():
    at_once = a_past(a_round(1))
    late = a_past(*reds(2), a_round(3))
    flaky = a_past(a_round(1, Scene(flaky=("t::shaky",))))
    own_tests = a_past(a_round(1, Scene(agent_wrote_tests=True)))
    actions = [rules_v1(past)[0].action for past in (at_once, late, flaky, own_tests)]
    assert actions == [Action.HALT, Action.CONFIRM, Action.CONFIRM, Action.CONFIRM]
    reasons = [rules_v1(past)[0].reason for past in (late, flaky, own_tests)]
    told = ["it took 3 rounds", "flaky tests were seen", "the agent wrote tests itself"]
    assert all(word in reason for word, reason in zip(told, reasons, strict=True))


@pytest.mark.parametrize(
    ("state", "action"),
    [(ObligationState.MET, Action.HALT), (ObligationState.NOT_APPLICABLE, Action.CONFIRM)],
)
def test_a_second_arrangement_is_the_confirmation(state, action):
    said = Obligation(name=ELSEWHERE, state=state)
    proof = Proof(work=WorkKind.BEHAVIOUR, why="", obligations=(said,))
    past = a_round(1, Scene(agent_wrote_tests=True)).model_copy(update={"proof": proof})

    assert rules_v1(a_past(past))[0].action is action


def test_a_reviewer_who_wants_a_person_gets_one():
    decision, halt = rules_v1(a_past(a_round(1, judgement=Judgement.REQUIRE_HUMAN)))
    assert (decision.action, decision.reason, halt) == (
        Action.ESCALATE,
        "code wants a person to decide",
        None,
    )


def test_figures_stand_beside_a_decision():
    past = a_past(*reds(2, "t::a"), cost_usd=Decimal("1.5"), active_s=12.34)
    assert rules_v1(past)[0].figures == {
        "round": 2,
        "chain": 0,
        "quality": round(past.last.tests.score, 4),
        "score": round(past.last.tests.score, 4),
        "open_problems": 1,
        "failing_tests": 1,
        "same_problems_running": 1,
        "bounces": 2,
        "cost_usd": 1.5,
        "active_s": 12.3,
    }


def test_without_a_measured_score_there_is_none():
    past = a_round(1, Scene(failing=("t::a",)))
    bare = past.tests.model_copy(update={"score": None})
    decision, _ = rules_v1(a_past(with_gates(past.model_copy(update={"tests": bare}))))
    assert decision.figures["quality"] is None
