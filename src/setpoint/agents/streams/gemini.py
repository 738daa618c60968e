"""Gemini CLI: `gemini --output-format stream-json`.

Calls begin and end with events of their own; `result` ends the turn with its tokens; there is no cost. A
command that failed inside its shell tool appears as a success, because the tool itself worked.
"""

from __future__ import annotations

from setpoint.agents.streams.turn_record import Json, Tally, tokens


def read(event: Json, tally: Tally) -> None:
    """Take one event."""
    identifier = event.get("tool_id")
    match event.get("type"):
        case "init":
            tally.session = str(event.get("session_id") or "")
            tally.model = str(event.get("model") or "")
        case "message":
            if event.get("role") == "assistant":
                tally.say(event.get("content"), goes_on=_goes_on(event, tally))
        case "tool_use" if isinstance(identifier, str):
            tally.began(identifier, str(event.get("tool_name") or ""), event.get("parameters"))
        case "tool_result" if isinstance(identifier, str):
            output = event.get("output") or event.get("error")
            tally.ended(identifier, ok=event.get("status") == "success", output=output)
        case "error":
            if event.get("severity") == "error":
                tally.fail(event.get("message"), event)
        case "result":
            _result(event, tally)
        case _:
            pass


def _goes_on(event: Json, tally: Tally) -> bool:
    """Return whether a piece belongs to the piece before it: nothing came between."""
    return event.get("delta") is True and tally.last == "say"


def _result(event: Json, tally: Tally) -> None:
    stats = event.get("stats")
    if isinstance(stats, dict):
        tally.total(tokens(stats.get("input_tokens"), stats.get("output_tokens"), stats.get("cached")))
    if event.get("status") == "error":
        error = event.get("error")
        tally.fail(error.get("message") if isinstance(error, dict) else error, error)
