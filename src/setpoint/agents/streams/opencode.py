"""OpenCode: `opencode run --format json`.

Parts of messages as they are finished: calls with their own times, text, and the figures of each step.
"""

from __future__ import annotations

from setpoint.agents.streams.turn_record import Json, Tally, count, dollars, tokens

_MS = 1000


def read(event: Json, tally: Tally) -> None:
    """Take one event."""
    tally.session = str(event.get("sessionID") or "") or tally.session
    part = event.get("part")
    match event.get("type"):
        case "tool_use" if isinstance(part, dict):
            _call(part, tally)
        case "text" if isinstance(part, dict):
            tally.say(part.get("text"))
        case "step_finish" if isinstance(part, dict):
            _figures(part, tally)
        case "error":
            error = event.get("error")
            data = error.get("data") if isinstance(error, dict) else None
            tally.fail(data.get("message") if isinstance(data, dict) else str(error), error)
        case _:
            pass


def _call(part: Json, tally: Tally) -> None:
    identifier, state = part.get("callID"), part.get("state")
    if not isinstance(identifier, str) or not isinstance(state, dict):
        return
    over = state.get("status") in ("completed", "error")
    tally.began(identifier, str(part.get("tool") or ""), state.get("input"), over=over)
    if not over:
        return
    told = state.get("metadata")
    code = told.get("exit") if isinstance(told, dict) else None
    tally.ended_before(
        identifier,
        ok=state["status"] == "completed" and code in (None, 0),
        output=state.get("output") or state.get("error"),
        lasted_s=_lasted(state.get("time")),
    )


def _lasted(times: object) -> float | None:
    if not isinstance(times, dict):
        return None
    start, end = count(times.get("start")), count(times.get("end"))
    return None if start is None or end is None or end < start else (end - start) / _MS


def _figures(part: Json, tally: Tally) -> None:
    told = part.get("tokens")
    if not isinstance(told, dict):
        tally.add(None, dollars(part.get("cost")))
        return
    cache = told.get("cache")
    cached, stored = (_of(cache, key) for key in ("read", "write"))
    figures = tokens(told.get("input"), told.get("output"), cached)
    # Its input leaves out what came from the cache and what went there, its output what was thought.
    whole = figures and (figures[0] + cached + stored, figures[1] + _of(told, "reasoning"), cached)
    tally.add(whole, dollars(part.get("cost")))


def _of(figures: object, key: str) -> int:
    return (count(figures.get(key)) or 0) if isinstance(figures, dict) else 0
