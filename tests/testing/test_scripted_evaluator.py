from __future__ import annotations

from datetime import UTC, datetime

from setpoint.model.attempt import Role
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit, StoryId, TraceId, Tree
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.ports import Measured, WorkCopy
from setpoint.testing import Scene, ScriptedEvaluator, evaluation

COPY = WorkCopy(trace_id=TraceId("run-1"), path="/copy", base=Commit("base"), base_tree=Tree("tree"))
ORDER = RunOrder(
    trace_id=COPY.trace_id,
    root="/root",
    base=COPY.base,
    story=Story(id=StoryId("s"), title="Fix it"),
    pipeline=Pipeline(
        name="p",
        phases=(
            Phase(name="make", kind=PhaseKind.MAKE, role=Role.MAKER),
            Phase(name="evaluate", kind=PhaseKind.MEASURE, stage=Stage.EVALUATE),
            Phase(name="test", kind=PhaseKind.MEASURE, stage=Stage.TEST),
        ),
    ),
    branch="setpoint/s",
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def measured(commit: str, stage: Stage, *suspects: str) -> Measured:
    return Measured(
        copy=COPY, commit=Commit(commit), tree=Tree("tree-" + commit), stage=stage, suspects=suspects
    )


async def test_each_new_commit_plays_the_next_scene_and_a_repeated_step_the_same() -> None:
    evaluator = ScriptedEvaluator(Scene(score=0.65, failing=("t::a",)), Scene(score=0.88))

    first = await evaluator.evaluate(ORDER, measured("c1", Stage.EVALUATE))
    again = await evaluator.evaluate(ORDER, measured("c1", Stage.EVALUATE))
    tests = await evaluator.evaluate(ORDER, measured("c1", Stage.TEST))
    second = await evaluator.evaluate(ORDER, measured("c2", Stage.EVALUATE, "t::a"))
    third = await evaluator.evaluate(ORDER, measured("c3", Stage.EVALUATE))

    assert (first, first.score, first.failures) == (again, 0.65, ())
    assert [failure.test for failure in tests.failures] == ["t::a"]
    assert tests.quality.tests == 10 / 11
    assert (second.score, second.failures) == (0.88, ())
    assert third.score == 0.88


async def test_suspects_are_seen_at_the_evaluate_stage() -> None:
    evaluator = ScriptedEvaluator(Scene(failing=("t::a", "t::b")))

    seen = await evaluator.evaluate(ORDER, measured("c1", Stage.EVALUATE, "t::b"))

    assert [failure.test for failure in seen.failures] == ["t::b"]


async def test_a_scene_per_stage() -> None:
    evaluator = ScriptedEvaluator(
        {Stage.TEST: Scene(), Stage.CONFIRM: Scene(flaky=("t::c",))}, base=Scene(failing=("t::old",))
    )

    base = await evaluator.evaluate(ORDER, measured("base", Stage.BASE))
    confirmed = await evaluator.evaluate(ORDER, measured("c1", Stage.CONFIRM))

    assert [failure.test for failure in base.failures] == ["t::old"]
    assert confirmed.flaky == ("t::c",)
    assert [evidence.state for evidence in confirmed.evidence if evidence.check == "pytest"] == [
        CheckState.FLAKY
    ]


def test_findings_and_broken_tools_show_in_the_evidence() -> None:
    finding = Finding(
        source="bandit", rule="B602", severity=Severity.CRITICAL, category=Category.SECURITY, message="shell"
    )

    made = evaluation(
        Stage.TEST,
        "c",
        "t",
        Scene(findings=(finding,), broken=("mypy",), acceptance=(True, False), coverage=0.5),
    )

    states = {evidence.check: evidence.state for evidence in made.evidence}
    assert (states["bandit"], states["mypy"], states["ruff"]) == (
        CheckState.FAIL,
        CheckState.ERROR,
        CheckState.PASS,
    )
    assert (states["acceptance:1"], states["acceptance:2"]) == (CheckState.PASS, CheckState.FAIL)
    assert made.quality.vulnerabilities == 1
    assert made.coverage is not None
    assert made.coverage.lines == 0.5
    assert [evidence.check for evidence in made.broken] == ["mypy"]
