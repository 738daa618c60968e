"""Which reviewers may send work back."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Value


class ReviewerTerms(Value):
    """What a reviewer has to show on your own runs before its request for changes binds."""

    block_only_after_eval: bool = False
    """Whether agent, version, model and prompt must be evaluated by `setpoint admin reviewers eval` first."""
    min_precision: float = Field(default=0.5, ge=0, le=1)
    """Least share of its decided blocking findings that were right in the eval."""
    min_decided: int = Field(default=5, ge=1)
    """Least number of its blocking findings in the eval that what happened afterwards decides."""
