"""Production of a project: what was deployed, what monitoring saw, and what people say about it."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from setpoint.app.people.gates import current_person
from setpoint.app.runs.board import list_cards, set_keys, story_folder, story_path
from setpoint.errors import UsageError
from setpoint.history.queries import newest_by_story
from setpoint.model.ending import is_usable
from setpoint.model.events import Body
from setpoint.model.events.production import TRACE, AnomalyDetected, AnomalyEnded, Deployed, ProblemDecided
from setpoint.model.ids import StoryId, TraceId, sortable
from setpoint.model.production import Deployment, Signal, digest
from setpoint.model.stories.story import Status, Story
from setpoint.plugins import PluginError, attempt, load_signals
from setpoint.production.inbox import alertmanager, cloudevents, otlp_errors, sentry
from setpoint.production.inbox.common_fields import Ended, text, word
from setpoint.production.loop import LoopPorts, open_story, refreshed, work_through
from setpoint.production.policy.incidents import HOUR, Problem, Production, ingest_channel
from setpoint.stories.story_file import place_story
from setpoint.system.files.locks import locked_file
from setpoint.system.git.git import commit_of
from setpoint.wiring.project import Project
from setpoint.wiring.run_ports import SystemClock
from setpoint.workspace.lineage import GitLineage

MOST_REASON = 2000
MOST_ERROR = 300
_FIRST_YEAR = 2000
"""Nothing that Setpoint works on was deployed before."""
_LATE = timedelta(minutes=5)
"""How far the clock of others may be ahead of this machine's."""


class Ingested(NamedTuple):
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
        """Return the column of a story; None if the story does not exist."""
        if self._read is None:
            self._read = {card.id: card.status for card in list_cards(self._project)}
        return self._read.get(story)

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""
        status = Status.READY if ready else Status.BACKLOG
        place_story(story_folder(self._project).folder, story, status=str(status))
        self._read = None
        return story.id

    def fixed_by(self, story: StoryId) -> TraceId | None:
        """Return the newest run of a story, where it ended with work that was verified or accepted."""
        owner = self._project.locks.owner
        run = newest_by_story(self._project.store, owner, (story,)).get(story)
        good = run is not None and is_usable(run.ending, run.branch)
        return run.trace_id if run is not None and good else None

    def changed_at(self, story: StoryId) -> datetime | None:
        """Say when the file of a story was last written to; none where there is no such story."""
        if self.status(story) is None:
            return None
        return datetime.fromtimestamp(story_path(self._project, story).stat().st_mtime, UTC)

    def reopen(self, story: StoryId, more: str, *, ready: bool) -> None:
        """Open a story again, with more words at its end; words that are already there are not repeated."""
        project = self._project
        status = Status.READY if ready else Status.BACKLOG
        story_folder(project).append(story_path(project, story), more)
        set_keys(project, story, (f"status={status}",))
        self._read = None


class ProductionRecord:
    """The record of a project's production, read once and then kept up to date; for several threads."""

    def __init__(self, project: Project) -> None:
        """Read nothing yet."""
        self.project = project
        self._known = Production()
        self._lock = threading.Lock()

    def now(self) -> Production:
        """Return the current state of production."""
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
        ports = LoopPorts(
            log=project.log,
            lineage=GitLineage(project.root),
            board=StoryBoard(project),
            clock=SystemClock(),
            terms=project.settings.production,
        )
        with locked_file(project.state / "locks" / "production.lock"):
            asyncio.run(work_through(ports, self.now()))
        return self.now()


def ingest_alerts(book: ProductionRecord, body: bytes) -> Ingested:
    """Store alerts of Alertmanager; raise `UsageError` for another message."""
    told = alertmanager.read(body, book.project.settings.production.volatile_labels)
    return ingest(book, told.signals, told.ended)._replace(left_out=told.left_out)


def ingest_events(book: ProductionRecord, body: bytes) -> Ingested:
    """Store CloudEvents as signals; raise `UsageError` for another message."""
    return ingest(book, cloudevents.read(body))


def ingest_payload(book: ProductionRecord, name: str, body: bytes) -> Ingested:
    """Store the signals of a message that a plug-in reads; `UsageError` where it cannot read it."""
    loaded = load_signals(book.project.settings.plugins)
    if (read := loaded.usable.get(name)) is None:
        reason = next((str(each) for each in loaded.failures if each.name == name), "")
        raise UsageError(
            reason or f"no enabled plug-in reads signals of '{word(name)}'",
            hint="see `setpoint admin plugins`",
        )
    made = attempt(lambda: tuple[object, ...](read(body)))
    if isinstance(made, PluginError):
        message = f"plug-in '{name}' cannot read the message: {text(made.shown, MOST_ERROR)}"
        raise UsageError(message, hint="send what it reads, or update its package") from made.error
    signals = tuple(each for each in made if isinstance(each, Signal))
    if len(signals) < len(made):
        wrong = next(type(each).__name__ for each in made if not isinstance(each, Signal))
        raise UsageError(f"plug-in '{name}' read a {wrong}, not a signal", hint="update its package")
    return ingest(book, signals)


def ingest_envelope(book: ProductionRecord, body: bytes, project: str, packing: str) -> tuple[str, Ingested]:
    """Store the errors in an envelope of Sentry's; gives its id too. `UsageError` where it is none."""
    told = sentry.read(body, project, packing)
    return told.id, ingest(book, told.signals)._replace(left_out=told.left_out)


def ingest_spans(book: ProductionRecord, body: bytes, media: str) -> Ingested:
    """Store the errors among spans; `UsageError` where the message is none."""
    told = otlp_errors.read(body, media)
    return ingest(book, told.signals)._replace(left_out=told.left_out)


def ingest(book: ProductionRecord, signals: tuple[Signal, ...], ended: tuple[Ended, ...] = ()) -> Ingested:
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
        if seen[ingest_channel(signal)] >= most:
            refused += 1
        elif book.note(f"signal:{signal.name}", AnomalyDetected(signal=signal)):
            new.append(signal.name)
            seen[ingest_channel(signal)] += 1
    over = 0
    for each in ended:
        sighting = known.sightings.get(each.signal)
        if sighting is not None and sighting.ended_at is None:
            over += book.note(f"ended:{each.signal}", AnomalyEnded(signal=each.signal, ended_at=each.at))
    return Ingested(tuple(new), len(signals) - len(new) - refused, over, refused)


def record_deployment(
    book: ProductionRecord,
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
        raise UsageError(message, hint="fetch it first, or give its full id")
    if at is not None and not (at.year > _FIRST_YEAR and at <= now + _LATE):
        message = f"{at.isoformat()} is to come, or long past"
        raise UsageError(message, hint="add the time of the deployment")
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
    """Return the problem with this fingerprint, signal or story, or the beginning of one of them."""
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
    raise UsageError(message, hint="`setpoint ci signal list` shows them all")


def decide_problem(book: ProductionRecord, which: str, *, approved: bool, reason: str = "") -> StoryId | None:
    """Take a person's word on a problem: its story may be worked on, or it is none; gives the story.

    A problem without a story gets one where it is approved, whatever the budget says.
    """
    project = book.project
    by = current_person(project)
    with locked_file(project.state / "locks" / "production.lock"):
        production = book.now()
        problem = find_problem(production, which)
        board = StoryBoard(project)
        story = problem.stories[-1] if problem.stories else None
        status = board.status(story) if story is not None else None
        if approved and (story is None or status is None):
            newest = production.of(problem)[-1]
            ports = LoopPorts(
                project.log, GitLineage(project.root), board, SystemClock(), project.settings.production
            )
            story = open_story(ports, problem, newest, approved=True, reason=f"{by} wants it")
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
