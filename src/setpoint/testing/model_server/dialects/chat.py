"""The dialect of OpenAI's chat completions: `/v1/chat/completions`, streamed or whole."""

from __future__ import annotations

import itertools
import json

from setpoint.testing.model_server.failures import Refusal, Refused
from setpoint.testing.model_server.tools import Call, Json, Move

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


def speaks(path: str) -> bool:
    """Return whether requests to this path ask for a move of the model."""
    return path.endswith("/chat/completions")


def tools(body: Json) -> dict[str, Json]:
    """Return the schemas of the tools that a request offers, by name."""
    declared = [tool["function"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
    return {function["name"]: function.get("parameters") or {} for function in declared}


def opening(body: Json) -> str:
    """Return the messages before the model's first move, as text."""
    begun = itertools.takewhile(lambda message: message["role"] != "assistant", body.get("messages", []))
    told = [message.get("content") for message in begun if message["role"] == "user"]
    return json.dumps(told, ensure_ascii=False)


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    messages = body.get("messages", [])
    results = sum(message.get("role") == "tool" for message in messages)
    texts = sum(message.get("role") == "assistant" and not message.get("tool_calls") for message in messages)
    return int(results + texts)


def answer(move: Move, body: Json, path: str) -> tuple[str, list[bytes]]:
    """Write a move: content type, and the body in pieces."""
    del path
    number = played(body)
    if isinstance(move, Call):
        function = {"name": move.tool, "arguments": json.dumps(move.arguments)}
        calls = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
        message: Json = {"role": "assistant", "content": None, "tool_calls": calls}
        finish = "tool_calls"
    else:
        message, finish = {"role": "assistant", "content": move.text}, "stop"
    about = {"id": f"chat-{number}", "created": 0, "model": body.get("model", "scripted")}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        whole = {**about, "object": "chat.completion", "choices": [choice], "usage": USAGE}
        return "application/json", [json.dumps(whole).encode()]
    chunk = {**about, "object": "chat.completion.chunk"}
    chunks: list[Json] = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**chunk, "choices": [], "usage": USAGE},
    ]
    lines = [f"data: {json.dumps(one)}\n\n" for one in chunks]
    return "text/event-stream", [line.encode() for line in (*lines, "data: [DONE]\n\n")]


def refuse(refusal: Refusal) -> Refused:
    """Write an error."""
    if refusal.overflow:
        message = (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 "
            "tokens. Please reduce the length of the messages."
        )
        error: Json = {"message": message, "type": "invalid_request_error", "param": "messages"}
        return Refused(body={"error": {**error, "code": "context_length_exceeded"}})
    error = {"message": "scripted failure", "type": refusal.name, "code": str(refusal.status)}
    if refusal.resets_in_s is None:
        return Refused(body={"error": error})
    return Refused(body={"error": error}, headers={"x-ratelimit-reset-requests": f"{refusal.resets_in_s}s"})
