"""Recover an attempt whose agent broke: record how it continues, and wait where a limit has to pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from setpoint.inner.policy.recovery import Next, Patience, next_step
from setpoint.inner.steering import waited_for_person
from setpoint.inner.tool_calls import Place
from setpoint.model.attempt import NEXT_MAKER, PASSING, Breakage, BreakageKind, Brief, Recovery, Role
from setpoint.model.events import Body, Event
from setpoint.model.events.live import CopyRemade
from setpoint.model.events.run import AgentBroke, AgentFinished, GateAnswered
from setpoint.model.gate import Choice
from setpoint.ports import Agent
from setpoint.ports.agent import KeepsSessions
from setpoint.runs.context import RunContext

MOST_MESSAGE = 200


def in_session(brief: Brief, events: Iterable[Event]) -> Brief:
    """Return a brief in the session that counts now: a new one for each that was given up."""
    number = sum(_gives_up(event.body, brief) for event in events)
    return brief.model_copy(update={"session": f"{brief.session}~{number + 1}"}) if number else brief


def _gives_up(body: Body, brief: Brief) -> bool:
    """Whether an event ends a session: it broke, or it would meet files without its edits."""
    if isinstance(body, CopyRemade):
        return body.lost
    if not isinstance(body, AgentBroke) or body.session != brief.session:
        return False
    return body.then is not Recovery.SAME_SESSION


def given_up(brief: Brief, events: Iterable[Event]) -> AgentBroke | None:
    """Return the breakage that ended the last attempt in the session of a brief; none if it ended well."""
    last: AgentBroke | None = None
    for event in events:
        if isinstance(event.body, AgentBroke) and event.body.session == brief.session:
            last = event.body if event.body.then is Recovery.END else None
        elif isinstance(event.body, AgentFinished) and _ended_well(event.body):
            last = None
    return last


def _ended_well(body: AgentFinished) -> bool:
    attempt = body.snapshot.attempt
    return attempt is None or attempt.breakage is None


def makers_left(run: RunContext, brief: Brief) -> list[Agent]:
    """Return the agent that works on a brief now, and those that may take over from it."""
    agents = run.ports.agents
    if brief.role is not Role.MAKER:
        return [agents[brief.role]]
    handed = 0
    for event in run.journal.events:
        if isinstance(event.body, AgentBroke) and event.body.then is Recovery.NEXT_AGENT:
            handed += 1
        elif isinstance(event.body, GateAnswered) and event.body.answer.choice is Choice.RETRY:
            handed = 0
    all_of_them = [agents[Role.MAKER], *(agents[role] for role in agents if role.startswith(NEXT_MAKER))]
    return all_of_them[min(handed, len(all_of_them) - 1) :]


def handed_over(run: RunContext) -> list[str]:
    """Return the names of the agents from which another one took over."""
    bodies = (event.body for event in run.journal.events)
    return [body.agent for body in bodies if isinstance(body, AgentBroke) and body.next_agent]


def agent_of(run: RunContext, brief: Brief) -> Agent:
    """Return the agent that works on a brief now: another one took over where the maker stayed broken."""
    return makers_left(run, brief)[0]


def goes_on(agent: Agent, brief: Brief) -> bool:
    """Whether the agent can continue the session of a brief, in its process or in a new one."""
    return isinstance(agent, KeepsSessions) and agent.goes_on(brief)


@dataclass(kw_only=True)
class Recovering:
    """The breakages of one attempt in this process, and what was waited for them."""

    run: RunContext
    agent: Agent | None = None
    """Who answers, where nobody takes over; none: the maker, and those after it."""
    brief: Brief
    """As it was built, without the number of its session."""
    place: Place
    waits: bool = True
    """Whether a limit of the model's provider is waited for; otherwise it, or silence, ends the attempt."""
    broke: list[Breakage] = field(default_factory=list)
    waited_s: float = 0.0

    async def after(self, breakage: Breakage, number: int) -> Recovery:
        """Record a breakage, wait, and return how the attempt continues; `number` is that of the try."""
        self.broke.append(breakage)
        run = self.run
        agent, *others = [self.agent] if self.agent else makers_left(run, self.brief)
        exhausted = run.is_exhausted or run.active_s() >= run.limits.max_wall_s
        logged_in = not exhausted and await self._logged_in(agent, breakage, number)
        patience = Patience(
            tries=run.limits.max_agent_breakages,
            wait_s=max(run.limits.max_limit_wait_s - self.waited_s, 0.0),
            exhausted=exhausted,
            others=len(others),
            logged_in=logged_in,
        )
        now = in_session(self.brief, run.journal.events)
        step = next_step(self.broke, patience, goes_on=goes_on(agent, now))
        if not self.waits and breakage.kind in (*PASSING, BreakageKind.IDLE):  # some wait in silence
            step = Next(then=Recovery.END)
        handed = step.then is Recovery.NEXT_AGENT
        self._record(breakage, number, step, (agent.name, others[0].name if handed else ""))
        if handed:
            self.broke.clear()  # the next agent has tries of its own
        if step.wait_s:
            run.ports.publish(run.order.trace_id)
            self.waited_s += step.wait_s
            await run.ports.clock.sleep(step.wait_s)
        return step.then

    async def _logged_in(self, agent: Agent, breakage: Breakage, number: int) -> bool:
        """Wait for the person at the terminal to log an agent in whose login was refused."""
        if breakage.kind is not BreakageKind.AUTH:
            return False
        first = breakage.message.splitlines()[0][:MOST_MESSAGE]
        needs = f"a login; log in, then let the run continue ({first})"
        return await waited_for_person(self.run, f"{self.place.label}:{number}:person", agent.name, needs)

    def _record(self, breakage: Breakage, number: int, step: Next, agents: tuple[str, str]) -> None:
        phase, iteration, label = self.place
        body = AgentBroke(
            phase=phase,
            iteration=iteration,
            label=label,
            attempt=number,
            agent=agents[0],
            session=self.brief.session,
            breakage=breakage,
            then=step.then,
            wait_s=step.wait_s,
            next_agent=agents[1],
        )
        self.run.journal.note(f"{label}:{number}:broke", body)
