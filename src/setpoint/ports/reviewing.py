"""What a run needs to know of its reviewers from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from setpoint.model.verdict import ReviewerVersion


class Reviewing(NamedTuple):
    """Tells reviewers apart, and says which of them may block."""

    prompt_version: Callable[[str], str] = lambda _: ""
    """Digest of a prompt template with all that it includes, by its name."""
    model: Callable[[str], str] = lambda _: ""
    """The model that the settings name for an agent; empty where they name none."""
    why_advice: Callable[[str, ReviewerVersion], str] = lambda _, __: ""
    """Why a reviewer of this kind may only advise, as a rule with its reason; empty where it may block."""
