"""The dialect of OpenAI's responses: `/v1/responses`, streamed as typed events or whole."""

from __future__ import annotations

import itertools
import json
import time

from setpoint.testing.model_server.failures import Refusal, Refused
from setpoint.testing.model_server.tools import Call, Json, Move

USAGE = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 1050,
}


def speaks(path: str) -> bool:
    """Return whether requests to this path ask for a move of the model."""
    return path.endswith("/responses")


def tools(body: Json) -> dict[str, Json]:
    """Return the schemas of the tools that a request offers, by name; `NAMESPACE__NAME` in a namespace."""
    return {name: tool.get("parameters") or {} for name, (_, tool) in _declared(body).items()}


def _declared(body: Json) -> dict[str, tuple[str, Json]]:
    """Return the namespace, empty for none, and the declaration of each tool."""
    found: dict[str, tuple[str, Json]] = {}
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            found[tool["name"]] = ("", tool)
        for inner in tool.get("tools") or [] if tool.get("type") == "namespace" else []:
            found[f"{tool['name']}__{inner['name']}"] = (tool["name"], inner)
    return found


def opening(body: Json) -> str:
    """Return the messages before the model's first move, as text."""
    entries = [entry for entry in body.get("input") or [] if isinstance(entry, dict)]
    begun = itertools.takewhile(lambda entry: entry.get("role") in ("user", "developer", "system"), entries)
    told = [entry.get("content") for entry in begun if entry["role"] == "user"]
    return json.dumps(told, ensure_ascii=False)


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    entries = [entry for entry in body.get("input") or [] if isinstance(entry, dict)]
    results = sum(str(entry.get("type", "")).endswith("_output") for entry in entries)
    texts = sum(
        entry.get("type", "message") == "message" and entry.get("role") == "assistant" for entry in entries
    )
    return int(results + texts)


def answer(move: Move, body: Json, path: str) -> tuple[str, list[bytes]]:
    """Write a move: content type, and the body in pieces."""
    del path
    number = played(body)
    if isinstance(move, Call):
        words = json.dumps(move.arguments)
        entry: Json = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        namespace, tool = _declared(body).get(move.tool, ("", {"name": move.tool}))
        entry |= {"name": tool["name"], "arguments": words, "status": "completed"}
        entry |= {"namespace": namespace} if namespace else {}
    else:
        content = [{"type": "output_text", "text": move.text, "annotations": []}]
        entry = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
        entry |= {"status": "completed"}
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": [entry],
        "usage": USAGE,
        "error": None,
    }
    if not body.get("stream"):
        return "application/json", [json.dumps(whole).encode()]
    lines = [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': place})}\n\n"
        for place, event in enumerate(_events(entry, whole))
    ]
    return "text/event-stream", [line.encode() for line in lines]


def _events(entry: Json, whole: Json) -> list[Json]:
    at = {"item_id": entry["id"], "output_index": 0}
    if entry["type"] == "message":
        begun = {**entry, "status": "in_progress", "content": []}
        part = entry["content"][0]
        text = {**at, "content_index": 0}
        inner: list[Json] = [
            {"type": "response.content_part.added", **text, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **text, "delta": part["text"]},
            {"type": "response.output_text.done", **text, "text": part["text"]},
            {"type": "response.content_part.done", **text, "part": part},
        ]
    else:
        begun = {**entry, "status": "in_progress", "arguments": ""}
        inner = [
            {"type": "response.function_call_arguments.delta", **at, "delta": entry["arguments"]},
            {"type": "response.function_call_arguments.done", **at, "arguments": entry["arguments"]},
        ]
    opened = {**whole, "status": "in_progress", "output": [], "usage": None}
    return [
        {"type": "response.created", "response": opened},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *inner,
        {"type": "response.output_item.done", "output_index": 0, "item": entry},
        {"type": "response.completed", "response": whole},
    ]


def refuse(refusal: Refusal) -> Refused:
    """Write an error."""
    error: Json = {"message": "scripted failure", "type": refusal.name, "code": str(refusal.status)}
    if refusal.overflow:
        message = (
            "Your input exceeds the context window of this model. Please adjust your input and try again."
        )
        error = {"message": message, "type": "invalid_request_error", "param": "input"}
        error["code"] = "context_length_exceeded"
    elif refusal.resets_in_s is not None:
        error = {"type": "usage_limit_reached", "message": "The usage limit has been reached"}
        error |= {"plan_type": "plus", "resets_in_seconds": refusal.resets_in_s}
        error["resets_at"] = int(time.time()) + refusal.resets_in_s
    return Refused(body={"error": error})
