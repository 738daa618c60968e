"""The dialect of OpenAI's chat completions: `/v1/chat/completions`, streamed or whole."""

from __future__ import annotations

import json

from real_agents.model_server.plan import Call, Json, Move

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


def speaks(path: str) -> bool:
    return path.endswith("/chat/completions")


def tools(body: Json) -> dict[str, Json]:
    declared = [tool["function"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
    return {function["name"]: function.get("parameters") or {} for function in declared}


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    messages = body.get("messages", [])
    results = sum(message.get("role") == "tool" for message in messages)
    texts = sum(message.get("role") == "assistant" and not message.get("tool_calls") for message in messages)
    return results + texts


def answer(move: Move, body: Json, path: str) -> tuple[str, bytes]:
    """Give content type and body of the answer."""
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
        return "application/json", json.dumps(whole).encode()
    chunk = {**about, "object": "chat.completion.chunk"}
    chunks: list[Json] = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**chunk, "choices": [], "usage": USAGE},
    ]
    lines = [f"data: {json.dumps(one)}\n\n" for one in chunks]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


def error(status: int) -> Json:
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status, "server_error")
    return {"error": {"message": "scripted failure", "type": kind, "code": str(status)}}
