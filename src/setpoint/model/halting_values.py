"""What one more turn is expected to be worth, as recorded with a decision of the loop."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Value


class OneMore(Value):
    """What one more iteration is worth against ending now; intervals hold 95 % of what the model believes."""

    chance: float
    """That it passes every gate, 0 to 1."""
    chance_low: float
    chance_high: float
    cost_usd: float
    """Mean of the iterations so far; the model's where none is known."""
    cost_low_usd: float
    cost_high_usd: float
    cost_measured: bool
    """Whether the cost is that of this run's iterations."""
    worth_usd: float
    """Expected, less the cost."""
    low_usd: float
    high_usd: float
    runs: int = 0
    """Runs that the weights were fitted to; 0 for the priors."""


class HaltingValues(Value):
    """What each action is expected to be worth, in US dollars."""

    halt: float | None = None
    """Of delivering now; none where a hard gate fails, which forbids it."""
    continue_: float
    """Of one more turn in the same chain, and of those behind it as far as they pay."""
    restart: float | None = None
    """Of a fresh chain; none where none may begin."""
    escalate: float
    """Of a question to a person."""
    p_verified: float
    """Probability that the best turn so far is right, judged by what the agent does not see; 0 to 1."""
    reasons: tuple[str, ...] = ()
    """The terms that weigh most, in words."""
    worth_usd: float = Field(default=10.0, ge=0)
    """Of a verified change set, which the values are compared with."""
    one_more: OneMore | None = None
    """What one more iteration is worth; none where the person states no worth, or every gate passes."""
