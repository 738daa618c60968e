"""Which phase mends what was found, for every category."""

from pathlib import Path

import pytest

from phase.policy.rounds import a_past, a_round, finding, reds
from setpoint.model.events.run import PhaseBounce
from setpoint.model.finding import Category, Severity
from setpoint.phase.policy.bouncing import (
    PLAN,
    POLICY,
    RESEARCH,
    bounce_count,
    bounce_of,
    bounce_target,
    too_many_bounces,
)
from setpoint.pipelines import load_pipeline

CHANGE = load_pipeline("change", Path())
TABLE = {
    "requirements": "research",
    "missing_information": "research",
    "misunderstanding": "research",
    "architecture": "plan",
    "design": "plan",
    "approach": "plan",
    "scope": "plan",
    "correctness": "implement",
    "tests": "implement",
    "integrity": "implement",
    "security": "implement",
    "types": "implement",
    "style": "implement",
    "performance": "implement",
    "coverage": "implement",
    "documentation": "implement",
}


def test_the_table_knows_every_category():
    assert set(TABLE) == {str(category) for category in Category}
    assert not RESEARCH & PLAN


@pytest.mark.parametrize("category", Category)
def test_a_blocking_finding_goes_where_its_category_says(category):
    assert bounce_target((finding(category=category),), CHANGE) == TABLE[category]
    critical = finding(category=category, severity=Severity.CRITICAL)
    assert bounce_target((critical,), CHANGE) == TABLE[category]


@pytest.mark.parametrize("category", Category)
def test_a_finding_that_does_not_block_sends_nothing_back_alone(category):
    assert bounce_target((finding(category=category, severity=Severity.WARNING),), CHANGE) == "implement"


def test_only_what_blocks_sends_work_back_to_plan():
    def of(category, severity):
        return finding(category=category, severity=severity)

    blockers = (of(Category.DESIGN, Severity.ERROR), of(Category.DESIGN, Severity.CRITICAL))
    minors = (of(Category.DESIGN, Severity.WARNING), of(Category.DESIGN, Severity.WARNING))
    assert bounce_target(blockers, CHANGE) == "plan"
    assert bounce_target(minors, CHANGE) == "implement"


def test_the_earliest_phase_wins():
    found = (finding(), finding(category=Category.DESIGN), finding(category=Category.REQUIREMENTS))
    assert bounce_target(found, CHANGE) == "research"
    assert bounce_target(found[:2], CHANGE) == "plan"
    assert bounce_target((), CHANGE) == "implement"


def test_a_phase_that_the_pipeline_lacks_falls_to_the_making():
    short = CHANGE.model_copy(update={"phases": CHANGE.phases[1:]})
    assert bounce_target((finding(category=Category.REQUIREMENTS),), short) == "implement"


def test_bounces_are_counted_by_source():
    rounds = a_past(a_round(1, review=(finding(),)), *reds(2)[1:], a_round(3)).rounds
    counts = (bounce_count(rounds), bounce_count(rounds, "review"), bounce_count(rounds, "test"))
    assert counts == (2, 1, 1)


def test_the_limit_of_one_phase_holds_for_its_bounces_alone():
    rounds = (*reds(3, "t::a"), a_round(4, review=(finding(),)))
    assert too_many_bounces(rounds, "max_test_bounces", "test", 3) is None
    assert too_many_bounces(rounds, "max_review_bounces", "review", 1) is None
    halt = too_many_bounces(rounds, "max_test_bounces", "test", 2)
    assert halt.figures == {"bounces": 3, "limit": 2}
    assert halt.guard == "max_test_bounces"


def test_a_bounce_names_the_policy_that_decided_it_and_an_older_record_none():
    rounds = reds(2, "t::a")
    bounce = bounce_of(rounds, a_past(*rounds).limits)
    assert (bounce.policy, bounce.bounce, bounce.failures) == (POLICY, 2, 1)
    assert bounce.reason.startswith("sent back by test: 1 failing, first t::a")
    recorded = bounce.model_dump()
    del recorded["policy"]
    assert PhaseBounce.model_validate(recorded).policy == ""
