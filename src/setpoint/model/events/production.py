"""What happens in production and about it, recorded under the trace `production` of a project."""

from __future__ import annotations

from typing import Literal

from setpoint.model.ids import StoryId, TraceId
from setpoint.model.production import Deployment, Hypothesis, Signal
from setpoint.model.value import Instant, Text, Value

TRACE = TraceId("production")
"""Names the record of a project's production; it is no run."""


class Deployed(Value):
    """A commit began to run in an environment."""

    kind: Literal["production.deployed"] = "production.deployed"
    deployment: Deployment


class AnomalyDetected(Value):
    """Monitoring saw something; stored before anything is made of it."""

    kind: Literal["production.anomaly_detected"] = "production.anomaly_detected"
    signal: Signal


class AnomalyEnded(Value):
    """Monitoring says that what it saw is over."""

    kind: Literal["production.anomaly_ended"] = "production.anomaly_ended"
    signal: str
    """The signal's name."""
    ended_at: Instant


class CauseSuspected(Value):
    """A signal was compared with what was deployed; the newest word on a signal counts."""

    kind: Literal["production.cause_suspected"] = "production.cause_suspected"
    signal: str
    hypothesis: Hypothesis


class StoryOpened(Value):
    """A story was written about a problem in production."""

    kind: Literal["production.story_opened"] = "production.story_opened"
    fingerprint: str
    """The problem's."""
    story: StoryId
    signal: str
    """The signal it was written about."""
    approved: bool
    """Whether it may be worked on at once; otherwise a person has to say so."""
    reason: Text


class StoryDeferred(Value):
    """No story was written for now."""

    kind: Literal["production.story_deferred"] = "production.story_deferred"
    fingerprint: str
    signal: str
    until: Instant
    """When it is looked at again."""
    reason: Text


class ProblemDecided(Value):
    """A person said whether a problem in production is to be worked on."""

    kind: Literal["production.problem_decided"] = "production.problem_decided"
    fingerprint: str
    story: StoryId | None = None
    """Its story, where there was one."""
    approved: bool
    """False: it is none, and no more stories are written about it."""
    by: Text
    reason: Text = ""


class FixDeployed(Value):
    """What a story's run delivered began to run where the problem was; it is watched from now on."""

    kind: Literal["production.fix_deployed"] = "production.fix_deployed"
    fingerprint: str
    story: StoryId
    run: TraceId
    """The run whose work was deployed."""
    deployment: Deployment


class FixHeld(Value):
    """A problem stayed away for as long as it was watched."""

    kind: Literal["production.fix_held"] = "production.fix_held"
    fingerprint: str
    story: StoryId
    run: TraceId
    reason: Text


class ProblemReturned(Value):
    """A problem is there though its fix runs; its story is open again."""

    kind: Literal["production.problem_returned"] = "production.problem_returned"
    fingerprint: str
    story: StoryId
    run: TraceId
    """The run whose work did not mend it."""
    signal: str
    """The signal that shows it."""
    approved: bool
    """Whether the story may be worked on at once."""
    reason: Text


AboutProduction = (
    Deployed
    | AnomalyDetected
    | AnomalyEnded
    | CauseSuspected
    | StoryOpened
    | StoryDeferred
    | ProblemDecided
    | FixDeployed
    | FixHeld
    | ProblemReturned
)
"""What the record of a project's production is made of."""
