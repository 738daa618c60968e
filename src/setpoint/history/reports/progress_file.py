"""The machine-readable state of a run in R2's shape, for tools that watch it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from setpoint.history.attempts import GateQuestion
from setpoint.history.iterations import Lap, laps
from setpoint.history.phrases import change_line, failure_line, finding_line, gate_command
from setpoint.history.replay import History, history
from setpoint.model.ending import Ending
from setpoint.model.events import Event
from setpoint.model.quality import QualityVector
from setpoint.model.run import COMPLETION_MARK
from setpoint.model.value import Instant, Value

MOST_LISTED = 20
"""Issues and failures listed per iteration."""


class IterationProgress(Value):
    """One iteration."""

    number: int
    implementation: str
    """What changed, as Setpoint saw it."""
    check_result: str
    """PASS, FAIL, BROKEN or NOT_REACHED: lint, types, security, integrity."""
    check_issues: tuple[str, ...] = ()
    review_result: str
    """PASS, FAIL, BROKEN or NOT_REACHED."""
    review_issues: tuple[str, ...] = ()
    test_result: str
    """PASS, FAIL, BROKEN, NOT_MEASURED or NOT_REACHED."""
    test_failures: tuple[str, ...] = ()
    quality: float | None = None
    """The quality score; null where a test fails, or the full suite was not measured."""
    metrics: QualityVector = QualityVector()
    """Every metric of the quality vector; null where it was not measured."""
    status: str
    """`IMPLEMENTATION_VERIFIED`, `continuing`, `in_progress` or how the run ended."""


class FeedbackLoop(Value):
    """The phase loop."""

    enabled: bool = True
    current_iteration: int
    """0 before the first; of a run that ended, how many were measured."""
    max_iterations: int
    status: str
    """`in_progress`, `IMPLEMENTATION_VERIFIED`, `escalated` (a person is asked, or a guard ended the run),
    `accepted`, `skipped`, `broken_agent` or `cancelled`."""
    consecutive_review_failures: int
    """Rounds in a row, up to the newest, whose review failed, since a person last let the run continue."""
    consecutive_test_failures: int
    """Rounds in a row, up to the newest, whose tests failed, since a person last let the run continue."""
    iterations: tuple[IterationProgress, ...]


class Question(Value):
    """What a person is asked."""

    gate: str
    question: str
    answers: dict[str, str]
    """The command that gives each answer, by what it answers."""
    asked_at: Instant
    deadline: Instant | None = None
    """When the run continues without an answer; none: it waits without end."""


class RunProgress(Value):
    """What the loop works on."""

    trace_id: str
    story: str
    phase: str
    """The phase entered last."""
    branch: str = ""
    """The delivered branch."""
    reason: str = ""
    """Why it ended."""
    waits_for: Question | None = None
    """What a person is asked; none where the run does not wait."""


class Progress(Value):
    """Content of `progress.json`."""

    feedback_loop: FeedbackLoop
    run: RunProgress


IN_PROGRESS, ESCALATED = "in_progress", "escalated"
_STATUS = {
    Ending.VERIFIED: COMPLETION_MARK,
    Ending.SELF_TESTED: ESCALATED,
    Ending.UNPROVEN: ESCALATED,
    Ending.UNPROVABLE: ESCALATED,
    Ending.STOPPED: ESCALATED,
    Ending.ESCALATED: ESCALATED,
    Ending.ACCEPTED: "accepted",
    Ending.SKIPPED: "skipped",
    Ending.BROKEN_AGENT: "broken_agent",
    Ending.CANCELLED: "cancelled",
    Ending.MET: "met",
}


def progress(events: Sequence[Event]) -> Progress:
    """Tell how far a run is."""
    told, every = history(events), laps(events)
    outcome = told.outcome
    loop = FeedbackLoop(
        current_iteration=told.figures.iteration,
        max_iterations=told.limits.max_iterations,
        status=_status(told),
        consecutive_review_failures=_in_a_row(told, every, lambda lap: lap.review_result == "FAIL"),
        consecutive_test_failures=_in_a_row(told, every, lambda lap: lap.test_result == "FAIL"),
        iterations=tuple(_iteration(told, lap) for lap in every),
    )
    run = RunProgress(
        trace_id=told.trace_id,
        story=told.order.story.title,
        phase=told.phase,
        branch=outcome.branch if outcome else "",
        reason=outcome.reason if outcome else "",
        waits_for=_question(told),
    )
    return Progress(feedback_loop=loop, run=run)


def status(told: History, lap: Lap) -> str:
    """Say what became of a lap."""
    if lap.bounce is not None:
        return "continuing"
    if lap.verified and told.outcome is None:
        return COMPLETION_MARK
    return _status(told)


def _status(told: History) -> str:
    if told.outcome is not None:
        return _STATUS[told.outcome.ending]
    return ESCALATED if told.waiting is not None else IN_PROGRESS


def _question(told: History) -> Question | None:
    gate = told.waiting
    if gate is None:
        return None
    return Question(
        gate=gate.id,
        question=gate.question,
        answers={each.choice: gate_command(told.trace_id, gate, each.choice) for each in gate.options},
        asked_at=gate.asked_at,
        deadline=gate.deadline,
    )


def _iteration(told: History, lap: Lap) -> IterationProgress:
    evaluated = [finding for each in lap.evaluations for finding in each.blocking]
    reviewed = lap.verdict.blocking if lap.verdict else ()
    issues = dict.fromkeys(finding_line(finding) for finding in evaluated)
    return IterationProgress(
        number=lap.number,
        implementation=change_line(lap.change),
        check_result=lap.check_result,
        check_issues=tuple(issues)[:MOST_LISTED],
        review_result=lap.review_result,
        review_issues=tuple(finding_line(finding) for finding in reviewed)[:MOST_LISTED],
        test_result=lap.test_result,
        test_failures=tuple(failure_line(failure) for failure in lap.failures)[:MOST_LISTED],
        quality=lap.latest.score_shown if lap.latest else None,
        metrics=lap.latest.quality if lap.latest else QualityVector(),
        status=status(told, lap),
    )


def _in_a_row(told: History, every: Sequence[Lap], failed: Callable[[Lap], bool]) -> int:
    """Count failures in a row as guards do: up to the newest round, since a person let the run continue.

    A restart does not interrupt the row. A round that is still under way counts as soon as it fails.
    """
    answered = max((each.gate.iteration for each in told.gates if _continues(each)), default=0)
    count = 0
    for lap in reversed([each for each in every if each.number > answered]):
        if failed(lap):
            count += 1
        elif lap.decided is not None or count:
            break
    return count


def _continues(asked: GateQuestion) -> bool:
    return asked.answer is not None and asked.answer.choice.continues
