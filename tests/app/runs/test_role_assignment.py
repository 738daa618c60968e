"""Who plays what: reviewers by kind, and of another vendor where that is wanted."""

import subprocess

import pytest

from setpoint.app.runs.order import make_order, resolve_story
from setpoint.errors import NoUsableAgent, PipelineError, UsageError
from setpoint.wiring.project import open_project

AGENT = '[agent.{name}]\ncommand = ["{name}", "{{prompt}}"]\nvendor = "{vendor}"\n'


@pytest.fixture
def order(tmp_path):
    def made(settings, request="add auth"):
        agents = "".join(
            AGENT.format(name=name, vendor=vendor)
            for name, vendor in (("one", "acme"), ("two", "acme"), ("three", "other"), ("four", ""))
        )
        (tmp_path / "setpoint.toml").write_text(f"{settings}\n{agents}")
        git = ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", "-C", str(tmp_path)]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "settings", "--allow-empty"]):
            subprocess.run([*git, *words], check=True)
        project = open_project(tmp_path)
        return make_order(project, resolve_story(project, request))

    return made


def test_a_kind_without_a_reviewer_of_its_own_goes_to_the_reviewer_of_all(order):
    made = order(
        '[agents]\nmaker = "one"\nreviewer = "three"\nreviews = ["code", "security"]\n'
        'reviewers = { security = "four" }'
    )
    assert {role: name for role, name in made.agents.items() if "reviewer" in role} == {
        "reviewer": "three",
        "reviewer:code": "three",
        "reviewer:security": "four",
        # Where one gives no answer the other one is asked, because the settings name both; then rules.
        "next reviewer 1": "four",
        "next reviewer 2": "three",
        "next reviewer by rule": "rules",
    }
    (review,) = [phase for phase in made.pipeline.phases if phase.kind == "review"]
    assert review.reviews == ("code", "security")


@pytest.mark.parametrize("reviewer", ["two", "one"])
def test_a_reviewer_of_the_makers_vendor_is_refused_where_another_is_wanted(order, reviewer):
    settings = f'[agents]\nmaker = "one"\nreviewer = "{reviewer}"\n'
    assert order(settings).agents["reviewer"] == reviewer
    with pytest.raises(UsageError) as refused:
        order(f"{settings}other_vendor = true")
    assert f"reviewer '{reviewer}' is of the same vendor as the maker 'one'" in refused.value.message


@pytest.mark.parametrize("reviewer", ["three", "four", "rules"])
def test_another_vendor_or_none_at_all_is_taken(order, reviewer):
    made = order(f'[agents]\nmaker = "one"\nreviewer = "{reviewer}"\nother_vendor = true')
    assert made.agents["reviewer:code"] == reviewer


def test_auto_passes_over_the_makers_vendor(order):
    made = order(
        '[agents]\nmaker = "one"\nreviewer = "auto"\nother_vendor = true\norder = ["two", "mechanic"]'
    )
    assert made.agents["reviewer"] == "rules"
    assert "reviewer: rules" in " ".join(made.notes)


def test_a_review_without_a_prompt_is_refused(order):
    with pytest.raises(PipelineError) as refused:
        order('[agents]\nmaker = "one"\nreviews = ["astrology"]')
    assert "no prompt for 'astrology'" in refused.value.message
    assert "product" in refused.value.hint


def test_a_reviewer_of_a_review_that_is_not_asked_for_is_refused(order):
    with pytest.raises(UsageError, match="no review of kind 'security' is asked for"):
        order('[agents]\nmaker = "one"\nreviewers = { security = "two" }')


def candidates(made):
    return [name for role, name in made.agents.items() if role.startswith("candidate:")]


def test_without_more_makers_there_is_no_candidate(order):
    made = order('[agents]\nmaker = "one"')
    assert (candidates(made), made.makers) == ([], ("one",))


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ('maker = "one"\nattempts = 3', ["one", "one", "one"]),
        ('candidates = ["one", "two"]', ["one", "two"]),
        ('candidates = ["one", "two"]\nattempts = 3', ["one", "two", "one"]),
    ],
)
def test_candidates_are_numbered_in_turn(order, settings, names):
    made = order(f"[agents]\n{settings}\ncandidates_at_once = 3")
    assert candidates(made) == names
    assert made.agents["maker"] == names[0]
    assert (made.makers, made.candidates_at_once) == (tuple(names), 3)
    assert f"candidates: {', '.join(names)} (3 at once)" in made.notes


def test_one_candidate_is_the_maker(order):
    made = order('[agents]\nmaker = "one"\ncandidates = ["two"]')
    assert (candidates(made), made.agents["maker"]) == ([], "two")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('candidates = ["one", "two", "three"]\nattempts = 2', "3 agents cannot share 2 attempts"),
        (f"candidates = {['one'] * 9}", "9 candidates are too many"),
    ],
)
def test_wrong_numbers_of_candidates_are_explained(order, settings, why):
    with pytest.raises(UsageError, match=why) as refused:
        order(f"[agents]\n{settings}")
    assert refused.value.hint


def test_a_reviewer_is_of_another_vendor_than_every_candidate(order):
    with pytest.raises(UsageError, match="same vendor as the maker 'three'"):
        order('[agents]\ncandidates = ["one", "three"]\nreviewer = "three"\nother_vendor = true')


def test_who_plays_other_roles_is_told_with_the_order(order):
    made = order(
        '[agents]\nmaker = "one"\nplanner = "two"\ntester = "three"\nreviews = ["code", "security"]\n'
        'reviewers = { security = "four" }'
    )
    assert made.others == {"planner": "two", "tester": "three", "reviewer:security": "four"}
    assert order('[agents]\nmaker = "one"').others == {}


def test_auto_gives_the_mechanic_no_work_that_it_cannot_do(order):
    settings = (
        '[agents]\norder = ["claude-cli", "mechanic"]\n[agent.claude-cli]\ncommand = ["no-such-claude"]\n'
    )
    with pytest.raises(NoUsableAgent) as refused:
        order(settings)
    assert "mechanic: it repairs failing tests" in refused.value.message
    assert "npm install -g @anthropic-ai/claude-code" in refused.value.hint
    assert order(settings, "make the failing tests pass").agents["maker"] == "mechanic"


def successors(made):
    return [name for role, name in made.agents.items() if role.startswith("next maker ")]


def test_who_takes_over_is_named_and_gets_only_work_that_it_can_do(order):
    named = '[agents]\nmaker = "one"\nnext_makers = ["mechanic", "two", "one", "three"]\n'
    assert successors(order(named)) == ["two", "three"]
    assert successors(order(f'{named}reviewer = "three"\nother_vendor = true')) == ["two"]
    assert successors(order(f"{named}hand_over = false")) == []
    assert successors(order('[agents]\nmaker = "one"')) == []
    assert successors(order('[agents]\ncandidates = ["one", "three"]\nnext_makers = ["two"]')) == []
