"""What a person asks for while an agent works: a hint, or a pause. Both end its turn behind a tool call.

An agent that keeps its session continues in it; another one is not interrupted, and hears at its next prompt.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from setpoint.model.attempt import Attempt, Brief, Role, Stop
from setpoint.model.events import Event
from setpoint.model.events.live import (
    AgentInterrupted,
    HintGiven,
    HintTaken,
    PauseEnded,
    PauseRequested,
    RunHeld,
)
from setpoint.model.events.run import RunResumed
from setpoint.ports import Agent
from setpoint.ports.agent import KeepsSessions
from setpoint.runs.context import RunContext

POLL_S = 0.5
"""Seconds between two looks whether a pause has ended."""


def pause_of(events: Iterable[Event]) -> PauseRequested | None:
    """Return the pause that lasts; none where the run may work. Resuming a run ends its pause."""
    last: PauseRequested | None = None
    for event in events:
        if isinstance(event.body, PauseRequested):
            last = event.body
        elif isinstance(event.body, PauseEnded | RunResumed):
            last = None
    return last


def hints_for(events: Iterable[Event], label: str, iteration: int) -> tuple[Event, ...]:
    """Return the hints that an attempt has not been shown; candidates of one iteration each take all."""
    given: dict[str, Event] = {}
    for event in events:
        if isinstance(event.body, HintGiven):
            given[event.key] = event
        elif isinstance(event.body, HintTaken) and (
            event.body.label == label or event.body.iteration != iteration
        ):
            for key in event.body.hints:
                given.pop(key, None)
    return tuple(given.values())


def asks_for_the_turn(run: RunContext, brief: Brief, iteration: int) -> bool:
    """Whether a person wants to be heard in an attempt now."""
    events = run.journal.events
    return pause_of(events) is not None or bool(hints_for(events, brief.label, iteration))


def may_interrupt(agent: Agent, brief: Brief) -> bool:
    """Whether the turn of an agent can be ended without losing what it knows."""
    return brief.role is Role.MAKER and isinstance(agent, KeepsSessions) and agent.goes_on(brief)


def interrupted(run: RunContext, brief: Brief, iteration: int, attempt: Attempt, number: int) -> bool:
    """Record that a turn was ended for a person, where it was; `number` is that of the try."""
    cut = attempt.breakage is None and attempt.stop is Stop.CANCELLED and not run.is_exhausted
    if not cut or not asks_for_the_turn(run, brief, iteration):
        return False
    body = AgentInterrupted(iteration=iteration, label=brief.label, attempt=number)
    run.journal.note(f"{brief.label}:{number}:interrupted", body)
    return True


async def held(run: RunContext) -> None:
    """Wait while a person has paused the run; the time does not count as work."""
    run.journal.look()
    asked = pause_of(run.journal.events)
    if asked is None:
        return
    number = sum(isinstance(event.body, PauseRequested) for event in run.journal.events)
    run.journal.note(f"held-{number}", RunHeld(by=asked.by))
    while pause_of(run.journal.events) is not None and not run.journal.cancelled:
        await run.ports.clock.sleep(POLL_S)
        run.journal.look()


async def waited_for_person(run: RunContext, key: str, agent: str, needs: str) -> bool:
    """Hold the run until the person at the terminal gives a hint or lets it continue; false if nobody does.

    The wait is bounded by `limits.max_person_wait_s` and does not count as work. Without a terminal there is
    none. The `key` names the wait in the event log.
    """
    wait_s = run.limits.max_person_wait_s
    if not run.ports.attended or wait_s <= 0 or run.journal.cancelled:
        return False
    clock = run.ports.clock
    run.journal.note(key, PauseRequested(by=agent, needs=needs))
    run.journal.note(f"{key}:held", RunHeld(by=agent))
    until = clock.now() + timedelta(seconds=wait_s)
    said = before = len(_all_hints(run))
    while pause_of(run.journal.events) is not None and said == before and not run.journal.cancelled:
        if clock.now() >= until:
            break
        await clock.sleep(POLL_S)
        run.journal.look()
        said = len(_all_hints(run))
    if pause_of(run.journal.events) is None:
        return True
    by = "a hint" if said > before else f"the end of {wait_s:.0f} s"
    run.journal.note(f"{key}:over", PauseEnded(by=by))
    return said > before


def _all_hints(run: RunContext) -> list[Event]:
    return [event for event in run.journal.events if isinstance(event.body, HintGiven)]


def steered(run: RunContext, brief: Brief, iteration: int, *, cut: bool) -> Brief:
    """Put before a prompt what a person said since the last one, once."""
    hints = hints_for(run.journal.events, brief.label, iteration)
    if not hints and not cut:
        return brief
    if hints:
        keys = tuple(event.key for event in hints)
        body = HintTaken(iteration=iteration, label=brief.label, hints=keys)
        run.journal.note(f"{brief.label}:hint:{keys[-1]}", body)
    texts = [event.body.text for event in hints if isinstance(event.body, HintGiven)]
    said = run.ports.render("steered.md.j2", {"hints": texts, "interrupted": cut})
    return brief.model_copy(update={"prompt": f"{said}\n{brief.prompt}"})
