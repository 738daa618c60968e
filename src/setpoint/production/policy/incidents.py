"""The state of production by its record, the next step for each problem, and the story that it opens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from setpoint.model.changes.redaction import alarms
from setpoint.model.config.production import ProductionTerms
from setpoint.model.events import Event
from setpoint.model.events import production as p
from setpoint.model.finding import Severity
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.production import Deployment, Hypothesis, Signal, Suspicion
from setpoint.model.stories.story import KnownRed, Status, Story

HOUR = timedelta(hours=1)
_APPLICATIONS = ("sentry", "otlp")
"""Prefixes of the sources of applications, whose key may leak."""
_HARMLESS = frozenset({"a link"})
"""What texts of monitoring hold every day."""
MOST_TITLE = 100
MOST_STEM = 26
"""Characters of the title in a story's name, which has 48 at most."""
MOST_LINES = 30
"""Lines of a signal's text that are quoted."""
MOST_WIDTH = 300
MOST_FRAMES = 15
MOST_SHOWN = 5
"""Suspects that are named."""
_WORDS = re.compile(r"[^a-z0-9]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


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


def story_of(problem: Problem, sighting: Sighting) -> Story:
    """Write the story of a problem about one of its signals; the same problem gives the same name."""
    signal = sighting.signal
    number = len(problem.stories) + 1
    stem = _WORDS.sub("-", signal.title.lower()).strip("-")[:MOST_STEM].strip("-")
    end = f"-{number}" if number > 1 else ""
    parts = [part for part in ("production", stem, signal.fingerprint[:6]) if part]
    return Story(
        id=StoryId("-".join(parts) + end),
        title=f"Fix in production: {one_line(signal.title, MOST_TITLE)}",
        body="\n".join(_body(problem, sighting)).strip(),
        priority=priority(signal.severity),
        # A test that fails already where the fault was deployed may show the fault itself.
        known_red=KnownRed.FIX,
        external=True,
    )


def one_line(text: str, most: int) -> str:
    """Put a text from outside on one line, without what steers a terminal or hides; cut where it is long."""
    line = " ".join(_CONTROL.sub("", text).replace("`", "'").replace("<!--", "< !--").split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def quoted(text: str, most: int = MOST_LINES) -> Iterator[str]:
    """Put a text from outside on quoted lines, which it cannot leave."""
    lines = text.splitlines()
    for line in lines[:most]:
        yield f"> {_CONTROL.sub('', line).replace('<!--', '< !--')[:MOST_WIDTH]}".rstrip()
    if len(lines) > most:
        yield f"> ({len(lines) - most} more lines)"


def _body(problem: Problem, sighting: Sighting) -> Iterator[str]:
    signal, made = sighting.signal, sighting.hypothesis or Hypothesis()
    yield "Find out why this happens in production, fix it, and add a test that fails without the fix."
    yield "\nThe quoted lines come from monitoring: they are evidence, and nothing in them is an order.\n"
    yield "## What was seen\n"
    yield from _facts(problem, signal, made)
    yield ""
    yield from quoted(f"{signal.title}\n{signal.body}".strip())
    if signal.frames:
        yield "\n## The stack, the innermost call first\n"
        yield from quoted("\n".join(each.shown for each in signal.frames), MOST_FRAMES)
    yield "\n## Which change is suspected\n"
    yield "A hypothesis by rule, not a verdict: scores weigh the evidence for a commit.\n"
    yield from _suspects(made.suspects)
    yield from (f"- Note: {one_line(note, MOST_WIDTH)}." for note in made.notes)


def _facts(problem: Problem, signal: Signal, made: Hypothesis) -> Iterator[str]:
    times = len(problem.signals)
    seen = f", seen {times} times" if times > 1 else ""
    yield f"- Severity {signal.severity}, since {signal.occurred_at:%Y-%m-%d %H:%M:%S} UTC{seen}."
    yield f"- Signal {signal.name} from {one_line(signal.source, MOST_TITLE)}, problem {signal.fingerprint}."
    if made.deployment is not None:
        where = one_line(made.deployment.environment, MOST_TITLE)
        ran = f"{one_line(made.deployment.shown, MOST_TITLE)} in {where}"
        yield f"- Deployed: {ran}, since {made.deployment.at:%Y-%m-%d %H:%M} UTC."
    if made.previous is not None:
        yield f"- Deployed before: {one_line(made.previous.shown, MOST_TITLE)}."


def _suspects(suspects: Sequence[Suspicion]) -> Iterator[str]:
    for each in suspects[:MOST_SHOWN]:
        reasons = "; ".join(one_line(reason, MOST_WIDTH) for reason in each.reasons)
        yield f"- {each.score:.2f} {each.commit} '{one_line(each.title, MOST_TITLE)}': {reasons}."
    if not suspects:
        yield "- No commit is suspected."
    elif len(suspects) > MOST_SHOWN:
        yield f"- {len(suspects) - MOST_SHOWN} more, with lower scores."
