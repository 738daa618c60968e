"""All that is known of a run, as its events tell it."""

from __future__ import annotations

from setpoint.domain import memory_events as m
from setpoint.domain.attempt import ModelCall, ToolCall
from setpoint.domain.evaluation import Evaluation
from setpoint.domain.events import (
    BudgetWarned,
    CancelRequested,
    CandidateChosen,
    CandidateMade,
    Delivered,
    DiminishingReturns,
    FindingDeclined,
    GuardFired,
    HaltingDecided,
    LoopRestarted,
    LoopStagnated,
    PhaseBounce,
    ReviewAnswered,
    RunResumed,
)
from setpoint.domain.gate import Gate
from setpoint.domain.ids import TraceId
from setpoint.domain.request_events import AboutIntegrity
from setpoint.domain.run import Limits, Round, RunOrder, RunOutcome
from setpoint.domain.value import Instant, Value
from setpoint.events.tries import Asked as Asked  # noqa: PLC0414 - part of a history
from setpoint.events.tries import Try as Try  # noqa: PLC0414 - part of a history
from setpoint.policies.spending import Account


class History(Value):
    """All that happened in a run, folded from its events; the same events give the same history."""

    trace_id: TraceId
    order: RunOrder
    limits: Limits
    """The limits of the order, with what people added to them since."""
    workdir: str
    python: str = ""
    checks: dict[str, str] = {}
    """Checks that run, with the reason each was chosen."""
    started_at: Instant
    last_at: Instant
    """When the newest event was recorded."""
    base: Evaluation | None = None
    """The base commit's evaluation."""
    rounds: tuple[Round, ...] = ()
    """Iterations that were measured, oldest first."""
    tries: tuple[Try, ...] = ()
    """The maker's tries, oldest first."""
    calls: dict[str, tuple[ToolCall, ...]] = {}
    """Tool calls of all agents, by the label of the attempt."""
    asked: dict[str, tuple[ModelCall, ...]] = {}
    """Calls of models that the proxy saw, by the label of the attempt."""
    texts: dict[str, str] = {}
    """What each thinking phase wrote last."""
    answers: tuple[ReviewAnswered, ...] = ()
    """What each reviewer said, in order."""
    declined: tuple[FindingDeclined, ...] = ()
    """Objections that the maker declined."""
    decisions: tuple[HaltingDecided, ...] = ()
    bounces: tuple[PhaseBounce, ...] = ()
    restarts: tuple[LoopRestarted, ...] = ()
    diminishing: tuple[DiminishingReturns, ...] = ()
    candidates: tuple[CandidateMade, ...] = ()
    """Attempts at the same work, of which one went on."""
    contests: tuple[CandidateChosen, ...] = ()
    """Which candidate went on, and how the others stood."""
    stagnations: tuple[LoopStagnated, ...] = ()
    """Turns that were ended because the agent went in circles."""
    guards: tuple[GuardFired, ...] = ()
    warnings: tuple[BudgetWarned, ...] = ()
    resumptions: tuple[RunResumed, ...] = ()
    gates: tuple[Asked, ...] = ()
    """Every question to a person, oldest first."""
    requests: tuple[AboutIntegrity, ...] = ()
    """What was asked for, said and decided about protected files and signals, oldest first."""
    memory: tuple[m.AboutMemory, ...] = ()
    """What was recalled for the run, what it taught, and whose belief it moved, oldest first."""
    feedback: tuple[m.Feedback, ...] = ()
    """What people said or did about it, oldest first."""
    cancel: CancelRequested | None = None
    """Who wanted the run ended, where someone did."""
    phase: str = ""
    """The phase entered last; empty before the first."""
    iteration: int = 0
    """The iteration under way; 0 before the first."""
    account: Account = Account()
    """What was used, lost tries and those under way included."""
    active_s: float = 0.0
    """Seconds the run has worked; time between a crash and the resumption does not count."""
    delivered: Delivered | None = None
    outcome: RunOutcome | None = None
    """None while the run is not finished."""

    @property
    def waiting(self) -> Gate | None:
        """The question that the run stands still for."""
        if self.outcome is not None or self.cancel is not None:
            return None
        return next((asked.gate for asked in self.gates if asked.answer is None), None)
