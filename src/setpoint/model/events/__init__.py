"""Everything that happens in a run, as a closed union of facts; the only source of truth.

One file for each loop. Names follow the pattern `subject.verb`, for example `loop.phase_bounce`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from setpoint.model.events.candidates import (
    AnswerRejected,
    CandidateChosen,
    CandidateMade,
    CandidateMeasured,
    FindingDeclined,
)
from setpoint.model.events.forge import AboutForge
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.hooks import AboutHooks
from setpoint.model.events.landing import AboutLanding
from setpoint.model.events.learning import AboutMemory
from setpoint.model.events.live import AboutLive, AgentSaid, ToolStarted
from setpoint.model.events.own_agents import AboutOwnAgents
from setpoint.model.events.people import Feedback
from setpoint.model.events.product import ProductShown
from setpoint.model.events.production import AboutProduction
from setpoint.model.events.requests import ChangeRequested, ChangeReviewed, ChangeSettled, ReasonsGiven
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
from setpoint.model.events.work import AboutWork
from setpoint.model.ids import EventId, TraceId
from setpoint.model.value import Instant, Value

__all__ = [
    "BODY",
    "AboutForge",
    "AboutHooks",
    "AboutLanding",
    "AboutLive",
    "AboutMemory",
    "AboutNoRun",
    "AboutOwnAgents",
    "AboutProduction",
    "AboutWork",
    "AgentBroke",
    "AgentFinished",
    "AgentSaid",
    "AgentSpent",
    "AgentStarted",
    "AnswerRejected",
    "BaselineMeasured",
    "Body",
    "BudgetWarned",
    "CancelRequested",
    "CandidateChosen",
    "CandidateMade",
    "CandidateMeasured",
    "ChangeRequested",
    "ChangeReviewed",
    "ChangeSettled",
    "Delivered",
    "DiminishingReturns",
    "Event",
    "Feedback",
    "FindingDeclined",
    "GateAnswered",
    "GateExpired",
    "GateOpened",
    "GuardFired",
    "GuardUnable",
    "HaltingDecided",
    "HiddenTestsAnswered",
    "HiddenTestsWritten",
    "IterationEvaluated",
    "LoopRestarted",
    "LoopStagnated",
    "ModelCalled",
    "PhaseApproved",
    "PhaseBounce",
    "PhaseCompleted",
    "PhaseEntered",
    "PhasePassed",
    "ProductShown",
    "ProofMeasured",
    "ReasonsGiven",
    "ReviewAnswered",
    "ReviewCompleted",
    "RunFinished",
    "RunResumed",
    "RunStarted",
    "TestsQuarantined",
    "ToolExecuted",
    "ToolStarted",
]

AboutNoRun = AboutProduction | AboutHooks | AboutOwnAgents | AboutForge | AboutWork | AboutLanding
"""What is recorded under traces of its own, which are not runs."""

Body = Annotated[
    RunStarted
    | RunResumed
    | BaselineMeasured
    | TestsQuarantined
    | PhaseEntered
    | PhaseCompleted
    | PhaseApproved
    | PhasePassed
    | AgentStarted
    | ToolExecuted
    | ModelCalled
    | AgentSpent
    | AgentBroke
    | AgentFinished
    | IterationEvaluated
    | ProofMeasured
    | HiddenTestsAnswered
    | HiddenTestsWritten
    | ReviewAnswered
    | FindingDeclined
    | ReviewCompleted
    | ChangeRequested
    | ChangeReviewed
    | ChangeSettled
    | ReasonsGiven
    | AnswerRejected
    | CandidateMade
    | CandidateMeasured
    | CandidateChosen
    | PhaseBounce
    | LoopRestarted
    | DiminishingReturns
    | LoopStagnated
    | GuardFired
    | GuardUnable
    | BudgetWarned
    | HaltingDecided
    | GateOpened
    | GateAnswered
    | GateExpired
    | CancelRequested
    | Delivered
    | ProductShown
    | RunFinished
    | AboutLive
    | AboutMemory
    | Feedback
    | AboutNoRun,
    Field(discriminator="kind"),
]
"""What happened; dispatch over it ends in `assert_never`."""


BODY: TypeAdapter[Body] = TypeAdapter(Body, config=ConfigDict(defer_build=True))
"""Reads a body from JSON."""


class Event(Value):
    """A fact of a run, in its place."""

    id: EventId
    trace_id: TraceId
    seq: int
    """1-based place in the run, without gaps."""
    at: Instant
    key: str
    """Names what was recorded within the run; the same key is recorded once, whatever crashes."""
    body: Body
