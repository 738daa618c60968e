"""What is seen and answered while an ACP agent works on one prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp.schema import (
    AgentMessageChunk,
    ConfigOptionUpdate,
    PermissionOption,
    RequestPermissionResponse,
    SessionInfoUpdate,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
)
from pydantic import BaseModel

from setpoint.agents.acp.opening import chosen_model
from setpoint.agents.acp.permission import answered, refusal_of
from setpoint.agents.acp.tool_calls import Calls, at_path
from setpoint.agents.acp.usage import Meter
from setpoint.agents.launch import Launch
from setpoint.agents.speech import Hearing
from setpoint.agents.spending.meter import UsageMeter
from setpoint.model.attempt import Brief, ToolCall

FAILED = "systemError"
"""What `failed_meta` of an agent's quirks leads to after a turn that failed."""
_TEXT_CHARS = 200_000


class Turn:
    """What is seen and answered while one prompt is worked on.

    `halted` tells that it is to end: its money is gone, or the agent goes in circles.
    """

    def __init__(
        self, brief: Brief, launch: Launch, hearing: Hearing, meter: Meter, spending: UsageMeter
    ) -> None:
        """Begin with nothing seen."""
        self.calls = Calls(Path(brief.workdir), launch.quirks, self._called, hearing.began)
        self.spending = spending
        self.halted = spending.halted
        self.held = False
        """Whether a sandbox holds the agent."""
        self.failed = False
        """Whether the agent reports that the turn failed, where it answers as if it were completed."""
        self.error: object = None
        """What the agent reported about an error beside its answer."""
        self.last_piece = ""
        """The newest piece of what the agent said."""
        self._brief = brief
        self._quirks = launch.quirks
        self._hearing = hearing
        self._meter = meter
        self._text: list[str] = []
        self._chars = 0
        self._broken_line = False

    @property
    def text(self) -> str:
        """What the agent said, with a new line wherever it did something in between."""
        return "".join(self._text)

    def said(self, prefix: str) -> bool:
        """Whether any message of the agent began like this."""
        return any(piece.lstrip().startswith(prefix) for piece in self._text)

    def update(self, update: BaseModel) -> None:
        """Take note of news."""
        match update:
            case ToolCallStart() | ToolCallProgress():
                self.calls.told(update)
                self._broken_line = bool(self._text)
            case AgentMessageChunk():
                self.last_piece = getattr(update.content, "text", "")
                self._say(self.last_piece)
            case SessionInfoUpdate():
                if state := at_path(update.field_meta, self._quirks.failed_meta):
                    self.failed = state == FAILED
                self.error = at_path(update.field_meta, self._quirks.error_meta) or self.error
            case UsageUpdate():
                if (usage := self._meter.told(update)) is not None:
                    self.spending.told(usage)
            case ConfigOptionUpdate():
                if model := chosen_model(update.config_options):
                    self.spending.runs_on(model)
            case _:
                pass  # thoughts, plans, modes and replays are not counted

    def permit(self, call: ToolCallUpdate, options: Sequence[PermissionOption]) -> RequestPermissionResponse:
        """Allow a call, or note why it is refused."""
        self.calls.told(call)
        refusal = refusal_of(call, self.calls, self._brief.role, held=self.held)
        if refusal:
            self.calls.refuse(call.tool_call_id, refusal)
        return answered(options, refused=bool(refusal))

    def end(self) -> None:
        """Close the record: calls that never ended were cut short, and what was written is passed on."""
        self.calls.cancel_open()
        self._hearing.flush()

    def _called(self, call: ToolCall) -> None:
        if self._hearing.called(call):
            self.halted.set()

    def _say(self, text: str) -> None:
        if self._broken_line:
            text = "\n" + text
            self._broken_line = False
        room = _TEXT_CHARS - self._chars
        if room > 0:
            self._text.append(text[:room])
            self._chars += len(text)
            self._hearing.said(text)
