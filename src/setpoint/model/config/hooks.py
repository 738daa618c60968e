"""How the hooks of a user's own agent and of git check the working tree."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Value


class HookSettings(Value):
    """Terms of `setpoint hook`: how long one check may take, and how often an agent is sent back."""

    max_blocks: int = Field(default=3, ge=0, le=20)
    """How often an agent is sent back between two prompts of the user; 0: it is never sent back."""
    limit_s: float = Field(default=120.0, gt=0, le=3600)
    """Most seconds of a check of a turn or before a commit; after that it counts as not measured."""
    total_s: float = Field(default=1800.0, gt=0)
    """Seconds after the first time an agent was sent back, from which on it may end its turn in any case."""
    push_limit_s: float = Field(default=900.0, gt=0, le=7200)
    """Most seconds of the check before a push; after that it counts as not measured."""
