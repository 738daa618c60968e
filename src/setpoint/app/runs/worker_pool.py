"""Work through the board by priority: one process per run, several in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from setpoint.app.landing.turns import LandingTurns
from setpoint.app.runs.board import find_card, list_cards, runs_of_story
from setpoint.app.runs.child_command import verb_command
from setpoint.app.runs.shift_record import ShiftRecord
from setpoint.app.runs.story_paths import story_files
from setpoint.errors import ExitCode, RecordedDataError, RunInUse, UsageError
from setpoint.model.config.limits import BoardLimits
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import ActionKind, Card, NextAction, PhaseProgress
from setpoint.model.stories.story import StoryRecord
from setpoint.model.value import Usd, Value
from setpoint.model.wording import counted
from setpoint.ports import Clock
from setpoint.stories.policy.assessor import column
from setpoint.stories.policy.shift import ShiftSoFar, choose, shift_at, why_idle
from setpoint.system.processes import run
from setpoint.wiring.forge import secret_variables
from setpoint.wiring.project import Project
from setpoint.wiring.run_ports import SystemClock

MOST_BROKEN = 2
"""Stories running in which the agent broke, after which it is not tried on the others."""
LOOK_S = 5.0
"""Seconds between two looks of a standing worker at the board."""
_WORST_FIRST = (
    ExitCode.INTERRUPTED,
    ExitCode.FAULT,
    ExitCode.USAGE,
    ExitCode.NO_AGENT,
    ExitCode.STOPPED,
    ExitCode.UNPROVABLE,
    ExitCode.UNPROVEN,
    ExitCode.WAITING,
    ExitCode.CANCELLED,
    ExitCode.OK,
)
_ENDED = frozenset(ExitCode) - {ExitCode.FAULT, ExitCode.INTERRUPTED}
"""Exit codes by which a run says why it ended."""
MOST_TRIES = 8
"""How often a story is taken up in a shift whose processes are killed or break."""
_FOR_PEOPLE = (ExitCode.WAITING, ExitCode.STOPPED, ExitCode.UNPROVEN, ExitCode.UNPROVABLE)
"""Exit codes of stories that a person has to look at."""
Say = Callable[[StoryId, str], None]
"""Shows a line that the run of a story wrote, or that is about none."""


class StoryOutcome(Value):
    """What came of one story."""

    story: StoryId
    did: str
    """The action it was taken up with."""
    run: TraceId | None = None
    exit_code: int
    """As `setpoint run` gives it; 4 where its process could not tell."""
    status: str
    """Its column on the board afterwards."""
    reason: str = ""
    """Why it is not done."""
    branch: str = ""
    cost_usd: Usd = Decimal(0)
    """What its agents told; what they did not tell is not in it."""


class BoardOutcome(Value):
    """The outcome of working through the board."""

    worked: tuple[StoryOutcome, ...] = ()
    """Stories in the order in which they were finished."""
    left: tuple[Card, ...] = ()
    """Stories that are not done."""
    stopped: str = ""
    """Why no more stories were taken up; empty where nothing was left that needs no person."""

    @property
    def exit_code(self) -> ExitCode:
        """Return the worst of all: a fault before a guard, a guard before a person."""
        codes = {each.exit_code for each in self.worked}
        return next((code for code in _WORST_FIRST if code in codes), ExitCode.OK)


def work_through(project: Project, limits: BoardLimits, flags: tuple[str, ...], say: Say) -> BoardOutcome:
    """Work on stories until nothing is left that needs no person, or a limit is reached.

    `flags` are given to each run that begins; a continued run keeps its order. An interruption
    ends all of them, and each can be resumed.
    """
    pool = WorkerPool(project, limits, flags, say)
    asyncio.run(pool.work())
    left = tuple(each for each in list_cards(project) if each.action.kind is not ActionKind.REST)
    return BoardOutcome(worked=tuple(pool.worked), left=left, stopped=pool.stopped)


async def work_on(project: Project, only: Collection[StoryId], say: Say) -> list[StoryOutcome]:
    """Work on these stories, each once, within the limits of the board; a cancelled task ends their runs."""
    pool = WorkerPool(project, project.settings.board, (), say, only=frozenset(only))
    await pool.work()
    return pool.worked


@dataclass
class WorkerPool:
    """Stories under way, and what came of those before, in a shift: one call, or the hours of a day."""

    project: Project
    limits: BoardLimits
    flags: tuple[str, ...]
    say: Say
    clock: Clock = field(default_factory=SystemClock)
    standing: bool = False
    """Whether it works until `halt` is set, one shift after the other."""
    only: frozenset[StoryId] | None = None
    """The stories to work on; none: all of the board."""
    worked: list[StoryOutcome] = field(default_factory=list)
    left: dict[StoryId, NextAction | None] = field(default_factory=dict)
    """What was to be done of each story when its run ended; none where it is not taken up again."""
    running: dict[asyncio.Task[StoryOutcome | None], StoryId] = field(default_factory=dict)
    shift: str = ""
    stopped: str = ""
    """The limit that is reached."""
    halt: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to take up no more stories."""
    _said: str = ""

    def __post_init__(self) -> None:
        """Name the shift of a call by its time."""
        self.record = ShiftRecord(self.project, self.clock)
        self.landing = LandingTurns(self.project, self.limits, self.say)
        now = self.clock.now().astimezone().replace(tzinfo=None)
        self.shift = "" if self.standing else now.isoformat(" ", "milliseconds")

    async def work(self) -> None:
        """Keep as many runs going as allowed, and look at the board again whenever one has ended."""
        try:
            while not self.halt.is_set():
                await self.look()
                if not self.running and not self.standing and self.landing.task is None:
                    return
                waiting = [self.halt.wait(), *([self.clock.sleep(LOOK_S)] if self.standing else [])]
                await self._until_one_ends(*waiting)
            await self._drain()
        finally:
            for task, story in self.running.items():
                task.cancel()
                if self.standing:
                    self.say(story, "interrupted; the next `setpoint work` resumes it")
            if self.landing.task is not None:
                self.landing.task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            if not self.standing and self.record.of(self.shift):
                self.record.note(self.shift, reported=True)

    async def looked(self) -> None:
        """Do what else is due at each look, before stories are chosen."""

    async def look(self) -> None:
        """Take up what may begin now; say why, where nothing can."""
        now = shift_at(self.clock.now().astimezone(), self.limits.window) if self.standing else self.shift
        if now != self.shift:
            self.shift, self.left, self.worked, self.stopped = now, {}, [], ""
        self.record.read()
        await self.looked()
        if not now:
            return self.tell(f"outside of the hours {self.limits.hours} (board.hours)")
        every = await asyncio.to_thread(list_cards, self.project)
        cards = [each for each in every if self.only is None or each.id in self.only]
        if self.only is None:
            self.landing.look(cards)
        self.record.note(now, (each.id for each in cards))
        if self.stopped and not self.standing:
            return None
        going, room = await self.under_way()
        so_far = self._so_far(cards, going, room)
        begin, self.stopped = choose(cards, self.limits, so_far, self.left, self.files)
        for each in begin:
            await self.start(each)
        return self.tell(self.stopped or why_idle(cards, self.left))

    def tell(self, why: str) -> None:
        """Say why a standing worker does nothing, when that changes."""
        told = "" if self.running or not self.standing else why
        if told not in ("", self._said):
            self.say(StoryId(""), told)
        self._said = told

    async def under_way(self) -> tuple[Collection[StoryId], int | None]:
        """Return the stories that are worked on, and how many more may begin, as `ShiftSoFar` has them."""
        return self.running.values(), None

    def _so_far(
        self, cards: Iterable[Card], going: Collection[StoryId] = (), room: int | None = None
    ) -> ShiftSoFar:
        takings, newest = self.record.of(self.shift), self.worked[-MOST_BROKEN:]
        broken = [each for each in newest if each.exit_code == ExitCode.NO_AGENT]
        stuck = {each.id for each in cards if each.action.kind in (ActionKind.ANSWER, ActionKind.LOOK)}
        why = f"the agent broke in {MOST_BROKEN} stories running: {newest[-1].reason}" if newest else ""
        return ShiftSoFar(
            spent_usd=self.record.cost(takings),
            seconds=(self.clock.now() - takings[0].at).total_seconds() if takings else 0,
            taken={each.story for each in takings} | set(going),
            running=tuple(going),
            room=room,
            asking=[
                each.story for each in self.worked if each.exit_code in _FOR_PEOPLE and each.story in stuck
            ],
            broken=why if len(broken) == MOST_BROKEN else "",
        )

    def files(self, story: StoryId) -> frozenset[str]:
        """Return the files that a story will change, as far as is known; needed where several run at once."""
        return story_files(self.project, story) if self.limits.jobs > 1 else frozenset()

    def may_try(self, card: Card) -> bool:
        """Whether a story may be taken up again in this shift."""
        return self.record.tries(self.shift, card.id) < MOST_TRIES

    async def start(self, card: Card) -> None:
        """Begin to work on a story."""
        self.begin(card)

    def begin(self, card: Card) -> asyncio.Task[StoryOutcome | None]:
        """Hand a story to a process on this machine."""
        self.left[card.id] = card.action if self.standing else None
        task = asyncio.create_task(self._worked(card, self.shift))
        self.running[task] = card.id
        return task

    async def _until_one_ends(self, *others: Coroutine[Any, Any, object]) -> None:
        """Wait until a run or one of the others has ended."""
        tasks = [asyncio.create_task(each) for each in others]
        try:
            await asyncio.wait({*self._tasks, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        for task in [each for each in self.running if each.done()]:
            del self.running[task]
            self.worked += [came] if (came := task.result()) is not None else []
        self.landing.ended()
        while self.landing.back:  # they are worked on again in this shift
            self.left.pop(self.landing.back.pop(), None)

    @property
    def _tasks(self) -> list[asyncio.Task[Any]]:
        """Runs and the landing under way."""
        return [*self.running, *([self.landing.task] if self.landing.task else [])]

    async def _drain(self) -> None:
        """Let runs end that are under way, for a while."""
        if self._tasks:
            runs, seconds = counted(len(self._tasks), "run"), self.limits.drain_s
            self.say(StoryId(""), f"stopping: {runs} may end within {seconds:.0f} s; stop again to interrupt")
        late = asyncio.create_task(self.clock.sleep(self.limits.drain_s))
        while self._tasks and not late.done():
            await self._until_one_ends(asyncio.wait({late}))
        late.cancel()

    async def _worked(self, taken: Card, shift: str) -> StoryOutcome | None:
        """Work on a story; None if another process has it, or had it just now."""
        try:
            with self.project.locks.held(TraceId(f"story-{taken.id}")):
                if _still(self.project, taken) != taken.action:
                    return None
                self.record.count(shift, taken.id, taken=True)
                try:
                    return await self._run(taken)
                finally:
                    self.record.count(shift, taken.id, taken=False)
        except RunInUse:
            return None
        except RecordedDataError as error:
            if not self.standing:
                raise
            self.say(taken.id, str(error))
            return None

    async def _run(self, taken: Card) -> StoryOutcome:
        goes_on = taken.action.trace_id if taken.action.kind is not ActionKind.START else None
        verb = ("resume", goes_on) if goes_on else ("run", taken.path, *self.flags)
        command = verb_command(self.project.root, *verb, without=secret_variables(self.project))
        done = await run(command, on_line=lambda line: self.say(taken.id, line.decode("utf-8", "replace")))
        came = runs_of_story(self.project, taken.id)[:1]
        events = self.project.log.replay(came[0][0].trace_id) if came else ()
        try:
            now = find_card(self.project, taken.path)
        except UsageError as error:  # its file went away meanwhile, and what was done stays done
            now = _without_file(taken, came[0][1] if came else None, error.message)
        self.left[taken.id] = now.action if self.standing else None
        if self.standing and done.exit_code not in _ENDED and self.may_try(now):
            del self.left[taken.id]  # its process was killed, or broke
        return StoryOutcome(
            story=taken.id,
            did=taken.action.shown,
            run=now.run,
            exit_code=done.exit_code if done.exit_code in set(ExitCode) else ExitCode.FAULT,
            status=now.status,
            reason=now.fault or now.last_error or ("" if done.ok else done.ending),
            branch=now.branch,
            cost_usd=account_of(events).used.cost_usd,
        )


def _still(project: Project, taken: Card) -> NextAction | None:
    """Return what is to be done of a story now; none where its file went away."""
    try:
        return find_card(project, taken.path).action
    except UsageError:
        return None


def _without_file(taken: Card, standing: PhaseProgress | None, fault: str) -> Card:
    """Return the card of a story whose file is gone, from its newest run."""
    if standing is None:
        return taken.model_copy(update={"fault": fault})
    told = {
        "status": column(StoryRecord(), standing),
        "last_error": standing.last_error,
        "run": standing.trace_id,
        "branch": standing.branch,
    }
    return taken.model_copy(update=told)
