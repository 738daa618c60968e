from __future__ import annotations

import pytest

from setpoint.model.halter.policies import NAMED, first_pass, fixed
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halting import TurnState
from setpoint.model.run import Action

TERMS = HaltingTerms()


def turn(number, failing=3, **other):
    return TurnState(number=number, gates=failing == 0, failing=failing, **other)


TWICE = (turn(1), turn(2, repeated=True), turn(3, repeated=True))
ONCE = TWICE[:2]


@pytest.mark.parametrize(
    ("name", "past", "action"),
    [
        ("rules-v1", ONCE, Action.CONTINUE),
        ("rules-v1", TWICE, Action.RESTART),
        ("rules-v1", (*TWICE, turn(4, chain=1, repeated=True)), Action.ESCALATE),
        ("rules-v1", (*TWICE, turn(4, chain=1)), Action.CONTINUE),
        ("classic", ONCE, Action.ESCALATE),
        ("classic", (turn(1), turn(2), turn(3, quality=0.5)), Action.ESCALATE),
        ("classic", (turn(1), turn(2), turn(3, quality=0.7)), Action.CONTINUE),
        ("classic", tuple(turn(number) for number in range(1, 6)), Action.ESCALATE),
        ("repeat-twice", ONCE, Action.CONTINUE),
        ("repeat-twice", TWICE, Action.ESCALATE),
        ("first-pass", TWICE, Action.CONTINUE),
        ("first-pass", tuple(turn(number) for number in range(1, 11)), Action.ESCALATE),
        ("first-pass", (turn(1, cost_usd=5.0),), Action.ESCALATE),
        ("fixed-3", (turn(1, failing=0),), Action.CONTINUE),
        ("fixed-3", TWICE, Action.ESCALATE),
        ("fixed-3", (*ONCE, turn(3, failing=0)), Action.HALT),
    ],
)
def test_each_policy_decides_by_its_rule(name, past, action):
    assert NAMED[name](TERMS)(past) is action


@pytest.mark.parametrize("name", [each for each in NAMED if not each.startswith("fixed")])
def test_every_policy_but_the_fixed_ones_halts_at_the_first_pass(name):
    assert NAMED[name](TERMS)((turn(1), turn(2, failing=0, quality=0.9))) is Action.HALT


def test_rules_without_a_restart_go_to_a_person():
    terms = TERMS.model_copy(update={"may_restart": False})
    assert NAMED["rules-v1"](terms)(TWICE) is Action.ESCALATE


def test_a_number_of_turns_can_be_set():
    assert first_pass(TERMS, turns=2)(ONCE) is Action.ESCALATE
    assert fixed(2)(ONCE[:1]) is Action.CONTINUE
