"""What a person may choose for one run, and the settings that this stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, TypedDict


class RunOptions(TypedDict, total=False):
    """The options of one run; what is left out or none is taken from the settings of the project."""

    agent: str | None
    """Agent to use."""
    agents: Sequence[str] | None
    """Agents to race; the best result continues."""
    attempts: int | None
    """Number of parallel attempts; the best result continues."""
    reviewer: str | None
    """Agent that reviews the change."""
    reviews: Sequence[str] | None
    """Kinds of review: code, spec, security or product."""
    max_iterations: int | None
    """Maximum number of iterations (at most 10)."""
    max_cost_usd: Decimal | float | str | None
    """Cost limit in US dollars."""
    max_minutes: float | None
    """Time limit in minutes."""
    preset: str | None
    """Preset of limits: default or classic."""
    known_red: str | None
    """Tests that fail at the base: auto, fix or tolerate."""
    integrity: str | None
    """Existing tests: both (run as they were and as they are now) or read-only (edits are restored)."""
    on_limit: str | None
    """What to do at a limit: manual (ask a person), error or skip."""


def settings_of(options: RunOptions) -> dict[str, Any]:
    """Return the settings that the options override, in the shape of `setpoint.toml`."""
    agent, minutes = options.get("agent"), options.get("max_minutes")
    names = [name.strip() for name in options.get("agents") or () if name.strip()]
    agents = {
        "maker": agent,
        # One agent that is named overrides the candidates of the settings.
        "candidates": names or ([] if agent else None),
        "attempts": options.get("attempts"),
        "reviewer": options.get("reviewer"),
        "reviews": list(options.get("reviews") or ()) or None,
    }
    limits = {
        "max_iterations": options.get("max_iterations"),
        "max_cost_usd": options.get("max_cost_usd"),
        "max_wall_s": None if minutes is None else minutes * 60,
    }
    return given(
        {
            "agents": given(agents),
            "limits": given(limits),
            "preset": options.get("preset"),
            "known_red": options.get("known_red"),
            "integrity": given({"mode": options.get("integrity")}),
            "escalation": given({"on_limit": options.get("on_limit")}),
        }
    )


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that were given: neither none, nor an empty text, nor an empty table."""
    return {name: value for name, value in values.items() if value not in (None, "", {})}
