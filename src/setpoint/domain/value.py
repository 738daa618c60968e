"""The one kind of value the domain is made of: frozen, keyword-only, closed against unknown keys."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer


class Value(BaseModel):
    """A frozen value compared by content, written to and read from JSON without loss."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        msg = "a time without a zone; give it in UTC, for example 2026-01-31T12:00:00Z"
        raise ValueError(msg)
    return at


Instant = Annotated[datetime, AfterValidator(_aware)]
"""An aware point in time, UTC when Setpoint makes it."""

Usd = Annotated[Decimal, PlainSerializer(str, return_type=str, when_used="json")]
"""An amount of money in US dollars."""
