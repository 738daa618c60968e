"""The tool calls that say something about the work: those of turns that did not break."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.model.events import Event
from setpoint.model.events.run import AgentBroke, AgentStarted, ToolExecuted


def sound_calls(events: Iterable[Event]) -> tuple[ToolExecuted, ...]:
    """Return the tool calls of a run, without turns in which the agent, its model or the network broke.

    What failed there, or worked after it, is no experience with the project.
    """
    found: list[ToolExecuted] = []
    since: dict[str, int] = {}
    for event in events:
        body = event.body
        if isinstance(body, AgentStarted):
            since[body.label] = len(found)
        elif isinstance(body, ToolExecuted):
            found.append(body)
        elif isinstance(body, AgentBroke):
            begun = since.get(body.label, 0)
            kept = [each for each in found[begun:] if each.label != body.label]
            found[begun:] = kept
    return tuple(found)
