"""Checks of work that Setpoint does not drive, recorded under the trace `hooks` of a project."""

from __future__ import annotations

from typing import Literal

from setpoint.model.hooks import CheckState
from setpoint.model.ids import Commit, TraceId
from setpoint.model.value import Text, Value

TRACE = TraceId("hooks")
"""Names the record of a project's hooks; it is not a run."""


class TurnChecked(Value):
    """The working tree is checked because an agent wants to end its turn; this verifies nothing.

    It is recorded when the check begins, and again when it has ended.
    """

    kind: Literal["hook.turn_checked"] = "hook.turn_checked"
    agent: str
    """Name of the agent, as `setpoint hook install` takes it."""
    session: Text
    """The session, as the agent names it."""
    base: Commit
    """Commit that was checked out when the session began."""
    state: CheckState
    blocked: bool
    """Whether the agent was sent back."""
    blocks: int
    """How often it was sent back since the user's last prompt, this time included."""
    took_s: float
    text: Text
    """The verdict, or why nothing was measured."""


AboutHooks = TurnChecked
"""What hooks record."""
