"""What a model costs by the user's own word."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Usd, Value


class ModelPrice(Value):
    """What a model costs you, under `[price."MODEL"]`, in US dollars per million tokens."""

    input: Usd = Field(ge=0)
    """Tokens read."""
    output: Usd = Field(ge=0)
    """Tokens written, those of its thinking included."""
    cached_input: Usd | None = Field(default=None, ge=0)
    """Tokens read from a cache; none: as other input."""
    cache_write: Usd | None = Field(default=None, ge=0)
    """Tokens put into a cache; none: as other input."""
