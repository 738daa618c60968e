"""The port to a coding agent, and what observes it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from setpoint.model.attempt import Attempt, Brief, ModelCall, ToolCall, Usage
from setpoint.model.project_text import ReadsItself


class Observer(Protocol):
    """Receives what an agent does while it works."""

    def began(self, call: ToolCall) -> None:
        """Take note of a tool call that begins; told again under the same id where more is known of it."""

    def called(self, call: ToolCall) -> bool:
        """Take note of a finished tool call; true where the attempt has to end, for it repeats itself."""

    def said(self, text: str) -> None:
        """Take note of what the agent writes while it works, in pieces of whole lines where possible."""

    def asked(self, call: ModelCall) -> None:
        """Take note of a call of a model."""

    def spent(self, usage: Usage) -> bool:
        """Take note of what the attempt has used so far; true where it has to end, for nothing is left."""


@runtime_checkable
class HearsSessions(Protocol):
    """An observer that takes note of the session in which an attempt works; others are not told."""

    def opened(self, *, continued: bool) -> None:
        """Take note whether the agent proved that it continues an earlier session, or began a new one."""


class Agent(Protocol):
    """Someone who plays a role: edits the work copy, or answers with a text."""

    name: str

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Make one attempt; breakage is returned as a value, never raised. Cancelling ends its processes."""

    async def close(self) -> None:
        """End whatever the agent keeps running between attempts."""


@runtime_checkable
class KeepsSessions(Protocol):
    """An agent whose sessions outlast a broken attempt; without this method each try begins a new one."""

    def goes_on(self, brief: Brief) -> bool:
        """Whether an attempt with this brief continues a session that knows what was edited in it."""


@runtime_checkable
class ReadsProject(Protocol):
    """An agent that takes a project's own instructions; without this it is given none."""

    @property
    def reads(self) -> ReadsItself:
        """What of them it reads by itself."""

    @property
    def takes_servers(self) -> bool:
        """Whether it starts servers of tools that a brief names."""

    def begins(self, brief: Brief) -> bool:
        """Whether an attempt with this brief begins a session, which knows nothing yet."""
