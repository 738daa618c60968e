"""Production of a project: what was deployed, what monitoring saw, and what people say about it."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from setpoint.domain.events import Body
from setpoint.domain.ids import StoryId, TraceId, sortable
from setpoint.domain.production import Deployment, Signal, digest
from setpoint.domain.production_events import TRACE, AnomalyDetected, AnomalyEnded, Deployed, ProblemDecided
from setpoint.domain.run import Ending
from setpoint.domain.story import Status, Story
from setpoint.errors import UsageError
from setpoint.events.queries import newest_by_story
from setpoint.integrations import alertmanager, cloudevents, otlp_errors, sentry
from setpoint.integrations.telling import Ended, text, word
from setpoint.loops.production import Outlook, open_story, refreshed, work_off
from setpoint.policies.production import HOUR, Problem, Production, door
from setpoint.processes.git import commit_of
from setpoint.store.locks import RunLocks, locked_file
from setpoint.store.stories import place_story
from setpoint.wiring.people.gates import person
from setpoint.wiring.project import Project
from setpoint.wiring.runs.board import cards, file_of, set_keys, shelf
from setpoint.wiring.world import SystemClock
from setpoint.workspace.lineage import GitLineage

MOST_REASON = 2000
_FIRST_YEAR = 2000
"""Nothing that Setpoint works on was deployed before."""
_LATE = timedelta(minutes=5)
"""How far the clock of others may be ahead of this machine's."""


class Taken(NamedTuple):
    """What became of a message."""

    new: tuple[str, ...] = ()
    """Names of signals that were stored."""
    known: int = 0
    """Signals that were stored before."""
    ended: int = 0
    """Signals that are over."""
    refused: int = 0
    """Signals beyond `production.signals_per_hour`; the sender may try again later."""
    left_out: int = 0
    """Signals that the sender itself left out."""


class StoryBoard:
    """The stories of a project, as the production loop sees them; reads the board once."""

    def __init__(self, project: Project) -> None:
        """Use the board of a project."""
        self._project = project
        self._read: dict[StoryId, Status] | None = None

    def status(self, story: StoryId) -> Status | None:
        """Give the column that a story stands in; none where there is no such story."""
        if self._read is None:
            self._read = {card.id: card.status for card in cards(self._project)}
        return self._read.get(story)

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""
        status = Status.READY if ready else Status.BACKLOG
        place_story(shelf(self._project).folder, story, status=str(status))
        self._read = None
        return story.id

    def mended_by(self, story: StoryId) -> TraceId | None:
        """Give the newest run of a story, where it ended with work that was verified or accepted."""
        owner = RunLocks(self._project.state).owner
        run = newest_by_story(self._project.store, owner, (story,)).get(story)
        good = run is not None and run.ending in (Ending.VERIFIED, Ending.ACCEPTED)
        return run.trace_id if run is not None and good else None

    def changed_at(self, story: StoryId) -> datetime | None:
        """Say when the file of a story was last written to; none where there is no such story."""
        if self.status(story) is None:
            return None
        return datetime.fromtimestamp(file_of(self._project, story).stat().st_mtime, UTC)

    def reopen(self, story: StoryId, more: str, *, ready: bool) -> None:
        """Open a story again, with more words at its end; where they stand there already, they stay once."""
        project = self._project
        status = Status.READY if ready else Status.BACKLOG
        shelf(project).append(file_of(project, story), more)
        set_keys(project, story, (f"status={status}",))
        self._read = None


class SignalBook:
    """The record of a project's production, read once and then kept up to date; for several threads."""

    def __init__(self, project: Project) -> None:
        """Read nothing yet."""
        self.project = project
        self._known = Production()
        self._lock = threading.Lock()

    def now(self) -> Production:
        """Give how production stands."""
        with self._lock:
            self._known = refreshed(self.project.log, self._known)
            return self._known

    def note(self, key: str, body: Body) -> bool:
        """Record a fact; gives whether it is new."""
        # Of two that record the same at once, one may say that it is new.
        with locked_file(self.project.state / "locks" / "signals.lock"):
            before = self.now().seq
            (event,) = self.project.log.append(TRACE, key, (body,))
        return event.seq > before

    def work(self) -> Production:
        """Make of all signals what is to be made of them now; processes take turns."""
        project = self.project
        outlook = Outlook(
            log=project.log,
            lineage=GitLineage(project.root),
            board=StoryBoard(project),
            clock=SystemClock(),
            terms=project.settings.production,
        )
        with locked_file(project.state / "locks" / "production.lock"):
            asyncio.run(work_off(outlook, self.now()))
        return self.now()


def take_alerts(book: SignalBook, body: bytes) -> Taken:
    """Store what Alertmanager says; `UsageError` where it is no message of it."""
    told = alertmanager.read(body, book.project.settings.production.volatile_labels)
    return take(book, told.signals, told.ended)._replace(left_out=told.left_out)


def take_events(book: SignalBook, body: bytes) -> Taken:
    """Store signals that are told as CloudEvents; `UsageError` where they are none."""
    return take(book, cloudevents.read(body))


def take_envelope(book: SignalBook, body: bytes, project: str, packing: str) -> tuple[str, Taken]:
    """Store the errors in an envelope of Sentry's; gives its id too. `UsageError` where it is none."""
    told = sentry.read(body, project, packing)
    return told.id, take(book, told.signals)._replace(left_out=told.left_out)


def take_spans(book: SignalBook, body: bytes, media: str) -> Taken:
    """Store the errors among spans; `UsageError` where the message is none."""
    told = otlp_errors.read(body, media)
    return take(book, told.signals)._replace(left_out=told.left_out)


def take(book: SignalBook, signals: tuple[Signal, ...], ended: tuple[Ended, ...] = ()) -> Taken:
    """Store signals, each once however often it comes; nothing is made of them here."""
    known, now = book.now(), datetime.now(UTC)
    most, seen = book.project.settings.production.signals_per_hour, known.seen_since(now - HOUR)
    new: list[str] = []
    refused = 0
    for told in signals:
        # What a sender's clock puts into the future happens now.
        late = told.occurred_at > now + _LATE
        signal = told.model_copy(update={"occurred_at": now}) if late else told
        if signal.name in known.sightings or signal.name in new:
            continue
        if seen[door(signal)] >= most:
            refused += 1
        elif book.note(f"signal:{signal.name}", AnomalyDetected(signal=signal)):
            new.append(signal.name)
            seen[door(signal)] += 1
    over = 0
    for each in ended:
        sighting = known.sightings.get(each.signal)
        if sighting is not None and sighting.ended_at is None:
            over += book.note(f"ended:{each.signal}", AnomalyEnded(signal=each.signal, ended_at=each.at))
    return Taken(tuple(new), len(signals) - len(new) - refused, over, refused)


def record_deployment(
    book: SignalBook,
    commit: str,
    *,
    environment: str = "",
    release: str = "",
    at: datetime | None = None,
    id_: str = "",
) -> tuple[Deployment, bool]:
    """Record that a commit runs; gives the deployment and whether it is new.

    The same id in an environment is recorded once; without an id, what runs already is not recorded again.
    Raises `UsageError` for a commit that the repository does not hold, and for a time that is to come.
    """
    project, now = book.project, datetime.now(UTC)
    full = asyncio.run(commit_of(project.root, commit))
    if full is None:
        message = f"'{word(commit)}' names no commit in {project.root}"
        raise UsageError(message, mend="fetch it first, or give its full id")
    if at is not None and not (at.year > _FIRST_YEAR and at <= now + _LATE):
        message = f"{at.isoformat()} is to come, or long past"
        raise UsageError(message, mend="give the time at which it began to run")
    made = Deployment(
        environment=word(environment) or project.settings.production.environment,
        commit=full,
        release=word(release),
        at=(at or now).astimezone(UTC),
        id=word(id_),
    )
    there = [each for each in book.now().deployments if each.environment == made.environment]
    if made.id and (known := next((each for each in there if each.id == made.id), None)):
        return known, False
    if not made.id and there and (there[-1].commit, there[-1].release) == (made.commit, made.release):
        return there[-1], False
    key = f"deployment:{digest(made.environment, made.id or sortable('dep', now))}"
    return made, book.note(key, Deployed(deployment=made))


def find_problem(production: Production, which: str) -> Problem:
    """Give the problem with this fingerprint, signal or story, or the beginning of one of them."""
    if which:
        for problem in production.problems.values():
            if which in (problem.fingerprint, *problem.signals, *problem.stories):
                return problem
        begun = [
            each
            for each in production.problems.values()
            if any(name.startswith(which) for name in (each.fingerprint, *each.signals, *each.stories))
        ]
        if len(begun) == 1:
            return begun[0]
    message = f"no signal, problem or story of production is called '{word(which)}'"
    raise UsageError(message, mend="`setpoint signal list` shows them all")


def decide(book: SignalBook, which: str, *, approved: bool, reason: str = "") -> StoryId | None:
    """Take a person's word on a problem: its story may be worked on, or it is none; gives the story.

    A problem without a story gets one where it is approved, whatever the budget says.
    """
    project = book.project
    by = person(project)
    with locked_file(project.state / "locks" / "production.lock"):
        production = book.now()
        problem = find_problem(production, which)
        board = StoryBoard(project)
        story = problem.stories[-1] if problem.stories else None
        status = board.status(story) if story is not None else None
        if approved and (story is None or status is None):
            newest = production.of(problem)[-1]
            outlook = Outlook(
                project.log, GitLineage(project.root), board, SystemClock(), project.settings.production
            )
            story = open_story(outlook, problem, newest, approved=True, reason=f"{by} wants it")
        elif story is not None and status is not None:
            _put(project, story, status, approved=approved)
        decided = ProblemDecided(
            fingerprint=problem.fingerprint,
            story=story,
            approved=approved,
            by=text(by, 100),
            reason=text(reason, MOST_REASON),
        )
        book.note(f"decided:{problem.fingerprint}:{sortable('dec', datetime.now(UTC))}", decided)
    return story


def _put(project: Project, story: StoryId, status: Status, *, approved: bool) -> None:
    """Move a story that no run is at; who approves of one that is done wants it worked on again."""
    if approved and status in (Status.BACKLOG, Status.DONE):
        set_keys(project, story, ("status=ready",))
    elif not approved and status in (Status.BACKLOG, Status.READY, Status.BLOCKED):
        set_keys(project, story, ("status=done",))
