"""Runs as events, for the report's tests: one that gets verified, one under way, one full of hostile text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from setpoint.model.attempt import Attempt, Stop, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events import Body, Event
from setpoint.model.events.run import (
    AgentFinished,
    BaselineMeasured,
    Delivered,
    HaltingDecided,
    IterationEvaluated,
    LoopRestarted,
    PhaseBounce,
    PhaseCompleted,
    PhaseEntered,
    ReviewCompleted,
    RunFinished,
    RunStarted,
    ToolExecuted,
)
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit, EventId, StoryId, TraceId, Tree
from setpoint.model.run import Action, Decision, RunOrder, RunOutcome, Snapshot
from setpoint.model.stories.story import Story
from setpoint.model.verdict import HardGate, Judgement, Verdict
from setpoint.pipelines import load_pipeline
from setpoint.testing.evaluator import Scene, evaluation

BEGAN = datetime(2026, 2, 1, 12, tzinfo=UTC)
TRACE = TraceId("run-0000000000test")
BLOCKER = Finding(
    source="review:code",
    rule="R1",
    severity=Severity.ERROR,
    category=Category.CORRECTNESS,
    message="the total is rounded twice",
    file="src/cart.py",
    line=12,
)


def recorded(*bodies: Body, every_s: float = 2.0) -> tuple[Event, ...]:
    """Give the bodies as the events of one run, evenly apart."""
    return tuple(
        Event(
            id=EventId(f"ev-{place}"),
            trace_id=TRACE,
            seq=place,
            at=BEGAN + timedelta(seconds=every_s * place),
            key=f"k{place}",
            body=body,
        )
        for place, body in enumerate(bodies, start=1)
    )


def order(root, title: str = "Totals must be right") -> RunOrder:
    return RunOrder(
        trace_id=TRACE,
        root=str(root),
        base=Commit("b" * 40),
        story=Story(id=StoryId("totals"), title=title),
        pipeline=load_pipeline("change", root),
        agents={"maker": "scripted"},
        branch="setpoint/totals",
        started_at=BEGAN,
    )


def made(
    number: int, text: str = "Done, all tests pass!", files: tuple[str, ...] = ("src/cart.py",)
) -> AgentFinished:
    commit = f"{number:040x}"
    return AgentFinished(
        phase="implement",
        iteration=number,
        snapshot=Snapshot(
            label=f"implement-{number}",
            commit=Commit(commit),
            tree=Tree(commit),
            parent=Commit("b" * 40),
            files=files,
            insertions=2,
            deletions=1,
            attempt=Attempt(
                agent="scripted",
                stop=Stop.END_TURN,
                text=text,
                usage=Usage(input_tokens=10, cost_usd=Decimal("0.25"), scope="turn"),
                tool_calls=1,
                started_at=BEGAN,
                duration_s=1.5,
            ),
        ),
        diff_hash=commit[-16:],
    )


def measured(number: int, stage: Stage, scene: Scene) -> IterationEvaluated:
    commit = f"{number:040x}"
    return IterationEvaluated(iteration=number, evaluation=evaluation(stage, commit, commit, scene))


def decided(number: int, action: Action, *, passed: bool, reason: str = "because") -> HaltingDecided:
    tests = HardGate(name="tests", state=CheckState.PASS if passed else CheckState.FAIL, reason="1 failing")
    gates = (HardGate(name="build", state=CheckState.PASS), tests)
    decision = Decision(
        policy="rules-v1", action=action, reason=reason, figures={"round": number, "quality": None}
    )
    return HaltingDecided(iteration=number, decision=decision, gates=gates)


def bounce(number: int, source: str) -> PhaseBounce:
    return PhaseBounce(
        source=source, target="implement", bounce=number, iteration=number, reason="open problems"
    )


def review(number: int, *findings: Finding) -> ReviewCompleted:
    judgement = Judgement.REQUEST_CHANGES if findings else Judgement.APPROVE
    return ReviewCompleted(
        iteration=number, verdict=Verdict(reviewer="code:rules", judgement=judgement, findings=findings)
    )


def call(number: int, name: str = "edit") -> ToolExecuted:
    return ToolExecuted(
        phase="implement",
        iteration=number,
        label=f"implement-{number}",
        call=ToolCall(id=f"c{number}", name=name, ok=number != 1, duration_s=0.5),
    )


def outcome(
    ending: Ending = Ending.VERIFIED, reason: str = "every hard gate passes", rounds: int = 3
) -> RunFinished:
    return RunFinished(
        outcome=RunOutcome(
            trace_id=TRACE,
            ending=ending,
            reason=reason,
            iterations=rounds,
            bounces=rounds - 1,
            best=Commit(f"{rounds:040x}"),
            best_iteration=rounds,
            branch="setpoint/totals",
            score=1.0,
            score_of=("tests", "security"),
            cost_usd=Decimal("0.25") * rounds,
            duration_s=40.0,
        )
    )


def verified_run(root) -> tuple[Event, ...]:
    """A run that review sends back, then a red test, and that is verified in its third iteration."""
    red = Scene(failing=("tests/test_cart.py::test_total", "tests/test_cart.py::test_tax"), score=0.65)
    one_red = Scene(failing=("tests/test_cart.py::test_total",), score=0.78)
    return recorded(
        RunStarted(order=order(root), workdir=str(root)),
        BaselineMeasured(evaluation=evaluation(Stage.BASE, "b" * 40, "b" * 40, red)),
        PhaseEntered(phase="plan"),
        PhaseCompleted(phase="plan", text="Mend the total first."),
        *_entered(1),
        call(1),
        made(1),
        measured(1, Stage.EVALUATE, Scene(score=0.65)),
        review(1, BLOCKER),
        decided(1, Action.RESTART, passed=False),
        bounce(1, "review"),
        LoopRestarted(iteration=1, commit=Commit("b" * 40), reason="afresh"),
        *_entered(2),
        call(2),
        made(2),
        measured(2, Stage.EVALUATE, Scene(score=0.7)),
        review(2),
        measured(2, Stage.TEST, one_red),
        decided(2, Action.CONTINUE, passed=False),
        bounce(2, "test"),
        *_entered(3),
        made(3, files=()),
        measured(3, Stage.EVALUATE, Scene(score=0.9)),
        review(3),
        measured(3, Stage.TEST, Scene(score=0.88, flaky=("tests/test_cart.py::test_slow",))),
        decided(3, Action.HALT, passed=True),
        Delivered(branch="setpoint/totals", commit=Commit(f"{3:040x}"), verified=True),
        outcome(),
    )


def _entered(number: int) -> tuple[Body, ...]:
    return (PhaseEntered(phase="implement", iteration=number),)
