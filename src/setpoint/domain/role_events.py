"""What happens between a role and the answer that counts; part of the union in `events`."""

from __future__ import annotations

from typing import Literal

from setpoint.domain.value import Text, Value


class AnswerRejected(Value):
    """A role answered otherwise than in the shape that was asked for."""

    kind: Literal["answer.rejected"] = "answer.rejected"
    phase: str
    iteration: int
    label: str
    """Names the question within the run."""
    agent: str
    reason: Text
    """In what the answer does not fit."""
    asked_again: bool
    """It is asked once more; otherwise it has no answer."""
