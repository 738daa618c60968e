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


def _writable(text: str) -> str:
    if text.isascii():  # nearly always, and a log of a million events has some million texts
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


Text = Annotated[str, AfterValidator(_writable)]
"""A text from outside; what UTF-8 cannot hold (a file name of odd bytes) is written as escapes."""

Usd = Annotated[Decimal, PlainSerializer(str, return_type=str, when_used="json")]
"""An amount of money in US dollars."""
