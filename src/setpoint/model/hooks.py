"""What is known of a session of the user's own agent, and what it is answered when it ends a turn.

Plain dataclasses: an answer that needs no check has 0.3 seconds, and pydantic takes half of them to load.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """What a check of the tree gave. A check never verifies anything."""

    PASSED = "passed"
    """Nothing is wrong that the base does not have."""
    FAILED = "failed"
    """Something is wrong that the base does not have."""
    NOT_MEASURED = "not measured"
    """The check took too long or broke, so nothing is known."""
    BEGUN = "begun"
    """The check began; where nothing follows, it was ended from outside."""


@dataclass(frozen=True, kw_only=True)
class TreeCheck:
    """What the last check of a session found."""

    signature: str
    """Identifies the state of the working tree that was checked."""
    state: CheckState
    text: str
    """The verdict, in the words of `setpoint check`; or why nothing was measured."""


@dataclass(frozen=True, kw_only=True)
class HookSession:
    """What is remembered of one session of an agent."""

    base: str = ""
    """Commit that was checked out when the session began."""
    prompt: str = ""
    """State of the working tree at the user's last prompt; empty where the agent reported none."""
    blocks: int = 0
    """How often the agent was sent back since then."""
    blocked_at: float = 0.0
    """When it was sent back first since then, in seconds of the Unix clock."""
    last: TreeCheck | None = None
    """The last check."""
    begun_at: float = 0.0
    """When a check began that has not ended, in seconds of the Unix clock; 0: none."""
    max_blocks: int = 3
    """How often it may be sent back, as the settings said at the last check."""
    total_s: float = 1800.0
    """Seconds from `blocked_at` after which it is sent back no more."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an agent is answered that wants to end its turn."""

    block: bool = False
    """Whether it has to continue."""
    text: str = ""
    """The reason to continue, for the agent; or a note for the user."""
