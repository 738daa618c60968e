"""What a maker is told of the rounds before."""

from decimal import Decimal

from phase.policy.rounds import a_round, finding
from setpoint.model.config.limits import Limits
from setpoint.model.evidence import CheckState
from setpoint.model.verdict import HardGate
from setpoint.phase.briefs import MOST_TRIED_DIFF, budget_left, earlier_rounds
from setpoint.phase.policy.bouncing import outcome_line
from setpoint.testing import Scene

UNPROVEN = HardGate(name="proof", state=CheckState.FAIL, reason="nothing can prove the work")


def test_each_outcome_is_said_in_one_line():
    told = {
        "verified": outcome_line(a_round(1)),
        "empty": outcome_line(a_round(1, diff="")),
        "red": outcome_line(a_round(1, Scene(failing=("t::a", "t::b")))),
        "review": outcome_line(a_round(1, review=(finding("it leaks"),))),
        "broken": outcome_line(a_round(1, Scene(broken=("coverage",)))),
        "gates": outcome_line(a_round(1, reached=False).model_copy(update={"bounced_from": ""})),
        "proof": outcome_line(
            a_round(1, reached=False).model_copy(update={"bounced_from": "", "gates": (UNPROVEN,)})
        ),
    }
    assert told == {
        "verified": "every gate passed",
        "empty": "nothing was changed",
        "red": "sent back by test: 2 failing, first t::a: assert 1 == 2",
        "review": "sent back by review: 1 blocking finding, first it leaks",
        "broken": "sent back by test: coverage broke: scripted to break",
        "gates": "sent back by the gates: a gate did not pass",
        "proof": "sent back by the gates: gate proof did not pass: nothing can prove the work",
    }


def test_what_was_tried_is_told_with_its_diff_cut_to_size():
    (told,) = earlier_rounds([(a_round(3, Scene(failing=("t::a",))), "x" * 9999)])
    assert (told.iteration, len(told.diff)) == (3, MOST_TRIED_DIFF)


def test_what_is_left_is_said_in_money_and_minutes():
    limits = Limits(max_cost_usd=Decimal(5), max_wall_s=600)
    assert budget_left(limits, 1.25, 120) == "$3.75 and 8 minutes"
    assert budget_left(limits, 9, 9999) == "$0.00 and 0 minutes"
    assert budget_left(limits.model_copy(update={"max_cost_usd": Decimal(0)}), 1, 0) == "10 minutes"


def test_the_reason_of_a_bounce_cuts_no_path():
    message = f"{'word ' * 30}cannot import add from shop/discount/rules.py"
    told = outcome_line(a_round(1, review=(finding(message),)))
    assert told.endswith(f"{'word ' * 30}cannot …")
