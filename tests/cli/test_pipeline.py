"""`setpoint admin pipeline`: a workflow is shown as it would run, and a wrong one is explained."""

import json
import subprocess

import pytest
from typer.testing import CliRunner

from setpoint.cli.app import commands
from setpoint.errors import PipelineError
from setpoint.pipelines.prompt_templates import documented
from setpoint.testing import Act, RunHarness, ScriptedAgent, ScriptedEvaluator

OWN = """name = "own"
description = "make and test"
[[phases]]
name = "make"
kind = "make"
role = "maker"
prompts = { fresh = "mine.md.j2" }
[[phases]]
name = "evaluate"
kind = "measure"
stage = "evaluate"
[[phases]]
name = "test"
kind = "measure"
stage = "test"
"""


@pytest.fixture
def called(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)

    def call(*words):
        return CliRunner().invoke(commands(), ["admin", "pipeline", *words], catch_exceptions=False)

    return call


def test_the_shipped_pipeline_is_shown_and_in_order(called):
    shown = called("show").output
    phases = ["research", "plan", "implement", "evaluate", "review", "test", "deliver"]
    assert [word for word in (line.split()[0] for line in shown.splitlines()[2:]) if word in phases] == phases
    assert json.loads(called("show", "change", "--json").output)["name"] == "change"
    assert "7 phases and 9 prompts are valid" in called("check").output


def test_the_reviews_of_the_settings_are_shown(called, tmp_path):
    (tmp_path / "setpoint.toml").write_text('[agents]\nreviews = ["spec", "security"]\n')
    assert "reviewer (spec, security)" in called("show").output


def test_who_would_play_each_phase_is_shown(called, tmp_path):
    (tmp_path / "setpoint.toml").write_text(
        '[agents]\nmaker = "auto"\nplanner = "codex"\nreviewer = "gemini"\nattempts = 2\n'
        'reviews = ["code", "security"]\nreviewers = { security = "claude" }\n'
    )
    assert called("show").output.splitlines()[-1] == (
        "agents: research by rules; plan by codex; implement by auto, auto; "
        "review by gemini, security: claude"
    )


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (None, "prompt template 'mine.md.j2': there is no template 'mine.md.j2'"),
        ("{% if %}", "mine.md.j2, line 1: "),
        ("{{ story.wish }} {{ colour }}", "line 1: 'colour' is undefined"),
    ],
)
def test_a_prompt_that_is_missing_or_wrong_is_explained(called, tmp_path, prompt, why):
    (tmp_path / "own.toml").write_text(OWN)
    if prompt is not None:
        (tmp_path / "setpoint-prompts").mkdir()
        (tmp_path / "setpoint-prompts" / "mine.md.j2").write_text(prompt)
    with pytest.raises(PipelineError) as refused:
        called("check", "own.toml")
    assert why in refused.value.message
    assert refused.value.hint


def test_ones_own_pipeline_with_ones_own_prompt_is_in_order(called, tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "setpoint-prompts").mkdir()
    (tmp_path / "setpoint-prompts" / "mine.md.j2").write_text("{{ story.wish }}")
    assert "own: 3 phases and 1 prompts are valid" in called("check", "own.toml").output


async def test_the_listed_variables_are_those_that_templates_are_given(tmp_path, monkeypatch):
    given = {}
    harness = RunHarness(agent=ScriptedAgent(Act()), evaluator=ScriptedEvaluator(), folder=tmp_path)
    monkeypatch.setattr("setpoint.testing.harness.render", lambda name, known: given.update(known) or name)
    await harness.drive()
    assert set(given) == set(documented().given)
