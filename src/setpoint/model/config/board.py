"""How the board is worked off."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from setpoint.model.value import Usd, Value


class BoardLimits(Value):
    """How `setpoint run --auto` works off the board."""

    jobs: int = Field(default=1, ge=1, le=64)
    """Stories at once, each in a work copy and a process of its own."""
    max_stories: int | None = Field(default=None, ge=1)
    """Stories taken up at most; none for no limit."""
    max_cost_usd: Usd = Field(default=Decimal(0), ge=0)
    """US dollars over all stories after which no more are taken up; 0 for no limit."""
    max_wall_s: float | None = Field(default=None, gt=0)
    """Seconds after which no more stories are taken up; none for no limit."""
    stop_for_person: bool = False
    """Whether no more stories are taken up once one of them needs a person."""
