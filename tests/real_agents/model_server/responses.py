"""The dialect of OpenAI's responses: `/v1/responses`, streamed as typed events or whole."""

from __future__ import annotations

import json

from real_agents.model_server.plan import Call, Json, Move

USAGE = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 1050,
}


def speaks(path: str) -> bool:
    return path.endswith("/responses")


def tools(body: Json) -> dict[str, Json]:
    declared = [tool for tool in body.get("tools") or [] if tool.get("type") == "function"]
    return {tool["name"]: tool.get("parameters") or {} for tool in declared}


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    entries = [entry for entry in body.get("input") or [] if isinstance(entry, dict)]
    results = sum(str(entry.get("type", "")).endswith("_output") for entry in entries)
    texts = sum(
        entry.get("type", "message") == "message" and entry.get("role") == "assistant" for entry in entries
    )
    return results + texts


def answer(move: Move, body: Json, path: str) -> tuple[str, bytes]:
    """Give content type and body of the answer."""
    del path
    number = played(body)
    if isinstance(move, Call):
        words = json.dumps(move.arguments)
        entry: Json = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        entry |= {"name": move.tool, "arguments": words, "status": "completed"}
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
        return "application/json", json.dumps(whole).encode()
    lines = [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': place})}\n\n"
        for place, event in enumerate(_events(entry, whole))
    ]
    return "text/event-stream", "".join(lines).encode()


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


def error(status: int) -> Json:
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status, "server_error")
    return {"error": {"message": "scripted failure", "type": kind, "code": str(status)}}
