"""Record every tool call and every cost of an agent as an event while it works (R3, loop 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from decimal import Decimal
from typing import NamedTuple

from setpoint.inner.policy.repetition import Repeats
from setpoint.inner.steering import asks_for_the_turn, held, may_interrupt
from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, ModelCall, Stop, ToolCall, Usage
from setpoint.model.events import Event
from setpoint.model.events.live import AgentSaid, SessionOpened, ToolStarted
from setpoint.model.events.run import AgentSpent, BudgetWarned, ModelCalled, ToolExecuted
from setpoint.ports import Agent
from setpoint.ports.workspace import RemakesCopies
from setpoint.runs.context import RunContext
from setpoint.runs.journal import Journal
from setpoint.runs.policy.budget import Mark, expected_cost

_DELETED = (
    "the work copy ({path}) was deleted while the agent worked; it was made again as it was recorded last, "
    "and what the agent had not finished is lost"
)


class Place(NamedTuple):
    """Where in a run an agent works."""

    phase: str
    iteration: int
    label: str
    """Names the attempt within the run."""


class InnerLoop:
    """Observes one try of one attempt, records it, and reports when the run's budget is used up."""

    def __init__(
        self,
        run: RunContext,
        place: Place,
        attempt: int,
        same_calls: int | None,
        ends: Callable[[], bool] = lambda: False,
    ) -> None:
        """Watch the given try; `attempt` is 1 for the first try of the label.

        `same_calls` of the same call with the same result in a row end it; none: there is no limit. So does
        a call behind which `ends` says that a person wants to be heard.
        """
        self._ends = ends
        self._run, self._place, self._attempt = run, place, attempt
        self._begun = self._calls = self._said = self._asked = 0
        self.repeats = Repeats(same_calls)
        """The agent's last call, and how often in a row."""
        self._used: tuple[object, ...] = ()

    def opened(self, *, continued: bool) -> None:
        """Record in which session a try works that follows another one."""
        if self._attempt > 1:
            _, iteration, label = self._place
            body = SessionOpened(iteration=iteration, label=label, attempt=self._attempt, continued=continued)
            self._run.journal.note(f"{label}:{self._attempt}:session", body)

    def began(self, call: ToolCall) -> None:
        """Record a tool call that begins."""
        self._begun += 1
        phase, iteration, label = self._place
        body = ToolStarted(phase=phase, iteration=iteration, label=label, attempt=self._attempt, call=call)
        self._run.journal.note(f"{label}:{self._attempt}:begun:{self._begun}", body)

    def said(self, text: str) -> None:
        """Record a piece of what the agent writes."""
        self._said += 1
        phase, iteration, label = self._place
        body = AgentSaid(phase=phase, iteration=iteration, label=label, attempt=self._attempt, text=text)
        self._run.journal.note(f"{label}:{self._attempt}:said:{self._said}", body)

    def called(self, call: ToolCall) -> bool:
        """Record a finished tool call; return true if the agent repeats itself."""
        self._calls += 1
        phase, iteration, label = self._place
        body = ToolExecuted(phase=phase, iteration=iteration, label=label, call=call)
        self._run.journal.note(f"{label}:{self._attempt}:call:{self._calls}", body)
        self._run.journal.look()
        return self.repeats.seen(call) or self._ends()

    def asked(self, call: ModelCall) -> None:
        """Record a call of a model."""
        self._asked += 1
        phase, iteration, label = self._place
        body = ModelCalled(phase=phase, iteration=iteration, label=label, attempt=self._attempt, call=call)
        self._run.journal.note(f"{label}:{self._attempt}:model:{self._asked}", body)

    def spent(self, usage: Usage) -> bool:
        """Record the use of the try so far if it changed, and warn if it passes a mark.

        Return true if the money or the tokens of the whole run are used up.
        """
        figures = (usage.cost_usd, usage.input_tokens, usage.output_tokens)
        if not any(figures) or figures == self._used:
            return False
        self._used = figures
        label, journal = self._place.label, self._run.journal
        key = ":".join(str(figure) for figure in figures if figure is not None)
        journal.note(
            f"{label}:{self._attempt}:spent:{key}",
            AgentSpent(label=label, attempt=self._attempt, usage=usage),
        )
        warn(journal, self._run.warnings())
        return self._run.is_exhausted

    def ended(self, usage: Usage) -> None:
        """Record an unknown use if the try reported nothing and a model may have worked.

        Otherwise the cost of the run would count as known when another try follows.
        """
        events, label = self._run.journal.events, self._place.label
        if self._used or (usage.scope == "none" and not reported_tries(events, label)):
            return
        body = AgentSpent(label=label, attempt=self._attempt, usage=usage)
        self._run.journal.note(f"{label}:{self._attempt}:spent:unknown", body)


async def watched(
    run: RunContext, agent: Agent, brief: Brief, place: Place, number: int | None = None
) -> tuple[Attempt, InnerLoop]:
    """Let an agent make one try, with what is left of the budget set aside for it, and record what it does.

    `number` counts the tries of a label that records its own starts; others are counted by their reports.
    """
    events = run.journal.events
    number = number or reported_tries(events, place.label) + 1
    await held(run)
    await copy_remade(run, agent)

    def ends() -> bool:
        return asks_for_the_turn(run, brief, place.iteration) and may_interrupt(agent, brief)

    seen = InnerLoop(run, place, number, brief.limits.same_calls, ends)
    expected = expected_cost(run.journal.account, place.phase)
    async with run.reservation.reserved(place.label, expected, run.free):
        bounded = brief.model_copy(update={"limits": run.bounded(brief.limits)})
        async with _laid_out(run, bounded):
            attempt = await agent.attempt(bounded, seen)
        seen.ended(attempt.usage)
        if attempt.usage.scope != "none":
            timed = attempt.usage.model_copy(update={"duration_s": attempt.duration_s})
            attempt = attempt.model_copy(update={"usage": timed})
        if await copy_remade(run, agent):
            lost = Breakage(kind=BreakageKind.SESSION, message=_DELETED.format(path=run.copy.path))
            attempt = attempt.model_copy(update={"stop": Stop.BROKEN, "breakage": lost})
        return attempt, seen


async def copy_remade(run: RunContext, agent: Agent) -> bool:
    """Whether the folder of the work copy was deleted, and made again; the agent's processes in it end."""
    workspace = run.ports.workspace
    if not isinstance(workspace, RemakesCopies) or not await workspace.remade(run.copy):
        return False
    await agent.close()
    return True


def _laid_out(run: RunContext, brief: Brief) -> AbstractAsyncContextManager[None]:
    bench = run.ports.workbench
    return bench.laid_out(run.judged_by, run.copy, brief) if bench is not None else nullcontext()


def warn(journal: Journal, passed: Iterable[Mark]) -> None:
    """Record each passed warning mark once, and once more after a person raised the limit."""
    for budget, share, used, limit in passed:
        key = f"warned-{budget}-{share}"
        before = journal.known(key)
        if isinstance(before, BudgetWarned) and before.limit != limit:
            key = f"{key}-{limit:g}"
        body = BudgetWarned(budget=budget, share=share, used=round(used, 4), limit=limit)
        journal.note(key, body)


def reported_tries(events: Iterable[Event], label: str) -> int:
    """Count the tries of a label that reported their use."""
    return max((attempt for attempt, _ in _told(events, label)), default=0)


def lost_usages(events: Iterable[Event], label: str) -> tuple[Usage, ...]:
    """Return the last known use of each try of a label, oldest first."""
    last = dict(_told(events, label))
    return tuple(last[number] for number in sorted(last))


def known_cost(events: Iterable[Event], label: str, attempt: int) -> Decimal:
    """Return the known cost of a lost try in US dollars, from its last report."""
    costs = [usage.cost_usd for number, usage in _told(events, label) if number == attempt]
    return max((cost for cost in costs if cost is not None), default=Decimal(0))


def _told(events: Iterable[Event], label: str) -> list[tuple[int, Usage]]:
    return [
        (event.body.attempt, event.body.usage)
        for event in events
        if isinstance(event.body, AgentSpent) and event.body.label == label
    ]
