"""Codex: `codex exec --json`.

A thread has turns, a turn has items: commands, changes of files, calls of other tools, messages. The tokens
that end a turn are those of the whole thread; there is no cost.
"""

from __future__ import annotations

from setpoint.agents.streams.turn_record import Failure, Json, Tally, tokens

_CALLS = frozenset(
    {"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call", "todo_list"}
)
_WELL = frozenset({"completed", "success"})


def read(event: Json, tally: Tally) -> None:
    """Take one event."""
    item = event.get("item")
    match event.get("type"):
        case "thread.started":
            tally.session = str(event.get("thread_id") or "")
        case "item.started" | "item.updated" | "item.completed" if isinstance(item, dict):
            _item(item, tally, done=event["type"] == "item.completed")
        case "turn.completed":
            usage = event.get("usage")
            if isinstance(usage, dict):
                tally.session_tokens = tokens(
                    usage.get("input_tokens"), usage.get("output_tokens"), usage.get("cached_input_tokens")
                )
        case "turn.failed":
            error = event.get("error")
            tally.fail(error.get("message") if isinstance(error, dict) else error, error)
        case "error":  # also while it tries again; `turn.failed` means that it gave up
            tally.trouble = Failure(message=str(event.get("message") or "an error"), data=event)
        case _:
            pass


def _item(item: Json, tally: Tally, *, done: bool) -> None:
    kind, identifier = str(item.get("type")), item.get("id")
    if kind == "agent_message" and done:
        tally.say(item.get("text"))
    if kind not in _CALLS or not isinstance(identifier, str):
        return
    tally.trouble = None
    name = item.get("tool") if kind == "mcp_tool_call" else kind
    given = {key: item[key] for key in ("command", "changes", "arguments", "query") if key in item}
    tally.began(identifier, str(name), given)
    changes = item.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict) and isinstance(change.get("path"), str):
            tally.touched(identifier, change["path"])
    if done:
        output = item.get("aggregated_output") or item.get("result") or item.get("error")
        tally.ended(identifier, ok=str(item.get("status", "completed")) in _WELL, output=output)
