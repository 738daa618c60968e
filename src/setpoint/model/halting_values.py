"""What one more turn is expected to be worth, as recorded with a decision of the loop."""

from __future__ import annotations

from setpoint.model.value import Value


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
