"""Which phase mends what was found, for every category."""

from pathlib import Path

import pytest

from policies.rounds import finding
from setpoint.domain.finding import Category, Severity
from setpoint.pipelines import load_pipeline
from setpoint.policies.routing import PLAN, RESEARCH, bounce_target

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
