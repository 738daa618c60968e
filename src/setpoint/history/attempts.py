"""Two parts of a run's history: the tries of the maker, and the questions to a person."""

from __future__ import annotations

from setpoint.model.attempt import Mode, ToolCall, Usage
from setpoint.model.gate import Answer, Gate
from setpoint.model.value import Instant, Value


class Try(Value):
    """One try of an attempt of the maker, as far as it was recorded."""

    label: str
    attempt: int
    """1 for the first try of this label."""
    phase: str
    iteration: int
    agent: str
    mode: Mode
    prompt: str = ""
    """Artifact that holds the prompt."""
    started_at: Instant
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """What it was last known to have used; none where it never told."""
    finished: bool = False
    """Whether its result was committed; false for a try that broke, was lost or is under way."""


class GateQuestion(Value):
    """A question to a person, with its answer as far as there is one."""

    gate: Gate
    answer: Answer | None = None
    """None while nobody has answered."""
    answered_at: Instant | None = None

    @property
    def response_s(self) -> float | None:
        """Seconds until the answer; none while there is none."""
        return (self.answered_at - self.gate.asked_at).total_seconds() if self.answered_at else None
