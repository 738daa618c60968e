"""Claude Code: `claude -p --output-format stream-json --verbose`.

Each message of the model and each answer of a tool is an event; `result` ends the turn. Its cost is that of
the whole session, its tokens are those of the turn. While the model does not answer it reports each new try.
"""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.agents.streams.turn_record import Failure, Json, Tally, count, dollars, tokens
from setpoint.model.attempt import Stop

_REFUSED = (401, 403)
_TRIES = 2
"""A key that was refused so often will not be taken the next time either."""
_STOPS = {
    "error_max_turns": Stop.MAX_TURNS,
    "error_max_budget_usd": Stop.CANCELLED,
    "max_tokens": Stop.MAX_TOKENS,
    "refusal": Stop.REFUSAL,
}


def read(event: Json, tally: Tally) -> None:
    """Take one event."""
    match event.get("type"):
        case "system":
            _system(event, tally)
        case "assistant":
            _message(event, tally)
        case "user":
            for block in _blocks(event):
                if block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str):
                    failed = block.get("is_error") is True
                    tally.ended(block["tool_use_id"], ok=not failed, output=block.get("content"))
        case "result":
            _result(event, tally)
        case _:
            pass


def _system(event: Json, tally: Tally) -> None:
    if event.get("subtype") == "init":
        tally.session = str(event.get("session_id") or "")
        tally.model = str(event.get("model") or "")
        tally.version = str(event.get("claude_code_version") or "")
    elif event.get("subtype") == "api_retry":
        status, said = event.get("error_status"), str(event.get("error") or "no answer from the model")
        data = {"status": status, "type": said}
        tally.trouble = Failure(message=f"{said} (status {status})", data=data)
        if status in _REFUSED and (count(event.get("attempt")) or 0) >= _TRIES:
            tally.fail(tally.trouble.message, data)
            tally.hopeless = True


def _message(event: Json, tally: Tally) -> None:
    for block in _blocks(event):
        if block.get("type") == "text":
            tally.say(block.get("text"))
        elif block.get("type") == "tool_use" and isinstance(block.get("id"), str):
            tally.trouble = None
            tally.began(block["id"], str(block.get("name") or ""), block.get("input"))


def _result(event: Json, tally: Tally) -> None:
    usage = event.get("usage")
    if isinstance(usage, dict):
        cached = count(usage.get("cache_read_input_tokens")) or 0
        stored = count(usage.get("cache_creation_input_tokens")) or 0
        figures = tokens(usage.get("input_tokens"), usage.get("output_tokens"), cached)
        # Its input leaves out what came from the cache and what went there.
        tally.total(figures and (figures[0] + cached + stored, figures[1], cached))
    cost = dollars(event.get("total_cost_usd"))
    tally.session_cost = cost if cost is not None else tally.session_cost
    reason = _STOPS.get(str(event.get("subtype"))) or _STOPS.get(str(event.get("stop_reason")))
    if reason is not None:
        tally.stop = reason
    elif event.get("is_error") is True:
        said = event.get("result") or event.get("subtype")
        trouble = tally.trouble.data if tally.trouble else None
        status = event.get("api_error_status")
        tally.fail(said, {"status": status} if status else trouble)


def _blocks(event: Json) -> Iterator[Json]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            yield block
