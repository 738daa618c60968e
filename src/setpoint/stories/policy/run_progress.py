"""Progress of a run: finished phases, the next phase, and the number of bounces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from setpoint.model.evaluation import Evaluation
from setpoint.model.events import Event
from setpoint.model.events.run import (
    AgentFinished,
    GateAnswered,
    GateOpened,
    HaltingDecided,
    IterationEvaluated,
    LoopRestarted,
    PhaseApproved,
    PhaseBounce,
    PhaseCompleted,
    PhasePassed,
    ReviewCompleted,
    RunFinished,
    RunStarted,
)
from setpoint.model.finding import Finding, Severity
from setpoint.model.pipeline import PhaseKind
from setpoint.model.run import Action, RunOrder, RunOutcome
from setpoint.model.stories.board import PhaseProgress
from setpoint.model.stories.story import Refinement
from setpoint.model.value import Instant
from setpoint.model.wording import counted

IN_PROGRESS, FAILED, PASSED = "in_progress", "failed", "passed"
"""Results of a refinement, as R4 names them."""


class Follower:
    """Follows the events of one run and computes its progress at any time."""

    def __init__(self, order: RunOrder) -> None:
        """Begin with nothing done."""
        pipeline = order.pipeline
        self._order = order
        self._phases = tuple(phase.name for phase in pipeline.phases)
        self._judging = tuple(phase.name for phase in pipeline.behind_making())
        self._delivers = {phase.name for phase in pipeline.phases if phase.kind is PhaseKind.DELIVER}
        self._reviews = {phase.name for phase in pipeline.phases if phase.kind is PhaseKind.REVIEW}
        self._limit = min(
            order.limits.max_refinement_attempts or order.limits.max_iterations, order.limits.max_iterations
        )
        self._done: set[str] = set()
        self._target = ""
        self._bounces: list[tuple[PhaseBounce, str, str]] = []
        self._texts: dict[str, str] = {}
        self._evaluation: Evaluation | None = None
        self._reviewed: list[Finding] = []
        self._escalated = ""
        self._stuck = False
        self._waiting = False
        self._until: Instant | None = None
        self._outcome: RunOutcome | None = None

    def take(self, event: Event) -> None:
        """Take in the next event; kinds that change nothing here are passed over."""
        match event.body:
            case PhaseCompleted(phase=phase, text=text):
                self._texts[phase] = text
                self._finished(phase)
            case AgentFinished():
                self._made(event.body)
            case PhasePassed(phase=phase) | PhaseApproved(phase=phase):
                self._finished(phase)
            case PhaseBounce():
                at = f"{event.at:%Y-%m-%dT%H:%M:%SZ}"
                self._bounces.append((event.body, self._feedback(event.body), at))
                self._sent_back(event.body.target)
            case LoopRestarted():
                self._made_again()
            case _:
                self._judged(event)

    def _judged(self, event: Event) -> None:
        match event.body:
            case IterationEvaluated(evaluation=evaluation):
                self._evaluation = evaluation
            case ReviewCompleted(verdict=verdict):
                self._reviewed += verdict.blocking
            case HaltingDecided(decision=decision):
                self._stuck = decision.action is Action.ESCALATE
                self._escalated = decision.reason if self._stuck else ""
                self._examined(enough=decision.action is Action.HALT)
            case GateOpened(gate=gate):
                self._waiting, self._escalated = True, gate.question
                self._until = gate.deadline if gate.default is not None else None
            case GateAnswered(answer=answer):
                self._waiting, self._stuck, self._escalated = False, False, ""
                if answer.choice.continues:
                    self._made_again()
            case RunFinished(outcome=outcome):
                self._outcome = outcome
            case _:
                pass

    def standing(self) -> PhaseProgress:
        """Return the progress after the events so far."""
        outcome = self._outcome
        if outcome is not None and outcome.mark:
            self._done |= self._delivers
        done = self._in_order()
        standing = PhaseProgress(
            trace_id=self._order.trace_id,
            phases=self._phases,
            judging=self._judging,
            complete=done,
            next_phase=next((phase for phase in self._phases if phase not in done), ""),
            target=self._target if outcome is None else "",
            limit=self._limit,
            texts=self._texts,
            reasons=tuple(bounce.reason for bounce, _, _ in self._bounces),
            waiting=self._waiting and outcome is None,
            waits_until=self._until if self._waiting and outcome is None else None,
            last_error=self._escalated if outcome is None else outcome.reason,
            ending=outcome.ending if outcome is not None else None,
            branch=outcome.branch if outcome is not None else "",
            needs=self._order.needs,
            digest=self._order.story_digest,
        )
        error = "" if standing.succeeded else standing.last_error
        return standing.model_copy(update={"last_error": error, "refinements": self._refinements(standing)})

    def _made(self, body: AgentFinished) -> None:
        self._reviewed, self._evaluation = [], None
        self._stuck, self._escalated = False, ""
        attempt = body.snapshot.attempt
        if attempt is None or attempt.breakage is None:
            self._finished(body.phase)

    def _made_again(self) -> None:
        """Continue with the making, whichever phase the work was sent back to."""
        making = len(self._phases) - len(self._judging) - 1
        self._done |= set(self._phases[:making])
        self._sent_back(self._phases[making])

    def _finished(self, phase: str) -> None:
        self._done.add(phase)
        if phase == self._target:
            self._target = ""

    def _sent_back(self, target: str) -> None:
        """Take back the completion marks of a phase and of all behind it."""
        place = self._phases.index(target) if target in self._phases else 0
        self._done -= set(self._phases[place:])
        self._target = target

    def _examined(self, *, enough: bool) -> None:
        """Take back the mark of the last phase that judges, where its work is not enough to end well."""
        last = [phase for phase in self._judging if phase not in self._delivers][-1:]
        if enough:
            self._done.update(last)
        else:
            self._done.difference_update(last)

    def _in_order(self) -> tuple[str, ...]:
        return tuple(phase for phase in self._phases if phase in self._done)

    def _refinements(self, standing: PhaseProgress) -> tuple[Refinement, ...]:
        last = len(self._bounces)
        ended = FAILED if standing.finished or self._stuck else IN_PROGRESS
        return tuple(
            Refinement(
                iteration=number,
                agent_type=bounce.target,
                started_at=at,
                review_feedback=feedback,
                result=FAILED if number < last else PASSED if standing.succeeded else ended,
            )
            for number, (bounce, feedback, at) in enumerate(self._bounces, start=1)
        )

    def _feedback(self, bounce: PhaseBounce) -> str:
        evaluation = self._evaluation
        found = (
            self._reviewed
            if bounce.source in self._reviews
            else list(evaluation.blocking if evaluation else ())
        )
        severities = Counter(finding.severity for finding in found)
        parts = [f"{severities[each]} {each}" for each in reversed(Severity) if severities[each]]
        if bounce.failures:
            parts.append(counted(bounce.failures, "failing test"))
        return f"{bounce.source.capitalize()} failed: {', '.join(parts) or bounce.reason}"


def phase_progress_of(events: Iterable[Event]) -> PhaseProgress | None:
    """Return a run's progress after all its events; none if it never began."""
    follower: Follower | None = None
    for event in events:
        if isinstance(event.body, RunStarted):
            follower = Follower(event.body.order)
        if follower is not None:
            follower.take(event)
    return follower.standing() if follower is not None else None
