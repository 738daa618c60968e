"""Events of agents that a person drives and that use Setpoint as a tool; none of them decides anything."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from setpoint.model.ids import TraceId
from setpoint.model.value import Text, Usd, Value

TRACE = TraceId("mcp")
"""Names the record of runs that agents asked for; it is not a run."""


class SuggestedAction(StrEnum):
    """What an agent suggests that a person does."""

    DISMISS = "dismiss"
    COMMENT = "comment"


class FeedbackSuggested(Value):
    """An agent suggests feedback on a run; it moves no learning unless a person confirms it."""

    kind: Literal["feedback.suggested_by_agent"] = "feedback.suggested_by_agent"
    suggestion: str
    """Its id: `sug-` and hexadecimal digits."""
    action: SuggestedAction
    finding: str = ""
    """Fingerprint of the finding to dismiss."""
    file: Text = ""
    line: int = 0
    """1-based line that the suggestion is about; 0: none."""
    message: Text = ""
    """The message of the finding."""
    text: Text
    """The reason or the comment, in the agent's words."""
    client: Text
    """The agent, as its program names itself."""


class SuggestionSettled(Value):
    """A person confirmed or refused what an agent suggested."""

    kind: Literal["feedback.suggestion_settled"] = "feedback.suggestion_settled"
    suggestion: str
    confirmed: bool
    """What follows from it is recorded as the person's own feedback."""
    by: Text


class RunRequested(Value):
    """An agent that a person drives had a run started."""

    kind: Literal["mcp.run_requested"] = "mcp.run_requested"
    request: Text
    client: Text
    """The agent, as its program names itself."""
    max_cost_usd: Usd


AboutOwnAgents = FeedbackSuggested | SuggestionSettled | RunRequested
"""What agents that a person drives had recorded, and what the person made of it."""
