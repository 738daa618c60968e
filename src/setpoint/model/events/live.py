"""What is told while an agent works; part of the union in `events`."""

from __future__ import annotations

from typing import Literal

from setpoint.model.attempt import ToolCall
from setpoint.model.value import Text, Value


class ToolStarted(Value):
    """An agent began to call a tool; `tool.executed` with the same call id tells how it ended.

    It is recorded once more where the agent names the call better a moment later.
    """

    kind: Literal["tool.started"] = "tool.started"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    call: ToolCall


class AgentSaid(Value):
    """An agent wrote text while it worked; shown on request, and never believed."""

    kind: Literal["agent.said"] = "agent.said"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    text: Text


AboutLive = ToolStarted | AgentSaid
"""What an agent is doing at the moment; nothing is decided by it."""
