"""From the events of a run back to what happened in it, typed and in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from setpoint.errors import RecordedDataError
from setpoint.history.attempts import GateQuestion as GateQuestion  # noqa: PLC0414 - part of a history
from setpoint.history.attempts import Try as Try  # noqa: PLC0414 - part of a history
from setpoint.history.run_fold import RunFold
from setpoint.history.run_history import History as History  # noqa: PLC0414 - what is folded here
from setpoint.model.attempt import ToolCall, Usage
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events import AboutNoRun, Event, ProductShown, people
from setpoint.model.events import learning as m
from setpoint.model.events.candidates import (
    AnswerRejected,
    CandidateChosen,
    CandidateMade,
    CandidateMeasured,
    FindingDeclined,
)
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.live import AboutLive
from setpoint.model.events.requests import (
    AboutIntegrity,
    ChangeRequested,
    ChangeReviewed,
    ChangeSettled,
    ReasonsGiven,
)
from setpoint.model.events.run import (
    AgentBroke,
    AgentFinished,
    AgentSpent,
    AgentStarted,
    BaselineMeasured,
    BudgetWarned,
    CancelRequested,
    Delivered,
    DiminishingReturns,
    GateAnswered,
    GateExpired,
    GateOpened,
    GuardFired,
    GuardUnable,
    HaltingDecided,
    IterationEvaluated,
    LoopRestarted,
    LoopStagnated,
    ModelCalled,
    PhaseApproved,
    PhaseBounce,
    PhaseCompleted,
    PhaseEntered,
    PhasePassed,
    ProofMeasured,
    ReviewAnswered,
    ReviewCompleted,
    RunFinished,
    RunResumed,
    RunStarted,
    TestsQuarantined,
    ToolExecuted,
)
from setpoint.model.facts.budget_account import granted
from setpoint.model.ids import GateId
from setpoint.model.run import Round, RunOutcome
from setpoint.model.value import Instant

_TURNED = (
    HaltingDecided
    | PhaseBounce
    | LoopRestarted
    | DiminishingReturns
    | LoopStagnated
    | GuardFired
    | GuardUnable
    | BudgetWarned
)
_ASIDE = m.AboutMemory | people.Feedback | AboutNoRun | AboutLive | HiddenTestsWritten | HiddenTestsAnswered


def history(events: Sequence[Event]) -> History:
    """Fold the events of one run; `RecordedDataError` where they do not begin with `run.started`."""
    if not events or not isinstance(events[0].body, RunStarted):
        found = f"begins with '{events[0].body.kind}'" if events else "has no events"
        message = f"the run {found}, not with 'run.started'"
        raise RecordedDataError(message, hint="`setpoint status` lists the runs that are recorded")
    fold = _Fold(started=events[0].body)
    for event in events:
        fold.take(event)
    return fold.history(events)


@dataclass(kw_only=True)
class _Fold:
    """The history in the making."""

    started: RunStarted
    base: Evaluation | None = None
    made: dict[int, AgentFinished] = field(default_factory=dict)
    rounds: dict[int, Round] = field(default_factory=dict)
    tries: dict[tuple[str, int], Try] = field(default_factory=dict)
    calls: dict[str, tuple[ToolCall, ...]] = field(default_factory=dict)
    asked: list[ModelCalled] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    answers: list[ReviewAnswered] = field(default_factory=list)
    declined: list[FindingDeclined] = field(default_factory=list)
    decisions: list[HaltingDecided] = field(default_factory=list)
    bounces: list[PhaseBounce] = field(default_factory=list)
    restarts: list[LoopRestarted] = field(default_factory=list)
    diminishing: list[DiminishingReturns] = field(default_factory=list)
    candidates: list[CandidateMade] = field(default_factory=list)
    contests: list[CandidateChosen] = field(default_factory=list)
    stagnations: list[LoopStagnated] = field(default_factory=list)
    guards: list[GuardFired] = field(default_factory=list)
    unable: list[GuardUnable] = field(default_factory=list)
    warnings: list[BudgetWarned] = field(default_factory=list)
    resumptions: list[RunResumed] = field(default_factory=list)
    gates: dict[GateId, GateQuestion] = field(default_factory=dict)
    requests: list[AboutIntegrity] = field(default_factory=list)
    hidden: list[HiddenTestsWritten] = field(default_factory=list)
    answered: list[HiddenTestsAnswered] = field(default_factory=list)
    cancel: CancelRequested | None = None
    run: RunFold = field(default_factory=RunFold)
    memory: list[m.AboutMemory] = field(default_factory=list)
    feedback: list[people.Feedback] = field(default_factory=list)
    delivered: Delivered | None = None
    outcome: RunOutcome | None = None

    def take(self, event: Event) -> None:
        """Take in the next event."""
        self.run = self.run.take(event)
        if isinstance(event.body, _ASIDE):
            self._remembered(event.body)
            return
        if isinstance(event.body, _TURNED):
            self._turned(event.body)
            return
        match event.body:
            case (
                RunStarted()
                | RunResumed()
                | CancelRequested()
                | Delivered()
                | RunFinished()
                | TestsQuarantined()
            ):
                self._run(event.body)
            case GateOpened() | GateAnswered() | GateExpired():
                self._asked(event.body, event.at)
            case PhaseEntered() | PhaseCompleted() | PhaseApproved() | PhasePassed():
                self._phase(event.body)
            case (
                ReviewAnswered()
                | FindingDeclined()
                | AnswerRejected()
                | CandidateMade()
                | CandidateMeasured()
                | CandidateChosen()
                | ChangeRequested()
                | ChangeReviewed()
                | ChangeSettled()
                | ReasonsGiven()
            ):
                self._compared(event.body)
            case AgentStarted() | ToolExecuted() | ModelCalled() | AgentSpent() | AgentFinished():
                self._agent(event.body, event.at)
            case AgentBroke() | ProductShown():
                pass  # the next try, or the end of the attempt, follows; what is shown turns nothing
            case BaselineMeasured() | IterationEvaluated() | ProofMeasured() | ReviewCompleted():
                self._judged(event.body)
            case _:
                assert_never(event.body)

    def history(self, events: Sequence[Event]) -> History:
        """Return the history of all that was taken in."""
        budget = self.run.account
        return History(
            trace_id=events[0].trace_id,
            order=self.started.order,
            figures=self.run.figures,
            limits=granted(self.started.order.limits, budget.grants),
            workdir=self.started.workdir,
            python=self.started.python,
            checks=self.started.checks,
            started_at=events[0].at,
            last_at=events[-1].at,
            base=self.base,
            rounds=tuple(self.rounds[number] for number in sorted(self.rounds)),
            tries=tuple(self.tries.values()),
            calls=self.calls,
            asked=tuple(self.asked),
            texts=self.texts,
            answers=tuple(self.answers),
            declined=tuple(self.declined),
            decisions=tuple(self.decisions),
            bounces=tuple(self.bounces),
            restarts=tuple(self.restarts),
            diminishing=tuple(self.diminishing),
            candidates=tuple(self.candidates),
            contests=tuple(self.contests),
            stagnations=tuple(self.stagnations),
            guards=tuple(self.guards),
            unable=tuple(self.unable),
            warnings=tuple(self.warnings),
            resumptions=tuple(self.resumptions),
            gates=tuple(self.gates.values()),
            requests=tuple(self.requests),
            hidden=tuple(self.hidden),
            answered=tuple(self.answered),
            memory=tuple(self.memory),
            feedback=tuple(self.feedback),
            cancel=self.cancel,
            account=budget.used,
            active_s=round(budget.active_s, 3),
            delivered=self.delivered,
            outcome=self.outcome,
        )

    def _run(
        self,
        body: RunStarted | RunResumed | CancelRequested | Delivered | RunFinished | TestsQuarantined,
    ) -> None:
        match body:
            case RunStarted() | TestsQuarantined():
                pass  # the fold began with it, and the order says the same
            case RunResumed():
                self.resumptions.append(body)
            case CancelRequested():
                self.cancel = body
            case Delivered():
                self.delivered = body
            case RunFinished():
                self.outcome = body.outcome

    def _asked(self, body: GateOpened | GateAnswered | GateExpired, at: Instant) -> None:
        match body:
            case GateOpened(gate=gate):
                self.gates.setdefault(gate.id, GateQuestion(gate=gate))
            case GateAnswered(gate=name, answer=answer) if name in self.gates:
                told = {"answer": answer, "answered_at": at}
                self.gates[name] = self.gates[name].model_copy(update=told)
            case GateAnswered() | GateExpired():
                pass  # an answer without a question counts for nothing; a deadline records its own answer

    def _phase(self, body: PhaseEntered | PhaseCompleted | PhaseApproved | PhasePassed) -> None:
        match body:
            case PhaseCompleted():
                self.texts[body.phase] = body.text
            case PhaseEntered() | PhaseApproved() | PhasePassed():
                pass  # the figures, and the rounds with more detail, say the same

    def _remembered(self, body: _ASIDE) -> None:
        if isinstance(body, people.Feedback):
            self.feedback.append(body)
        elif isinstance(body, HiddenTestsWritten):
            self.hidden.append(body)
        elif isinstance(body, HiddenTestsAnswered):
            self.answered.append(body)
        elif isinstance(body, m.AboutMemory):
            self.memory.append(body)
        # What is about production is of no run; what an agent begins or writes leads to its other events.

    def _compared(
        self,
        body: ReviewAnswered
        | FindingDeclined
        | AnswerRejected
        | CandidateMade
        | CandidateMeasured
        | CandidateChosen
        | ChangeRequested
        | ChangeReviewed
        | ChangeSettled
        | ReasonsGiven,
    ) -> None:
        match body:
            case ChangeRequested() | ChangeReviewed() | ChangeSettled() | ReasonsGiven():
                self.requests.append(body)
            case ReviewAnswered():
                self.answers.append(body)
            case FindingDeclined():
                self.declined.append(body)
            case CandidateMade():
                self.candidates.append(body)
                self._amend(self._newest(body.snapshot.label), finished=True)
            case CandidateChosen():
                self.contests.append(body)
            case AnswerRejected() | CandidateMeasured():
                pass  # the answer that counts comes next; the rank of a candidate follows when one is chosen

    def _agent(
        self, body: AgentStarted | ToolExecuted | ModelCalled | AgentSpent | AgentFinished, at: Instant
    ) -> None:
        match body:
            case ModelCalled():
                self.asked.append(body)
            case AgentStarted():
                self.tries[body.label, body.attempt] = Try(
                    started_at=at, **body.model_dump(exclude={"kind"}, exclude_unset=False)
                )
            case ToolExecuted():
                self.calls[body.label] = (*self.calls.get(body.label, ()), body.call)
                self._amend(self._newest(body.label), calls=(body.call,))
            case AgentSpent():
                self._amend((body.label, body.attempt), usage=body.usage)
            case AgentFinished():
                self.made[body.iteration] = body
                self._amend(self._newest(body.snapshot.label), finished=True)

    def _judged(self, body: BaselineMeasured | IterationEvaluated | ProofMeasured | ReviewCompleted) -> None:
        match body:
            case BaselineMeasured():
                self.base = body.evaluation
            case IterationEvaluated():
                self._measured(body.iteration, body.evaluation)
            case ProofMeasured():
                self._set(body.iteration, proof=body.proof)
            case ReviewCompleted():
                self._set(body.iteration, verdict=body.verdict)

    def _turned(
        self,
        body: HaltingDecided
        | PhaseBounce
        | LoopRestarted
        | DiminishingReturns
        | LoopStagnated
        | GuardFired
        | GuardUnable
        | BudgetWarned,
    ) -> None:
        match body:
            case HaltingDecided():
                self.decisions.append(body)
                self._set(body.iteration, gates=body.gates)
            case PhaseBounce():
                self.bounces.append(body)
                self._set(body.iteration, bounced_from=body.source, bounced_to=body.target)
            case LoopRestarted():
                self.restarts.append(body)
            case DiminishingReturns():
                self.diminishing.append(body)
            case LoopStagnated():
                self.stagnations.append(body)
            case GuardFired():
                self.guards.append(body)
            case GuardUnable():
                self.unable.append(body)
            case BudgetWarned():
                self.warnings.append(body)

    def _measured(self, number: int, evaluation: Evaluation) -> None:
        made = self.made.get(number)
        if number in self.rounds:
            confirms = evaluation.stage is Stage.CONFIRM
            self._set(number, **{"confirmation" if confirms else "tests": evaluation})
        elif made is not None:
            self.rounds[number] = Round(
                number=number,
                chain=len(self.restarts),
                mode=made.mode,
                snapshot=made.snapshot,
                changed_against_base=made.changed_against_base,
                diff_hash=made.diff_hash,
                lines=made.lines,
                evaluation=evaluation,
            )

    def _set(self, number: int, **values: object) -> None:
        if number in self.rounds:
            self.rounds[number] = self.rounds[number].model_copy(update=values)

    def _newest(self, label: str) -> tuple[str, int]:
        return label, max((attempt for known, attempt in self.tries if known == label), default=0)

    def _amend(
        self,
        key: tuple[str, int],
        *,
        calls: tuple[ToolCall, ...] = (),
        usage: Usage | None = None,
        finished: bool = False,
    ) -> None:
        known = self.tries.get(key)
        if known is not None:
            self.tries[key] = known.model_copy(
                update={
                    "calls": known.calls + calls,
                    "usage": usage or known.usage,
                    "finished": finished or known.finished,
                }
            )
