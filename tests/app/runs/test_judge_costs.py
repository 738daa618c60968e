"""What hidden tests and reviews cost is said before the first call is paid."""

import pytest

from setpoint.app.runs import judge_costs
from setpoint.app.runs.judge_costs import JudgeCost, judge_notes
from setpoint.model.config.limits import Limits
from setpoint.model.stories.story import Story
from setpoint.pipelines import load_pipeline

COST = {"calls": 2, "tokens_in": 31000, "tokens_out": 400}
DESIGNER = {"maker": "a", "test_designer": "a"}


@pytest.fixture
def notes(tmp_path, monkeypatch):
    told = {
        "a": {"test_designer": {**COST, "dollars": True}, "reviewer": {**COST, "calls": 1, "dollars": True}}
    }
    told["b"] = {"test_designer": {**COST, "dollars": False}}
    monkeypatch.setattr(judge_costs, "_tables", lambda: told)

    def made(names, title="add a total", pipeline="change", **limits):
        work = Story(id="work", title=title), load_pipeline(pipeline, tmp_path), Limits(**limits)
        return judge_notes(names, lambda name: name != "script", work)

    return made


def test_hidden_tests_are_announced_with_their_limit_and_what_was_measured(notes):
    (said,) = notes(DESIGNER)
    assert said == (
        "hidden tests: a writes them beside the maker in a session of its own, at most $1.25 (a quarter of "
        "--max-cost); at least 2 calls, about 31,000 tokens in and 400 out (measured with a scripted model)"
    )


def test_a_limit_in_dollars_says_where_it_may_not_hold(notes):
    (said,) = notes({"test_designer": "b"}, max_tokens=4000)
    assert "at most $1.25 (a quarter of --max-cost, where its cost becomes known) and 1,000 tokens (" in said


def test_an_agent_that_was_not_measured_has_no_figure(notes):
    (said,) = notes({"test_designer": "new"}, max_cost_usd=0)
    assert said == "hidden tests: new writes them beside the maker in a session of its own"


@pytest.mark.parametrize(
    ("names", "more"),
    [
        ({"maker": "a"}, {}),
        (DESIGNER, {"title": "Improve the docs"}),
        (DESIGNER, {"pipeline": "cover"}),
        ({"reviewer:code": "rules", "reviewer:spec": "script"}, {}),
    ],
)
def test_nothing_is_announced_that_nobody_pays_for(notes, names, more):
    assert notes(names, **more) == ()


def test_each_reviewer_with_a_model_is_announced_once(notes):
    names = {"reviewer": "a", "reviewer:code": "a", "reviewer:spec": "a", "reviewer:security": "new"}
    both, security = notes(names)
    assert both == (
        "reviews (code, spec): a judges each round that passes its checks, in a session of its own; at least "
        "1 call, about 31,000 tokens in and 400 out a review (measured with a scripted model)"
    )
    assert security == (
        "reviews (security): new judges each round that passes its checks, in a session of its own"
    )


def test_the_figures_of_the_package_can_be_read():
    tables = judge_costs._tables()
    read = [judge_costs.judge_cost(agent, role) for agent, roles in tables.items() for role in roles]
    assert all(isinstance(each, JudgeCost) for each in read)
