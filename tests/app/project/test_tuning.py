"""`setpoint lab tune` proposes from what git shows of delivered work; what was applied can be put back."""

from __future__ import annotations

import asyncio
import random
import subprocess
import tomllib
from pathlib import Path

import pytest

from setpoint.app.project.tuning import apply, tuning, undo
from setpoint.errors import UsageError
from setpoint.model.events.people import DeliveryFate, DeliveryJudged
from setpoint.model.events.run import IterationEvaluated, RunStarted
from setpoint.model.ids import Commit, TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator
from setpoint.wiring.project import Project, open_project

SETTINGS = """# ours
[weights]
tests = 0.3   # most of it
mutation = 0.1
coverage = 0.5

[goals]
tests = "advice"
"""


def _logged(tmp_path: Path, *, telling: bool, runs: int = 60) -> Project:
    """Make a project whose log holds the events of one run under many names, with metrics of their own."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "setpoint.toml").write_text(SETTINGS, "utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    harness = RunHarness(
        agent=ScriptedAgent(Act(edits={"src/work.py": "value = 1\n"})),
        evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=("t::a",))),
        folder=tmp_path / "harness",
    )
    asyncio.run(harness.drive())
    bodies = [event.body for event in harness.log.replay(TraceId("run-1"))]
    project, chance = open_project(root), random.Random(2)
    for number in range(runs):
        good = chance.random() < 0.6
        mutation = chance.uniform(0.75, 1) if good else chance.uniform(0.4, 0.8)
        metrics = {"mutation": mutation if telling else chance.uniform(0.4, 1), "coverage": chance.random()}
        trace = TraceId(f"run-{number:04}")
        project.log.append(trace, "all", tuple(_named(body, trace, metrics) for body in bodies))
        fate = DeliveryFate.MERGED if good else DeliveryFate.REVERTED
        project.log.append(trace, "fate", (DeliveryJudged(branch="b", fate=fate, commit=Commit("c")),))
    return project


def _named(body, trace, metrics):
    if isinstance(body, RunStarted):
        order = body.order.model_copy(update={"trace_id": trace})
        return body.model_copy(update={"order": order})
    if isinstance(body, IterationEvaluated):
        quality = body.evaluation.quality.model_copy(update=metrics)
        return body.model_copy(update={"evaluation": body.evaluation.model_copy(update={"quality": quality})})
    return body


def test_what_the_log_shows_is_proposed_applied_and_put_back(tmp_path: Path) -> None:
    project = _logged(tmp_path, telling=True)
    found = tuning(project)
    assert [each.name for each in found.proposals] == ["weights", "goals.mutation"]
    weights, target = found.proposals
    assert weights.values["mutation"] > 0.15
    assert 0.7 <= target.values["target"] <= 0.85
    assert target.values["mode"] == "advice"
    assert any("were edited or reverted" in line for line in target.evidence)

    path = apply(project, ("weights", "goals.mutation"))
    text = path.read_text("utf-8")
    held = tomllib.loads(text)
    assert text.startswith("# ours\n[weights]\n")
    assert held["goals"] == {"mutation": target.values, "tests": "advice"}
    assert held["weights"]["mutation"] == weights.values["mutation"]

    assert undo(project) == (path, ("weights", "goals.mutation"))
    assert path.read_text("utf-8") == SETTINGS
    with pytest.raises(UsageError, match="no proposal was applied"):
        undo(project)


def test_settings_that_were_changed_since_are_not_put_back(tmp_path: Path) -> None:
    project = _logged(tmp_path, telling=True)
    path = apply(project, ("goals.mutation",))
    path.write_text(path.read_text("utf-8") + "\n# mine\n", "utf-8")
    with pytest.raises(UsageError, match="was changed since"):
        undo(project)


def test_a_table_of_dotted_keys_is_left_to_the_person(tmp_path: Path) -> None:
    project = _logged(tmp_path, telling=True)
    path = project.root / "setpoint.toml"
    path.write_text('goals.tests = "advice"\n', "utf-8")
    with pytest.raises(UsageError, match="cannot be changed"):
        apply(project, ("goals.mutation",))
    assert path.read_text("utf-8") == 'goals.tests = "advice"\n'


def test_nothing_is_proposed_of_chance_and_of_few_runs(tmp_path: Path) -> None:
    by_chance = _logged(tmp_path, telling=False)
    assert tuning(by_chance).proposals == ()
    assert "no metric differs" in tuning(by_chance).why_none
    (tmp_path / "few").mkdir()
    few = _logged(tmp_path / "few", telling=True, runs=12)
    assert "too few runs" in tuning(few).why_none
    with pytest.raises(UsageError, match="nothing is proposed for 'weights'"):
        apply(few, ("weights",))
