"""One example of every event, for the tests of what writes, reads or shows events."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from model.forge_examples import ABOUT_FORGE
from model.landing_examples import ABOUT_LANDING
from model.live_examples import ABOUT_LIVE
from model.memory_examples import ABOUT_MEMORY
from model.production_examples import ABOUT_PRODUCTION
from setpoint.model import events as e
from setpoint.model.answers.change_request import ChangeRequest, GivenReason, Opinion
from setpoint.model.attempt import (
    Attempt,
    Breakage,
    BreakageKind,
    Mode,
    ModelCall,
    Recovery,
    Stop,
    ToolCall,
    Usage,
)
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.candidates import CandidateResult
from setpoint.model.events.hooks import TurnChecked
from setpoint.model.events.own_agents import (
    FeedbackSuggested,
    RunRequested,
    SuggestedAction,
    SuggestionSettled,
)
from setpoint.model.events.work import ShiftNoted, StoryCounted
from setpoint.model.evidence import CheckState
from setpoint.model.exam import Exam, Examiner
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.flaky import PutBy, Quarantined
from setpoint.model.gate import Answer, Choice, Gate, GateKind, Grant, Option, Via
from setpoint.model.halting_values import HaltingValues, OneMore
from setpoint.model.hooks import CheckState as HookState
from setpoint.model.ids import Artifact, Commit, GateId, StoryId, TraceId, Tree
from setpoint.model.product import ProductView
from setpoint.model.proof import AnsweredTest, HiddenTest, Obligation, ObligationState, Proof, WorkKind
from setpoint.model.run import Action, Decision, Halt, RunOrder, RunOutcome, Shadow, Snapshot
from setpoint.model.stories.story import Story
from setpoint.model.verdict import HardGate, Judgement, ReviewerVersion, Verdict
from setpoint.pipelines import load_pipeline
from setpoint.testing import Scene, evaluation

ONE_MORE = OneMore(
    chance=0.63,
    chance_low=0.14,
    chance_high=0.95,
    cost_usd=0.4,
    cost_low_usd=0.3,
    cost_high_usd=0.5,
    cost_measured=True,
    worth_usd=3.31,
    low_usd=-0.53,
    high_usd=7.16,
)

AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
COMMIT = Commit("c" * 40)
ORDER = RunOrder(
    trace_id=TraceId("run-0example"),
    root="/project",
    base=Commit("b" * 40),
    story=Story(id=StoryId("totals"), title="Totals must be right"),
    pipeline=load_pipeline("change", Path()),
    agents={"maker": "scripted"},
    branch="setpoint/totals",
    notes=("maker: scripted",),
    started_at=AT,
)
BLOCKER = Finding(
    source="review:code",
    severity=Severity.ERROR,
    category=Category.CORRECTNESS,
    message="the total is rounded twice",
    file="src/cart.py",
    line=12,
)
HALT = Halt(
    guard="max_iterations", reason="7 of 7 iterations are used up", go_on="raise limits.max_iterations"
)
GATE = Gate(
    id=GateId("escalation-7"),
    kind=GateKind.ESCALATION,
    iteration=7,
    question="7 of 7 iterations are used up: how is it to go on?",
    options=(Option(choice=Choice.CONTINUE, text="go on"), Option(choice=Choice.CANCEL, text="end it")),
    context=("best so far: iteration 2",),
    guard="max_iterations",
    offer=Grant(iterations=3),
    asked_at=AT,
    deadline=AT + timedelta(days=2),
    default=Choice.CANCEL,
)
ANSWER = Answer(
    choice=Choice.CONTINUE,
    by="Ann",
    via=Via.CLI,
    grant=Grant(iterations=2, cost_usd=Decimal("1.50")),
    instruction="look at the rounding",
)
PAID = Usage(input_tokens=1200, output_tokens=300, cost_usd=Decimal("0.0215"), scope="turn")
RED = evaluation(
    Stage.TEST,
    COMMIT,
    "t" * 40,
    Scene(failing=("t::a",), passed=9, known_red=("t::old",), flaky=("t::shaky",)),
)


def an_attempt(**more):
    values = {"agent": "scripted", "stop": Stop.END_TURN, "started_at": AT, "duration_s": 12.5, "usage": PAID}
    return Attempt(**{**values, **more})


def a_snapshot(attempt):
    return Snapshot(
        label="implement-1",
        commit=COMMIT,
        tree=Tree("t" * 40),
        parent=ORDER.base,
        files=("src/cart.py",),
        insertions=3,
        deletions=1,
        attempt=attempt,
    )


OUTCOME = RunOutcome(
    trace_id=ORDER.trace_id,
    ending=Ending.VERIFIED,
    reason="every hard gate passes",
    iterations=2,
    bounces=1,
    best=COMMIT,
    best_iteration=2,
    branch=ORDER.branch,
    score=0.88,
    score_of=("tests", "security"),
    cost_usd=Decimal("0.04"),
    duration_s=61.5,
)
REQUEST = ChangeRequest(path="tests/test_calc.py", reason="add() is to round now")
CANDIDATE = a_snapshot(an_attempt()).model_copy(update={"label": "implement-1-c2"})
STANDING = CandidateResult(
    candidate=2, agent="scripted", red=1, blocking=0, score=0.9, findings=0, lines=4, cost_usd=None
)
_BODIES = (
    e.RunStarted(
        order=ORDER, workdir="/copy", python="/project/.venv/bin/python", checks={"pytest": "tests"}
    ),
    e.RunResumed(process=4711, reason="its process was gone"),
    e.BaselineMeasured(evaluation=evaluation(Stage.BASE, "b" * 40, "t" * 40, Scene(score=0.5))),
    e.TestsQuarantined(
        quarantine=(
            Quarantined(test="t::shaky", since=AT, until=AT + timedelta(days=14), by=PutBy.SETPOINT),
        ),
        ended=(Quarantined(test="t::old", since=AT, until=AT, by=PutBy.PERSON),),
    ),
    e.PhaseEntered(phase="implement", iteration=1),
    e.PhaseCompleted(phase="plan", text="\n1. Mend it.\n2. Leave the rest.", usage=PAID),
    e.PhaseApproved(phase="review", bounces=1),
    e.PhasePassed(phase="test", bounces=0),
    e.AgentStarted(
        phase="implement", iteration=1, label="implement-1", attempt=1, agent="scripted", mode=Mode.FRESH
    ),
    e.ToolExecuted(
        phase="implement",
        iteration=1,
        label="implement-1",
        call=ToolCall(id="1", name="bash", title="pytest -q", ok=True, duration_s=0.52),
    ),
    e.ModelCalled(
        phase="implement",
        iteration=1,
        label="implement-1",
        attempt=1,
        call=ModelCall(
            api="anthropic",
            path="/v1/messages",
            model="claude-sonnet-4-5",
            status=200,
            duration_s=1.5,
            input_tokens=1000,
            output_tokens=50,
            cost_usd=Decimal("0.00375"),
            priced_by="genai-prices 0.2.3",
        ),
    ),
    e.AgentSpent(label="implement-1", attempt=1, usage=PAID),
    e.AgentBroke(
        phase="implement",
        iteration=1,
        label="implement-1",
        attempt=1,
        agent="scripted",
        session="r:implement:0",
        breakage=Breakage(kind=BreakageKind.RATE_LIMIT, message="429: too many requests", wait_s=90.0),
        then=Recovery.SAME_SESSION,
        wait_s=90.0,
    ),
    e.AgentFinished(phase="implement", iteration=1, snapshot=a_snapshot(an_attempt()), diff_hash="abc"),
    e.IterationEvaluated(iteration=1, evaluation=RED),
    e.ProofMeasured(
        iteration=1,
        proof=Proof(
            work=WorkKind.REPAIR,
            why="the request says 'fix'",
            obligations=(
                Obligation(name="witness", state=ObligationState.MET, reason="1 test", evidence=("t::a",)),
                Obligation(name="sensitivity", state=ObligationState.NOT_APPLICABLE, reason="no function"),
            ),
            exams=(Exam(examiner=Examiner.FAILING_TESTS, count=2),),
            not_run=("same calls",),
        ),
    ),
    e.HiddenTestsAnswered(
        iteration=2,
        agent="claude",
        tests=(AnsweredTest(path="tests/test_hidden.py", withdrawn=True, reason="the message is open"),),
        usage=PAID,
    ),
    e.HiddenTestsWritten(
        design=1,
        agent="claude",
        kept=(
            HiddenTest(path="tests/test_hidden.py", source=Artifact("a" * 64), behaviour="totals are right"),
        ),
        dropped=("tests/test_other.py passes at the base already",),
        usage=PAID,
    ),
    e.ReviewAnswered(
        iteration=1,
        review="security",
        verdict=Verdict(reviewer="security:rules", judgement=Judgement.APPROVE, feedback="nothing found"),
        made_by=ReviewerVersion(agent="rules", version="1", model="none", prompt="0ab74152794e"),
    ),
    e.FindingDeclined(iteration=2, fingerprint=BLOCKER.fingerprint, reason="it is meant so"),
    e.ReviewCompleted(
        iteration=1,
        verdict=Verdict(reviewer="rules", judgement=Judgement.REQUEST_CHANGES, findings=(BLOCKER,)),
    ),
    e.ChangeRequested(iteration=1, requests=(REQUEST,)),
    e.ChangeReviewed(
        iteration=1, reviewer="rules", opinions=(Opinion(path=REQUEST.path, grant=True, reason="it is so"),)
    ),
    e.ChangeSettled(iteration=1, paths=(REQUEST.path,), granted=True, by="Ann", reason="wanted"),
    e.ReasonsGiven(iteration=1, reasons=(GivenReason(signal="0" * 16, reason="the tool is wrong"),)),
    e.AnswerRejected(
        phase="review",
        iteration=1,
        label="review-1:security",
        agent="critic",
        reason="decision: Field required",
        asked_again=True,
    ),
    e.CandidateMade(phase="implement", iteration=1, candidate=2, agent="scripted", snapshot=CANDIDATE),
    e.CandidateMeasured(iteration=1, candidate=2, evaluation=RED),
    e.CandidateChosen(
        iteration=1,
        candidate=2,
        reason="candidate 2 (scripted) has fewer failing tests than candidate 1 (other)",
        standings=(STANDING,),
    ),
    e.PhaseBounce(source="test", target="implement", bounce=1, iteration=1, failures=1, reason="1 failing"),
    e.LoopRestarted(iteration=3, commit=COMMIT, reason="the same problems came back"),
    e.DiminishingReturns(phase="test", bounces=3, counts=(2, 2, 3)),
    e.LoopStagnated(
        phase="implement",
        iteration=1,
        label="implement-1",
        attempt=1,
        call=ToolCall(id="1", name="bash", title="pytest -q", ok=False),
        times=3,
        nudged=True,
    ),
    e.GuardFired(iteration=7, halt=HALT),
    e.GuardUnable(iteration=3, guard="minimum_quality", reason="no round reached the full test suite"),
    e.BudgetWarned(budget="cost", share=0.5, used=2.6, limit=5.0),
    e.HaltingDecided(
        iteration=1,
        decision=Decision(
            policy="rules-v1",
            action=Action.CONTINUE,
            reason="1 problem is open",
            values=HaltingValues(
                continue_=5.33, restart=3.46, escalate=0.0, p_verified=0.03, one_more=ONE_MORE
            ),
            shadow=Shadow(policy="halter-v1", action=Action.CONTINUE),
        ),
        gates=(HardGate(name="tests", state=CheckState.FAIL, reason="1 failing"),),
    ),
    e.GateOpened(gate=GATE),
    e.GateAnswered(gate=GATE.id, answer=ANSWER),
    e.GateExpired(gate=GATE.id, choice=Choice.CANCEL),
    e.CancelRequested(by="Ann", reason="not wanted any more"),
    e.Delivered(branch=ORDER.branch, commit=COMMIT, verified=True),
    e.ProductShown(
        what="python -m shop export",
        before=ProductView(output=Artifact("d" * 64), exit_code=0),
        after=ProductView(reason="no browser is on this machine"),
    ),
    e.RunFinished(outcome=OUTCOME),
    *ABOUT_LIVE,
    *ABOUT_MEMORY,
    *ABOUT_PRODUCTION,
    TurnChecked(
        agent="claude",
        session="5e55",
        base=COMMIT,
        state=HookState.FAILED,
        blocked=True,
        blocks=1,
        took_s=2.5,
        text="Setpoint check (1 of 3): the work is not done.",
    ),
    FeedbackSuggested(
        suggestion="sug-0123456789",
        action=SuggestedAction.DISMISS,
        finding="0123456789abcdef",
        message="rounded twice",
        text="the second rounding is a copy",
        client="claude-code",
    ),
    SuggestionSettled(suggestion="sug-0123456789", confirmed=True, by="Ann"),
    RunRequested(request="Totals must be right", client="claude-code", max_cost_usd=Decimal(2)),
    *ABOUT_FORGE,
    StoryCounted(shift="2026-01-31", story=StoryId("totals"), taken=True, spent_usd=Decimal("0.5")),
    ShiftNoted(shift="2026-01-31", came=(StoryId("totals"),), reported=True),
    *ABOUT_LANDING,
)
EXAMPLES = {body.kind: body for body in _BODIES}
"""An event by its kind."""
