"""Work through the board by priority: one process per run, several in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from decimal import Decimal

from setpoint.app.runs.board import find_card, list_cards, runs_of_story
from setpoint.app.runs.child_command import verb_command
from setpoint.errors import ExitCode, RunInUse, UsageError
from setpoint.model.config.limits import BoardLimits
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import ActionKind, Card, NextAction, PhaseProgress
from setpoint.model.stories.story import StoryRecord
from setpoint.model.value import Usd, Value
from setpoint.stories.policy.assessor import column
from setpoint.system.processes import run
from setpoint.wiring.forge import secret_variables
from setpoint.wiring.project import Project

MOST_BROKEN = 2
"""Stories running in which the agent broke, after which it is not tried on the others."""
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
_FOR_PEOPLE = (ExitCode.WAITING, ExitCode.STOPPED, ExitCode.UNPROVEN, ExitCode.UNPROVABLE)
"""Exit codes of stories that a person has to look at."""
Say = Callable[[StoryId, str], None]
"""Shows a line that the run of a story wrote."""


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
    crew = _WorkerPool(project, limits, flags, say)
    asyncio.run(crew.work())
    left = tuple(each for each in list_cards(project) if each.action.kind is not ActionKind.REST)
    return BoardOutcome(worked=tuple(crew.worked), left=left, stopped=crew.stopped)


async def work_on(project: Project, only: Collection[StoryId], say: Say) -> list[StoryOutcome]:
    """Work on these stories, each once, within the limits of the board; a cancelled task ends their runs."""
    crew = _WorkerPool(project, project.settings.board, (), say, only=frozenset(only))
    await crew.work()
    return crew.worked


@dataclass
class _WorkerPool:
    """Stories under way, and what came of those before."""

    project: Project
    limits: BoardLimits
    flags: tuple[str, ...]
    say: Say
    worked: list[StoryOutcome] = field(default_factory=list)
    taken: set[StoryId] = field(default_factory=set)
    """Each story is taken up once: what stops it now would stop it again."""
    running: set[asyncio.Task[StoryOutcome | None]] = field(default_factory=set)
    stopped: str = ""
    only: frozenset[StoryId] | None = None
    """The stories to work on; none: all of the board."""

    async def work(self) -> None:
        """Keep as many runs going as allowed, and look at the board again whenever one has ended."""
        began = asyncio.get_running_loop().time()
        try:
            while True:
                self.stopped = self.stopped or self._limit(asyncio.get_running_loop().time() - began)
                if not self.stopped:
                    self._take_up()
                if not self.running:
                    return
                done, self.running = await asyncio.wait(self.running, return_when=asyncio.FIRST_COMPLETED)
                self.worked += [came for task in done if (came := task.result()) is not None]
        finally:
            for task in self.running:
                task.cancel()
            await asyncio.gather(*self.running, return_exceptions=True)

    def _take_up(self) -> None:
        room = self.limits.jobs - len(self.running)
        if self.limits.max_stories is not None:
            room = min(room, self.limits.max_stories - len(self.taken))
        for each in list_cards(self.project) if room > 0 else ():
            if self.only is not None and each.id not in self.only:
                continue
            if room > 0 and each.action.automatic and each.id not in self.taken:
                self.taken.add(each.id)
                self.running.add(asyncio.create_task(self._worked(each)))
                room -= 1

    def _limit(self, seconds: float) -> str:
        """Say which limit keeps more stories from being taken up."""
        limits, cost = self.limits, sum((each.cost_usd for each in self.worked), Decimal(0))
        people = [each.story for each in self.worked if each.exit_code in _FOR_PEOPLE]
        broken = [each for each in self.worked[-MOST_BROKEN:] if each.exit_code == ExitCode.NO_AGENT]
        if len(broken) == MOST_BROKEN:
            return f"the agent broke in {MOST_BROKEN} stories running: {broken[-1].reason}"
        if limits.stop_for_person and people:
            return f"{people[0]} needs a person (board.stop_for_person)"
        if limits.max_stories is not None and len(self.taken) >= limits.max_stories:
            return f"{len(self.taken)} stories were taken up (board.max_stories)"
        if limits.max_cost_usd > 0 and cost >= limits.max_cost_usd:
            return f"${cost:.2f} of ${limits.max_cost_usd:.2f} are spent (board.max_cost_usd)"
        if limits.max_wall_s is not None and seconds >= limits.max_wall_s:
            return f"{seconds:.0f} of {limits.max_wall_s:.0f} seconds are over (board.max_wall_s)"
        return ""

    async def _worked(self, taken: Card) -> StoryOutcome | None:
        """Work on a story; None if another process has it, or had it just now."""
        try:
            with self.project.locks.held(TraceId(f"story-{taken.id}")):
                if _still(self.project, taken) != taken.action:
                    return None
                return await self._run(taken)
        except RunInUse:
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
