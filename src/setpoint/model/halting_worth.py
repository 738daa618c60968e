"""What the outcomes of a run are worth to the person, as the settings state it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from setpoint.model.config.earlier import EarlierKeys
from setpoint.model.value import Usd


class HaltingWorth(EarlierKeys):
    """What outcomes are worth, in US dollars; nothing is said about worth where none is stated."""

    outdated: ClassVar[Mapping[str, str]] = {
        key: f"halting.{key} is ignored: no policy is promoted any more; hint: remove the key"
        for key in ("canary_share", "canary_runs", "shadow_continue")
    }

    worth_usd: Usd | None = Field(default=None, gt=0)
    """Worth of a verified change set; none: Setpoint says nothing about what another iteration is worth."""
    wrong_usd: Usd = Field(default=Decimal(5), ge=0)
    """Loss from a delivered change set that turns out to be wrong."""
    question_usd: Usd = Field(default=Decimal(0), ge=0)
    """Cost of a question that interrupts a person."""
