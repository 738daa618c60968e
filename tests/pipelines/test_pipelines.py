"""Pipelines and prompts as data: shipped, of one's own, and wrong ones that say where and how to mend."""

from pathlib import Path

import pytest

from domain.examples import BLOCKER, ORDER
from setpoint.errors import PipelineError
from setpoint.pipelines import SHIPPED, load_pipeline, render

OWN = """
name = "own"
[[phases]]
name = "implement"
kind = "make"
role = "maker"
[[phases]]
name = "evaluate"
kind = "measure"
stage = "evaluate"
[[phases]]
name = "test"
kind = "measure"
stage = "test"
"""


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_can_be_read(name):
    assert load_pipeline(name, Path()).name == name


def test_the_shipped_change_has_the_phases_of_the_designs():
    names = [phase.name for phase in load_pipeline("change", Path()).phases]
    assert names == ["research", "plan", "implement", "evaluate", "review", "test", "deliver"]


def test_every_prompt_of_a_shipped_pipeline_renders():
    variables = {
        **dict.fromkeys(("failures", "findings", "tried", "checks"), ()),
        **dict.fromkeys(
            ("reason", "advice", "research", "plan", "diff", "budget", "scratchpad"), "some text"
        ),
        "story": ORDER.story,
        "more": 0,
        "iteration": 2,
        "max_iterations": 7,
        "objections": (BLOCKER,),
        "declined": {BLOCKER.fingerprint: "it is meant so"},
        "frozen": True,
        "reviews": 2,
    }
    for phase in ORDER.pipeline.phases:
        for template in phase.prompts.values():
            assert ORDER.story.title in render(template, variables)


@pytest.mark.parametrize("kind", ["code", "spec", "security", "product"])
def test_every_kind_of_review_asks_for_the_same_answer(kind):
    (phase,) = [phase for phase in ORDER.pipeline.phases if phase.kind == "review"]
    told = render(
        phase.prompts[kind],
        {
            **dict.fromkeys(("failures", "findings", "objections"), ()),
            **dict.fromkeys(("plan", "diff"), "some text"),
            "story": ORDER.story,
            "more": 0,
            "declined": {},
            "frozen": False,
            "reviews": 0,
        },
    )
    assert '"decision": "approve | request_changes | require_human"' in told
    assert "Judge" in told


def test_a_pipeline_of_ones_own_is_read_by_path(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    assert load_pipeline("own.toml", tmp_path).making.name == "implement"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name =", "not valid TOML"),
        ('name = "own"', "phases: Field required"),
        (OWN.replace('"test"\nkind', '"test"\ncolour = 1\nkind'), "phases.2.colour: Extra inputs"),
        (OWN.replace('stage = "test"', 'stage = "all"'), "phases.2.stage: Input should be"),
        (OWN.replace('role = "maker"', ""), "'implement' of kind 'make' needs a role"),
    ],
)
def test_a_wrong_pipeline_names_file_key_and_mend(tmp_path, text, why):
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(PipelineError) as refused:
        load_pipeline("own.toml", tmp_path)
    assert refused.value.message.startswith(str(tmp_path / "own.toml"))
    assert why in refused.value.message
    assert refused.value.mend


def test_a_pipeline_that_is_not_there_is_told_with_those_that_are(tmp_path):
    with pytest.raises(PipelineError, match="'nowhere': no such file") as refused:
        load_pipeline("nowhere", tmp_path)
    assert "change" in refused.value.mend


def test_a_prompt_of_ones_own_goes_before_the_shipped_one(tmp_path):
    (tmp_path / "plan.md.j2").write_text("Plan {{ wish }}, please.\n\n")
    assert render("plan.md.j2", {"wish": "it"}, tmp_path) == "Plan it, please.\n"
    (tmp_path / "plan.md.j2").unlink()
    with pytest.raises(PipelineError, match="'story' is undefined"):
        render("plan.md.j2", {}, tmp_path)


@pytest.mark.parametrize("text", ["{{ nobody }}", "{% if %}", "{% include 'nowhere.j2' %}"])
def test_a_wrong_prompt_is_named(tmp_path, text):
    (tmp_path / "own.md.j2").write_text(text)
    with pytest.raises(PipelineError, match=r"'own\.md\.j2': ") as refused:
        render("own.md.j2", {}, tmp_path)
    assert refused.value.mend


def test_a_missing_prompt_is_named():
    with pytest.raises(PipelineError, match=r"'nowhere\.md\.j2'"):
        render("nowhere.md.j2", {})


def test_text_reaches_a_prompt_as_it_is(tmp_path):
    (tmp_path / "raw.md.j2").write_text("{{ text }}")
    assert render("raw.md.j2", {"text": "a < b & {{ c }}"}, tmp_path) == "a < b & {{ c }}\n"
