"""The state of production by its record, and the next step for each problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from setpoint.model.changes.redaction import alarms
from setpoint.model.events import Event
from setpoint.model.events import production as p
from setpoint.model.finding import Severity
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.production import Deployment, Hypothesis, ProductionTerms, Signal
from setpoint.model.stories.story import Status

HOUR = timedelta(hours=1)
_APPLICATIONS = ("sentry", "otlp")
"""Prefixes of the sources of applications, whose key may leak."""
_HARMLESS = frozenset({"a link"})
"""What texts of monitoring hold every day."""


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """A signal, and what became of it."""

    signal: Signal
    seen_at: datetime
    """When Setpoint stored it."""
    ended_at: datetime | None = None
    """When the source said that it is over."""
    hypothesis: Hypothesis | None = None
    """None until it was compared with what was deployed."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """All signals of one fingerprint."""

    fingerprint: str
    signals: tuple[str, ...] = ()
    """Their names, oldest first."""
    stories: tuple[StoryId, ...] = ()
    """Stories that were written about it, the newest last."""
    deferred_until: datetime | None = None
    reason: str = ""
    """The reason of its newest event."""
    dismissed: bool = False
    """A person dismissed it."""
    opened_at: datetime | None = None
    """When its newest story was written."""
    fix: p.FixDeployed | None = None
    """The fix that runs and is watched, or that held."""
    held: bool = False
    """Whether that fix held."""
    failed: tuple[TraceId, ...] = ()
    """Runs whose work was deployed and did not fix it."""


@dataclass(frozen=True, kw_only=True)
class Production:
    """All that is recorded of a project's production."""

    seq: int = 0
    """Place of the newest event that was taken in."""
    deployments: tuple[Deployment, ...] = ()
    """As they were recorded, the newest last."""
    sightings: dict[str, Sighting] = field(default_factory=dict)
    """By the name of the signal, in the order in which they came."""
    problems: dict[str, Problem] = field(default_factory=dict)
    """By fingerprint, in the order in which they were first seen."""
    opened: tuple[datetime, ...] = ()
    """When signals opened stories."""

    def after(self, events: Iterable[Event]) -> Production:
        """Return the state after more events of the record."""
        fold = _Fold(self)
        for event in events:
            fold.take(event)
        return fold.folded()

    def seen_since(self, at: datetime) -> Counter[str]:
        """Count the signals stored since a time, by ingest channel."""
        count: Counter[str] = Counter()
        for each in reversed(self.sightings.values()):
            if each.seen_at < at:
                break
            count[ingest_channel(each.signal)] += 1
        return count

    def lately(self, now: datetime) -> tuple[datetime, ...]:
        """Return when signals opened stories within the hour before, the oldest first."""
        return tuple(sorted(at for at in self.opened if at > now - HOUR))

    def of(self, problem: Problem) -> tuple[Sighting, ...]:
        """Return the signals of a problem, oldest first."""
        return tuple(self.sightings[name] for name in problem.signals)


def ingest_channel(signal: Signal) -> str:
    """Return the ingest channel of a signal: signals of applications count by themselves."""
    kind, apart, _ = signal.source.partition("/")
    return kind if apart and kind in _APPLICATIONS else ""


class _Fold:
    """Folds events; the state it began with stays unchanged."""

    def __init__(self, before: Production) -> None:
        self._seq = before.seq
        self._deployments = list(before.deployments)
        self._sightings = dict(before.sightings)
        self._problems = dict(before.problems)
        self._opened = list(before.opened)

    def folded(self) -> Production:
        return Production(
            seq=self._seq,
            deployments=tuple(self._deployments),
            sightings=self._sightings,
            problems=self._problems,
            opened=tuple(self._opened),
        )

    def take(self, event: Event) -> None:
        self._seq = event.seq
        match event.body:
            case p.Deployed(deployment=deployment):
                self._deployments.append(deployment)
            case p.AnomalyDetected(signal=signal):
                self._seen(signal, event.at)
            case p.AnomalyEnded():
                self._update(event.body.signal, ended_at=event.body.ended_at)
            case p.CauseSuspected():
                self._update(event.body.signal, hypothesis=event.body.hypothesis)
            case p.StoryOpened() as body:
                before = self._problem(body.fingerprint).stories
                stories = (*(each for each in before if each != body.story), body.story)
                self._opened.append(event.at)
                told = {"deferred_until": None, "reason": body.reason, "opened_at": event.at}
                self._change(body.fingerprint, stories=stories, **told)
            case p.StoryDeferred() as body:
                self._change(body.fingerprint, deferred_until=body.until, reason=body.reason)
            case p.ProblemDecided() as body:
                why = f"{body.by}: {body.reason}" if body.reason else body.by
                self._change(body.fingerprint, dismissed=not body.approved, reason=why)
            case p.FixDeployed() | p.FixHeld() | p.ProblemReturned() as body:
                self._watched(body)
            case _:
                pass  # of a run, and not recorded here

    def _watched(self, body: p.FixDeployed | p.FixHeld | p.ProblemReturned) -> None:
        match body:
            case p.FixDeployed():
                self._change(body.fingerprint, fix=body, held=False)
            case p.FixHeld():
                self._change(body.fingerprint, held=True, reason=body.reason)
            case p.ProblemReturned():
                failed = (*self._problem(body.fingerprint).failed, body.run)
                self._change(body.fingerprint, fix=None, held=False, failed=failed, reason=body.reason)

    def _seen(self, signal: Signal, at: datetime) -> None:
        if signal.name in self._sightings:
            return
        self._sightings[signal.name] = Sighting(signal=signal, seen_at=at)
        known = self._problem(signal.fingerprint)
        self._problems[signal.fingerprint] = replace(known, signals=(*known.signals, signal.name))

    def _update(self, name: str, **values: Any) -> None:  # noqa: ANN401 - any field by its name
        if name in self._sightings:
            self._sightings[name] = replace(self._sightings[name], **values)

    def _problem(self, fingerprint: str) -> Problem:
        return self._problems.get(fingerprint) or Problem(fingerprint=fingerprint)

    def _change(self, fingerprint: str, **values: Any) -> None:  # noqa: ANN401 - any field by its name
        self._problems[fingerprint] = replace(self._problem(fingerprint), **values)


class Move(StrEnum):
    """What is done about a problem."""

    OPEN = "open"
    """A story is written."""
    DEFER = "defer"
    """No story for now."""
    LEAVE = "leave"
    """Nothing is to be done."""


class Step(NamedTuple):
    """What is done about a problem next, and why."""

    move: Move
    reason: str
    sighting: Sighting | None = None
    """The signal that it is about."""
    approved: bool = False
    """Whether the story may be worked on without a person's approval."""
    until: datetime | None = None


def next_step(
    production: Production,
    problem: Problem,
    terms: ProductionTerms,
    now: datetime,
    status: Status | None,
    *,
    closed: datetime | None = None,
) -> Step:
    """Return the next step for a problem; `status` is that of its newest story, none where its file is gone.

    `closed` is when a person closed that story by hand. A later signal opens it again.
    """
    live = [each for each in production.of(problem) if each.ended_at is None]
    if problem.dismissed:
        return Step(Move.LEAVE, "a person dismissed it")
    if problem.stories:
        live = [each for each in live if closed is not None and each.signal.occurred_at > closed]
        if not live:
            told = "its file is gone" if status is None else f"it is {status}"
            return Step(Move.LEAVE, f"its story is {problem.stories[-1]}: {told}")
    if not live:
        return Step(Move.LEAVE, "it was over before a story was written")
    worst = max(live, key=lambda each: (each.signal.severity.rank, each.seen_at))
    severity = worst.signal.severity
    if severity.rank < terms.stories_from.rank:
        return Step(Move.LEAVE, f"{severity} is below {terms.stories_from} (production.stories_from)")
    recent = production.lately(now)
    if len(recent) >= terms.stories_per_hour:
        until = recent[-terms.stories_per_hour] + HOUR if terms.stories_per_hour else now + HOUR
        reason = f"{len(recent)} stories were opened within an hour (production.stories_per_hour)"
        return Step(Move.DEFER, reason, worst, until=until)
    approved, reason = permission(worst.signal, terms)
    return Step(Move.OPEN, reason, worst, approved=approved)


def permission(signal: Signal, terms: ProductionTerms) -> tuple[bool, str]:
    """Return whether the story of a signal may be worked on without a person's approval, and why."""
    if signal.severity not in terms.auto:
        return False, f"{signal.severity} waits for a person (production.auto)"
    found = {each for text in _texts(signal) for each in alarms(text)} - _HARMLESS
    if found:
        return False, f"its text holds {', '.join(sorted(found))}, so a person has to look"
    return True, f"{signal.severity} needs no leave (production.auto)"


def _texts(signal: Signal) -> tuple[str, ...]:
    return (signal.title, signal.body, *(each.shown for each in signal.frames))


def priority(severity: Severity) -> int:
    """Return the priority of a story about a signal; 100 is that of a story that names none."""
    return {Severity.INFO: 90, Severity.WARNING: 120, Severity.ERROR: 200, Severity.CRITICAL: 300}[severity]
