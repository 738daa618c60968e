"""The dialect of Anthropic's messages: `/v1/messages`, streamed as typed events or whole."""

from __future__ import annotations

import itertools
import json
import time

from setpoint.testing.model_server.failures import Refusal, Refused
from setpoint.testing.model_server.tools import Call, Json, Move

USAGE = {
    "input_tokens": 1000,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 50,
}


def speaks(path: str) -> bool:
    """Return whether requests to this path ask for a move of the model."""
    return path.endswith("/messages")


def tools(body: Json) -> dict[str, Json]:
    """Return the schemas of the tools that a request offers, by name."""
    return {
        tool["name"]: tool.get("input_schema") or {} for tool in body.get("tools") or [] if "name" in tool
    }


def opening(body: Json) -> str:
    """Return the messages before the model's first move, as text."""
    begun = itertools.takewhile(lambda message: message["role"] != "assistant", body.get("messages", []))
    return json.dumps([message["content"] for message in begun], ensure_ascii=False)


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    count = 0
    for message in body.get("messages", []):
        blocks = message["content"] if isinstance(message["content"], list) else [{"type": "text"}]
        kinds = [block.get("type") for block in blocks]
        count += kinds.count("tool_result")
        count += message["role"] == "assistant" and "tool_use" not in kinds
    return count


def answer(move: Move, body: Json, path: str) -> tuple[str, list[bytes]]:
    """Write a move: content type, and the body in pieces."""
    del path
    number = played(body)
    if isinstance(move, Call):
        block: Json = {"type": "tool_use", "id": f"toolu_{number:04d}", "name": move.tool}
        begun, whole_block = {**block, "input": {}}, {**block, "input": move.arguments}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(move.arguments)}
        reason = "tool_use"
    else:
        begun, whole_block = {"type": "text", "text": ""}, {"type": "text", "text": move.text}
        delta, reason = {"type": "text_delta", "text": move.text}, "end_turn"
    whole = {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [whole_block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": USAGE,
    }
    if not body.get("stream"):
        return "application/json", [json.dumps(whole).encode()]
    opened = {**whole, "content": [], "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
    events: list[Json] = [
        {"type": "message_start", "message": opened},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 50},
        },
        {"type": "message_stop"},
    ]
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return "text/event-stream", [line.encode() for line in lines]


def refuse(refusal: Refusal) -> Refused:
    """Write an error."""
    name, message, headers = refusal.name, "scripted failure", {}
    if refusal.overflow:
        name, message = "invalid_request_error", "prompt is too long: 213423 tokens > 200000 maximum"
    if refusal.resets_in_s is not None:
        at = str(int(time.time()) + refusal.resets_in_s)
        headers = {
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-reset": at,
        }
    return Refused(body={"type": "error", "error": {"type": name, "message": message}}, headers=headers)
