"""Pi: `pi --mode json`.

Calls begin and end with events of their own; each message of the model ends with its figures. A model that
does not answer appears as a message that ended with an error, after which it tries again.
"""

from __future__ import annotations

from setpoint.agents.streams.turn_record import Failure, Json, Tally, count, dollars, tokens
from setpoint.model.attempt import Stop


def read(event: Json, tally: Tally) -> None:
    """Take one event."""
    identifier = event.get("toolCallId")
    message = event.get("message")
    match event.get("type"):
        case "session":
            tally.session = str(event.get("id") or "")
        case "tool_execution_start" if isinstance(identifier, str):
            tally.began(identifier, str(event.get("toolName") or ""), event.get("args"))
        case "tool_execution_end" if isinstance(identifier, str):
            failed = event.get("isError") is True
            tally.ended(identifier, ok=not failed, output=event.get("result"))
        case "message_end" if isinstance(message, dict) and message.get("role") == "assistant":
            _message(message, tally)
        case "agent_end":
            if tally.trouble is not None:
                tally.fail(tally.trouble.message, tally.trouble.data)
        case "agent_start" | "turn_start":
            tally.failure = None  # a new try
        case _:
            pass


def _message(message: Json, tally: Tally) -> None:
    usage = message.get("usage")
    if isinstance(usage, dict):
        cached = count(usage.get("cacheRead")) or 0
        stored = count(usage.get("cacheWrite")) or 0
        figures = tokens(usage.get("input"), usage.get("output"), cached)
        cost = usage.get("cost")
        # Its input leaves out what came from the cache and what went there.
        tally.add(
            figures and (figures[0] + cached + stored, figures[1], cached),
            dollars(cost.get("total")) if isinstance(cost, dict) else None,
        )
    reason = message.get("stopReason")
    if reason == "error":
        said = str(message.get("errorMessage") or "the model did not answer")
        tally.trouble = Failure(message=said)
        return
    tally.trouble = None
    tally.stop = Stop.MAX_TOKENS if reason == "length" else Stop.END_TURN
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "text":
            tally.say(block.get("text"))
