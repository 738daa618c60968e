"""Runs for `scale.py`: some hundred that the product's own log recorded, and copies under new names."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import EVENT, RUN
from setpoint.history.event_log import SqlEventLog
from setpoint.model import events as e
from setpoint.model.attempt import Attempt, Mode, Stop, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.gate import Answer, Choice, Gate, GateKind, Option, Via, answered_key, opened_key
from setpoint.model.ids import Commit, GateId, LearningId, StoryId, TraceId, Tree
from setpoint.model.learning import LearningKind, LearningStatus, Recollection
from setpoint.model.run import Action, Decision, Halt, RunOrder, RunOutcome, Snapshot
from setpoint.model.stories.story import Story
from setpoint.model.verdict import HardGate, Judgement, Verdict
from setpoint.pipelines import load_pipeline
from setpoint.settings import Settings
from setpoint.testing import Scene, evaluation

TRY_USD = Decimal("0.25")
"""What an attempt of an agent costs."""
STORIES = 2000
"""Stories that the runs belong to, in turn."""
Batch = tuple[str, list[e.Body]]
"""A key and what is recorded under it."""


class Recorded(NamedTuple):
    """One run as it stands in the tables."""

    run: dict[str, object]
    events: list[dict[str, object]]


def short_run(order: RunOrder, chance: random.Random) -> Iterator[Batch]:
    """Play a run that a person ended soon, or whose agent could not be started."""
    yield (
        "start",
        [e.RunStarted(order=order, workdir="/copy", checks={"pytest": "tests", "ruff": "ruff.toml"})],
    )
    if chance.random() < 0.5:
        yield (
            "base",
            [e.BaselineMeasured(evaluation=evaluation(Stage.BASE, "b" * 40, "t" * 40, Scene(score=0.5)))],
        )
    yield (
        "plan",
        [
            e.PhaseEntered(phase="plan"),
            e.PhaseCompleted(phase="plan", text="1. Mend it.\n2. Leave the rest."),
        ],
    )
    ending = chance.choice([Ending.CANCELLED, Ending.BROKEN_AGENT])
    yield "end", [e.RunFinished(outcome=_outcome(order, ending, 0, chance))]


def full_run(order: RunOrder, chance: random.Random) -> Iterator[Batch]:
    """Play a run that goes through all phases, once to three times, and mostly ends verified."""
    yield from list(short_run(order, chance))[:-1]
    yield "recall", [_recalled(chance)]
    last = chance.choice([1, 1, 1, 2, 3])
    verified = chance.random() < 0.8
    for number in range(1, last + 1):
        yield from _iteration(number, passes=verified and number == last, chance=chance)
    if not verified:
        yield from _stopped(last, chance)
    if chance.random() < 0.3:
        yield "lesson", [_reflected()]
    delivered = e.Delivered(branch=order.branch, commit=Commit("c" * 40), verified=verified)
    ending = Ending.VERIFIED if verified else Ending.STOPPED
    yield "end", [delivered, e.RunFinished(outcome=_outcome(order, ending, last, chance))]
    if chance.random() < 0.2:
        yield "said", [people.FindingDismissed(finding="f" * 16, category="style", by="Ada", after_s=30.0)]


def _iteration(number: int, *, passes: bool, chance: random.Random) -> Iterator[Batch]:
    label, calls = f"implement-{number}", chance.randrange(2, 9)
    yield (
        f"in-{number}",
        [
            e.PhaseEntered(phase="implement", iteration=number),
            e.AgentStarted(
                phase="implement",
                iteration=number,
                label=label,
                attempt=1,
                agent="claude",
                mode=Mode.FRESH,
                prompt="a" * 64,
            ),
        ],
    )
    for call in range(calls):
        yield f"call-{number}-{call}", [_call(number, label, call, chance)]
    yield f"made-{number}", [_made(number, label, calls, chance)]
    yield (
        f"look-{number}",
        [
            e.PhaseEntered(phase="evaluate", iteration=number),
            _measured(number, Stage.EVALUATE, passes=passes),
        ],
    )
    verdict = Judgement.APPROVE if passes or chance.random() < 0.5 else Judgement.REQUEST_CHANGES
    yield (
        f"review-{number}",
        [
            e.PhaseEntered(phase="review", iteration=number),
            e.ReviewCompleted(
                iteration=number,
                verdict=Verdict(reviewer="rules", judgement=verdict, findings=(_finding(chance),)),
            ),
        ],
    )
    yield (
        f"test-{number}",
        [e.PhaseEntered(phase="test", iteration=number), _measured(number, Stage.TEST, passes=passes)],
    )
    yield f"decided-{number}", _decided(number, passes=passes)


def _decided(number: int, *, passes: bool) -> list[e.Body]:
    action = Action.HALT if passes else Action.CONTINUE
    gate = HardGate(
        name="tests",
        state=CheckState.PASS if passes else CheckState.FAIL,
        reason="" if passes else "1 failing",
    )
    decision = Decision(
        policy="rules-v1", action=action, reason="so it stands", figures={"p_verified": 0.7, "k": number}
    )
    return [
        e.PhaseApproved(phase="review", bounces=0) if passes else _bounce(number),
        e.HaltingDecided(iteration=number, decision=decision, gates=(gate,)),
    ]


def _call(number: int, label: str, call: int, chance: random.Random) -> e.Body:
    made = ToolCall(
        id=f"toolu_{call}",
        name=chance.choice(["bash", "edit", "read", "search"]),
        kind="execute",
        title=f"python -m pytest -q tests/test_module_{call}.py",
        ok=chance.random() < 0.9,
        duration_s=chance.random() * 4,
        files=("src/shop/basket.py",),
        result_hash="9f" * 8,
    )
    return e.ToolExecuted(phase="implement", iteration=number, label=label, call=made)


def _made(number: int, label: str, calls: int, chance: random.Random) -> e.Body:
    usage = Usage(
        input_tokens=20_000,
        output_tokens=2_000,
        cost_usd=TRY_USD,
        scope="turn",
        model="claude-sonnet-4-5",
    )
    attempt = Attempt(
        agent="claude",
        stop=Stop.END_TURN,
        text="All done, tests pass.",
        usage=usage,
        tool_calls=calls,
        started_at=datetime.fromisoformat("2026-01-01T00:00:00Z"),
        duration_s=60 * chance.random(),
    )
    snapshot = Snapshot(
        label=label,
        commit=Commit("c" * 40),
        tree=Tree("t" * 40),
        parent=Commit("b" * 40),
        files=("src/shop/basket.py",),
        insertions=12,
        deletions=3,
        attempt=attempt,
    )
    return e.AgentFinished(phase="implement", iteration=number, snapshot=snapshot, diff_hash="abc")


def _measured(number: int, stage: Stage, *, passes: bool) -> e.Body:
    scene = (
        Scene(score=0.9, coverage=0.85)
        if passes
        else Scene(score=0.6, failing=("tests/test_basket.py::test_total",))
    )
    return e.IterationEvaluated(iteration=number, evaluation=evaluation(stage, "c" * 40, "t" * 40, scene))


def _finding(chance: random.Random) -> Finding:
    return Finding(
        source="review:code",
        severity=Severity.WARNING,
        category=chance.choice([Category.STYLE, Category.CORRECTNESS]),
        message="the total is rounded twice",
        file="src/shop/basket.py",
        line=chance.randrange(1, 200),
    )


def _bounce(number: int) -> e.Body:
    return e.PhaseBounce(
        source="test", target="implement", bounce=number, iteration=number, failures=1, reason="1 failing"
    )


def _recalled(chance: random.Random) -> e.Body:
    item = Recollection(
        learning=LearningId("lrn-1"),
        kind=LearningKind.SEMANTIC,
        title="totals are rounded once",
        rank=1,
        score=0.5,
        confidence=0.6,
        status=LearningStatus.ACTIVE,
        shown=chance.random() < 0.85,
        propensity=0.85,
    )
    held = chance.random() < 0.1
    return m.MemoryRecalled(
        phase="implement", question="how are totals rounded?", items=(item,), held_out=held
    )


def _reflected() -> e.Body:
    return m.ReflectionCompleted(
        trigger=m.Trigger.COMPLETED, learnings=(LearningId("lrn-1"),), titles=("totals are rounded once",)
    )


def _stopped(number: int, chance: random.Random) -> Iterator[Batch]:
    halt = Halt(guard=chance.choice(["max_iterations", "repeated_findings"]), reason="it stands still")
    gate = question(f"escalation-{number}", datetime.fromisoformat("2026-01-01T00:00:00Z"))
    answer = Answer(choice=Choice.CANCEL, by="Ada", via=Via.WEB)
    yield "guard", [e.GuardFired(iteration=number, halt=halt)]
    yield opened_key(gate.id), [e.GateOpened(gate=gate)]
    yield answered_key(gate.id), [e.GateAnswered(gate=gate.id, answer=answer)]


def question(name: str, at: datetime) -> Gate:
    """Ask a person how a run is to go on."""
    options = (Option(choice=Choice.CONTINUE, text="go on"), Option(choice=Choice.CANCEL, text="end it"))
    return Gate(
        id=GateId(name),
        kind=GateKind.ESCALATION,
        question="how is it to go on?",
        options=options,
        asked_at=at,
    )


def _outcome(order: RunOrder, ending: Ending, iterations: int, chance: random.Random) -> RunOutcome:
    return RunOutcome(
        trace_id=order.trace_id,
        ending=ending,
        reason="as it is",
        iterations=iterations,
        bounces=max(iterations - 1, 0),
        best=Commit("c" * 40),
        best_iteration=iterations,
        branch=order.branch,
        score=0.9 if ending is Ending.VERIFIED else 0.6,
        cost_usd=TRY_USD * iterations,
        cost_known=chance.random() < 0.9,
        duration_s=600 * chance.random(),
    )


def an_order(root: Path, trace: str, number: int, at: datetime) -> RunOrder:
    """Order a run on one of the stories."""
    story = StoryId(f"story-{number % STORIES:04}")
    return RunOrder(
        trace_id=TraceId(trace),
        root=str(root),
        base=Commit("b" * 40),
        story=Story(id=story, title=f"Totals must be right {story}"),
        pipeline=load_pipeline("change", root),
        agents={"maker": "claude", "reviewer": "rules"},
        branch=f"setpoint/{story}",
        settings=Settings().model_dump_json(),
        started_at=at,
    )


def recorded(
    store: Store, root: Path, begins: datetime, count: int, chance: random.Random
) -> tuple[list[Recorded], list[Recorded]]:
    """Record so many short and as many full runs through the product's log; gives their rows."""
    now = [begins]
    log = SqlEventLog(store, now=lambda: now[0])
    made: tuple[list[Recorded], list[Recorded]] = [], []
    for kind, play in enumerate((short_run, full_run)):
        for number in range(count):
            trace = f"run-{kind}{number:013}"
            now[0] = begins
            for key, bodies in play(an_order(root, trace, number, begins), chance):
                log.append(TraceId(trace), key, bodies)
                now[0] += timedelta(seconds=chance.random() * 120)
            made[kind].append(_rows(store, trace))
    return made


def _rows(store: Store, trace: str) -> Recorded:
    with store.reading() as connection:
        run = dict(connection.execute(sa.select(RUN).where(RUN.c.trace_id == trace)).mappings().one())
        events = connection.execute(sa.select(EVENT).where(EVENT.c.trace_id == trace).order_by(EVENT.c.seq))
        return Recorded(run, [dict(row) for row in events.mappings()])


def copied(original: Recorded, trace: str, number: int, later: timedelta) -> Recorded:
    """Give a recorded run again, under another name, of another story and at a later time."""
    before, story = str(original.run["trace_id"]), f"story-{number % STORIES:04}"
    old_story = str(original.run["story_id"])
    run = {**original.run, "trace_id": trace, "story_id": story, "title": f"Totals must be right {story}"}
    run |= {name: _moved(run[name], later) for name in ("started_at", "finished_at")}
    told = json.loads(str(run["told"]))
    days = told["figures"]["cost_by_day"].items()
    told["figures"]["cost_by_day"] = {str(date.fromisoformat(day) + later): usd for day, usd in days}
    run["told"] = json.dumps(told)
    events = [
        {
            **row,
            "id": f"evt-{trace[4:]}{row['seq']:05}",
            "trace_id": trace,
            "at": _moved(row["at"], later),
            "body": str(row["body"]).replace(before, trace).replace(old_story, story),
        }
        for row in original.events
    ]
    return Recorded(run, events)


def _moved(at: object, later: timedelta) -> object:
    return at + later if isinstance(at, datetime) else at
