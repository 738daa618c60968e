"""Pipelines and prompts as data: shipped, of one's own, and wrong ones that say where and how to mend."""

from pathlib import Path

import pytest

import setpoint.pipelines
from model.examples import BLOCKER, ORDER
from model.memory_examples import ITEM
from setpoint.errors import PipelineError
from setpoint.model.answers.role_answers import ReviewShape, example_of, schema_of
from setpoint.model.finding import Category, Note, Severity
from setpoint.pipelines import SHIPPED, check_prompts, load_pipeline, render
from setpoint.pipelines.prompt_templates import documented, variables_of

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
        **dict.fromkeys(("tried", "checks", "commands", "refusals"), ()),
        "self_check": False,
        "languages": ("python", "go"),
        **dict.fromkeys(("requests", "notes", "released", "refused", "contradicted"), ()),
        **dict.fromkeys(
            ("problems", "reason", "advice", "research", "plan", "diff", "budget", "scratchpad"), "some text"
        ),
        **dict.fromkeys(("analysis", "schema", "example"), "some text"),
        "measured": ("pytest: pass (3 passed)",),
        "story": ORDER.story,
        "instructions": ("Mind the sign.",),
        "iteration": 2,
        "max_iterations": 7,
        "series": False,
        "objections": (BLOCKER,),
        "dismissed": ("The name is wrong (it is the name of the table)",),
        "declined": {BLOCKER.fingerprint: "it is meant so"},
        "frozen": True,
        "reviews": 2,
        "learnings": (ITEM,),
    }
    for phase in ORDER.pipeline.phases:
        for template in phase.prompts.values():
            assert ORDER.story.title in render(template, variables)


def reviewed(kind, **more):
    (phase,) = [phase for phase in ORDER.pipeline.phases if phase.kind == "review"]
    return render(
        phase.prompts[kind],
        {
            **dict.fromkeys(("objections", "dismissed", "notes", "contradicted", "learnings"), ()),
            **dict.fromkeys(("problems", "plan", "diff"), "some text"),
            "story": ORDER.story,
            "instructions": ("Mind the sign.",),
            "declined": {},
            "frozen": False,
            "reviews": 0,
            "schema": schema_of(ReviewShape),
            "example": example_of(ReviewShape),
            "measured": (),
            **more,
        },
    )


@pytest.mark.parametrize("kind", ["code", "spec", "security", "product"])
def test_every_kind_of_review_asks_for_the_same_answer(kind):
    told = reviewed(kind)
    assert example_of(ReviewShape) in told
    assert all(f"`{each}`" in told for each in (*Severity, *Category, "approve", "request_changes"))
    assert "Judge" in told
    assert "Notes on the change" not in told


@pytest.mark.parametrize("kind", ["code", "spec", "security", "product"])
def test_every_kind_of_review_is_shown_the_notes_and_the_contradicted_tests(kind):
    note = Note(rule="skip", message="a test is skipped: `it.skip(`", file="a.test.ts", line=4)
    told = reviewed(kind, notes=(note,), contradicted=("tests/test_a.py::test_one",))
    assert "- skip `a.test.ts:4`: a test is skipped: `it.skip(`" in told
    assert "- `tests/test_a.py::test_one`" in told


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
    assert refused.value.hint


def test_a_pipeline_that_is_not_there_is_told_with_those_that_are(tmp_path):
    with pytest.raises(PipelineError, match="'nowhere': no such file") as refused:
        load_pipeline("nowhere", tmp_path)
    assert "change" in refused.value.hint


def test_a_prompt_of_ones_own_goes_before_the_shipped_one(tmp_path):
    (tmp_path / "plan.md.j2").write_text("Plan {{ wish }}, please.\n\n")
    assert render("plan.md.j2", {"wish": "it"}, tmp_path) == "Plan it, please.\n"
    (tmp_path / "plan.md.j2").write_text("{{ wish or colour }}")
    with pytest.raises(PipelineError, match="'colour' is undefined"):
        render("plan.md.j2", {"wish": "it"}, tmp_path)
    (tmp_path / "plan.md.j2").unlink()
    with pytest.raises(PipelineError, match="'story' is undefined"):
        render("plan.md.j2", {}, tmp_path)


def shipped():
    return sorted(path.name for path in Path(setpoint.pipelines.__file__).parent.glob("prompts/**/*.j2"))


def test_every_variable_of_a_shipped_prompt_is_documented_and_every_documented_one_used():
    told = documented()
    used = {name: variables_of(name) for name in shipped()}
    for name, variables in used.items():
        assert variables <= set(told.of(name)), name
    given = set().union(*(used[name] for name in used if name not in told.apart))
    assert given == set(told.given) - {"schema"}  # shipped prompts show an example instead
    for name, texts in told.apart.items():
        assert set(texts) - used[name] <= {"schema"}, name
    assert all(text.endswith(".") for texts in (told.given, *told.apart.values()) for text in texts.values())


@pytest.mark.parametrize("name", ["plan.md.j2", "request.md.j2", "nudge.md.j2", "_rules.md.j2"])
def test_an_unknown_variable_of_ones_own_prompt_is_named_with_file_line_and_the_known_ones(tmp_path, name):
    (tmp_path / name).write_text("{# my own #}\n{% if true %}\n{{ colour }}\n{% endif %}\n")
    with pytest.raises(PipelineError) as refused:
        check_prompts(ORDER.pipeline, tmp_path)
    assert f"{tmp_path / name}, line 3: 'colour' is undefined" in refused.value.message
    assert ("times" if name == "nudge.md.j2" else "story") in refused.value.hint


def test_variables_that_a_template_makes_itself_are_its_own(tmp_path):
    (tmp_path / "plan.md.j2").write_text(
        "{% set mine = 1 %}{% for each in tried %}{{ each }}{% endfor %}{{ mine }}"
    )
    assert render("plan.md.j2", {"tried": ()}, tmp_path) == "1\n"


@pytest.mark.parametrize("text", ["{{ nobody }}", "{% if %}", "{% include 'nowhere.j2' %}"])
def test_a_wrong_prompt_is_named(tmp_path, text):
    (tmp_path / "own.md.j2").write_text(text)
    with pytest.raises(PipelineError, match=r"'own\.md\.j2': ") as refused:
        render("own.md.j2", {}, tmp_path)
    assert refused.value.hint


def test_a_missing_prompt_is_named():
    with pytest.raises(PipelineError, match=r"'nowhere\.md\.j2'"):
        render("nowhere.md.j2", {})


def test_text_reaches_a_prompt_as_it_is(tmp_path):
    (tmp_path / "raw.md.j2").write_text("{{ text }}")
    assert render("raw.md.j2", {"text": "a < b & {{ c }}"}, tmp_path) == "a < b & {{ c }}\n"


@pytest.mark.parametrize(
    ("series", "told"), [(False, "Do not commit, do not change"), (True, "Commit in steps,")]
)
def test_agents_are_asked_for_commits_where_their_own_are_delivered(series, told):
    given = {"story": ORDER.story, "self_check": False, "series": series}
    given |= dict.fromkeys(("checks", "commands", "refused", "released", "languages"), ())

    assert told in render("_rules.md.j2", given)
