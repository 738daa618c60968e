"""What agents may ask about their own work before they end their turn."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Value


class SelfCheckSettings(Value):
    """The tool `setpoint_check`, with which a maker sees what the fast checks say; advice, never evidence."""

    enabled: bool = True
    """Whether makers have it."""
    per_turn: int = Field(default=10, ge=1)
    """How many measurements one turn of an agent may ask for."""
    every_s: float = Field(default=5.0, ge=0)
    """Minimum seconds between the end of one measurement and the start of the next."""
    answer_s: float = Field(default=45.0, gt=0, le=600)
    """Most seconds until an agent gets an answer; what still runs then can be asked for again."""
    total_s: float = Field(default=300.0, gt=0)
    """Most seconds that the measurements of one turn may take together."""
