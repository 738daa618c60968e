"""What a run takes from memory and puts into it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from setpoint.model.config.earlier import EarlierKeys
from setpoint.model.value import Usd


class MemoryTerms(EarlierKeys):
    """What a run takes from memory and puts into it (`[memory]`)."""

    outdated: ClassVar[Mapping[str, str]] = {
        "semantic": "memory.semantic is ignored: place, rule and words find learnings; hint: remove the key"
    }

    recall: bool = True
    """Whether roles are shown what earlier runs and people taught."""
    reflect: bool = True
    """Whether learnings are drawn from a run."""
    max_items: int = Field(default=5, ge=1, le=10)
    """Learnings shown to a role at most."""
    max_tokens: int = Field(default=800, ge=50)
    """Their length at most, in tokens (about four characters each)."""
    hold_out: float = Field(default=0.08, ge=0.0, le=0.5)
    """Share of runs that are shown nothing at all, chosen by chance, so that the lift can be measured."""
    withhold: float = Field(default=0.08, ge=0.0, le=0.5)
    """Share of the other runs that are not shown a learning that fits, each chosen by chance."""
    max_reflection_usd: Usd = Field(default=Decimal("0.50"), ge=0)
    """US dollars that one reflection by a model may cost."""
    max_reflection_share: float = Field(default=0.10, ge=0.0, le=1.0)
    """Share of the run's cost that all its reflections may cost."""
    min_bounces: int = Field(default=2, ge=1)
    """Bounces from one phase after which a run is reflected on while it runs."""
    budget_share: float = Field(default=0.5, gt=0.0, le=1.0)
    """Share of the money used after which it is."""
    error_rate: float = Field(default=0.1, gt=0.0, le=1.0)
    """Share of failed tool calls above which it is."""
