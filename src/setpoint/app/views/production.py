"""How production is shown: the same for the page, the API and the verbs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum

from setpoint.app.production.signals import ProductionRecord, StoryBoard, find_problem
from setpoint.errors import UsageError
from setpoint.model.config.production import ProductionTerms
from setpoint.model.finding import Severity
from setpoint.model.ids import StoryId
from setpoint.model.production import Deployment, Hypothesis, Signal
from setpoint.model.stories.story import Status
from setpoint.model.value import Instant, Text, Value
from setpoint.production.policy.fix_watch import until
from setpoint.production.policy.incidents import Move, Problem, Production, Step, next_step

MOST_DEPLOYMENTS = 50
MOST_NAMED = 100


class Stage(StrEnum):
    """How far a problem has come."""

    NEW = "new"
    """Stored, and not worked on yet."""
    WAITS = "waits"
    """Its story waits for approval."""
    STORY = "story"
    """Its story may be worked on, or is."""
    DONE = "done"
    """Its story is done."""
    WATCHED = "watched"
    """Its fix is deployed, and the problem has to stay away for a while."""
    HELD = "held"
    """Its fix is deployed, and the problem stayed away."""
    DEFERRED = "deferred"
    """No story for now: too many within an hour."""
    DISMISSED = "dismissed"
    """A person said that it is none."""
    NOTED = "noted"
    """No story: not bad enough, over before one was written, or the story's file is gone."""


class SignalView(Value):
    """A signal with what became of it."""

    name: str
    signal: Signal
    seen_at: Instant
    ended_at: Instant | None = None
    hypothesis: Hypothesis | None = None
    """None until it was compared with what was deployed."""


class ProblemView(Value):
    """All signals of one problem, and what is done about it."""

    fingerprint: str
    title: Text
    severity: Severity
    """Of the worst of its signals."""
    times: int
    """How many signals there were."""
    first_at: Instant
    last_at: Instant
    over: bool
    """Its sources say that all of it is over."""
    newest: SignalView
    signals: tuple[str, ...]
    """Names of its newest signals, oldest first, at most 100."""
    stage: Stage
    reason: Text
    """The reason for the stage."""
    story: StoryId | None = None
    story_status: Status | None = None
    """Column of the story on the board."""
    decidable: bool
    """Whether a person may approve or dismiss it."""


class ProductionView(Value):
    """What runs, and what is wrong with it."""

    deployments: tuple[Deployment, ...]
    """The newest first, at most 50."""
    problems: tuple[ProblemView, ...]
    """The one seen last first."""


def production_view(book: ProductionRecord, most: int = 200) -> ProductionView:
    """Return the state of production; the oldest problems beyond `most` are left out."""
    production, board = book.now(), StoryBoard(book.project)
    listed = sorted(production.problems.values(), key=lambda each: _last(production, each), reverse=True)[
        :most
    ]
    shown = tuple(_problem(production, each, book.project.settings.production, board) for each in listed)
    newest = sorted(production.deployments, key=lambda each: each.at, reverse=True)[:MOST_DEPLOYMENTS]
    return ProductionView(deployments=tuple(newest), problems=shown)


def production_mark(book: ProductionRecord) -> str:
    """Name the state of what is shown: of the record, of the stories it names, and of the last hour."""
    production, board = book.now(), StoryBoard(book.project)
    stories = [each.stories[-1] for each in production.problems.values() if each.stories]
    lately = len(production.lately(datetime.now(UTC)))
    return " ".join(
        (str(production.seq), str(lately), *(f"{story}:{board.status(story)}" for story in stories))
    )


def problem_view(book: ProductionRecord, which: str) -> ProblemView:
    """Return a problem by fingerprint, signal or story."""
    production = book.now()
    problem = find_problem(production, which)
    return _problem(production, problem, book.project.settings.production, StoryBoard(book.project))


def signal_views(book: ProductionRecord) -> Iterator[SignalView]:
    """Return all signals, the newest first."""
    production = book.now()
    return (_signal(production, name) for name in reversed(production.sightings))


def signal_view(book: ProductionRecord, which: str) -> SignalView:
    """Return signal by its name or the name's beginning; `UsageError` where there is none or are several."""
    production = book.now()
    found = [name for name in production.sightings if name == which or name.startswith(which)]
    if len(found) != 1:
        what = "several signals begin" if found else "no signal begins"
        raise UsageError(f"{what} with '{which}'", hint="`setpoint ci signal list` shows them all")
    return _signal(production, found[0])


def _last(production: Production, problem: Problem) -> datetime:
    return production.sightings[problem.signals[-1]].seen_at


def _signal(production: Production, name: str) -> SignalView:
    seen = production.sightings[name]
    return SignalView(
        name=name,
        signal=seen.signal,
        seen_at=seen.seen_at,
        ended_at=seen.ended_at,
        hypothesis=seen.hypothesis,
    )


def _problem(
    production: Production, problem: Problem, terms: ProductionTerms, board: StoryBoard
) -> ProblemView:
    seen = production.of(problem)
    worst = max(seen, key=lambda each: (each.signal.severity.rank, each.seen_at))
    story = problem.stories[-1] if problem.stories else None
    status = board.status(story) if story is not None else None
    stage, reason = _stage(production, problem, terms, status)
    return ProblemView(
        fingerprint=problem.fingerprint,
        title=worst.signal.title,
        severity=worst.signal.severity,
        times=len(seen),
        first_at=min(each.signal.occurred_at for each in seen),
        last_at=max(each.signal.occurred_at for each in seen),
        over=all(each.ended_at is not None for each in seen),
        newest=_signal(production, problem.signals[-1]),
        signals=problem.signals[-MOST_NAMED:],
        stage=stage,
        reason=reason,
        story=story,
        story_status=status,
        decidable=stage not in (Stage.STORY, Stage.DONE, Stage.WATCHED, Stage.HELD),
    )


def _stage(
    production: Production, problem: Problem, terms: ProductionTerms, status: Status | None
) -> tuple[Stage, str]:
    step = next_step(production, problem, terms, datetime.now(UTC), status)
    if problem.dismissed:
        return Stage.DISMISSED, problem.reason
    if problem.stories:
        return _of_story(problem, terms, status, step)
    stages = {Move.DEFER: Stage.DEFERRED, Move.OPEN: Stage.NEW, Move.LEAVE: Stage.NOTED}
    return stages[step.move], "it is looked at next" if step.move is Move.OPEN else step.reason


def _of_story(
    problem: Problem, terms: ProductionTerms, status: Status | None, step: Step
) -> tuple[Stage, str]:
    if problem.fix is not None and status is Status.DONE:
        runs = problem.fix.deployment
        ends = f"watched until {until(problem.fix, terms):%Y-%m-%d %H:%M}Z"
        told = f"its fix runs in {runs.environment} with {runs.shown}; {ends}"
        return (Stage.HELD, problem.reason) if problem.held else (Stage.WATCHED, told)
    stages = {Status.BACKLOG: Stage.WAITS, Status.DONE: Stage.DONE, None: Stage.NOTED}
    return stages.get(status, Stage.STORY), step.reason if status is None else problem.reason
