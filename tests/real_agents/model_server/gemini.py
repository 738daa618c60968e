"""The dialect of the Gemini API: `/v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""

from __future__ import annotations

import json

from real_agents.model_server.plan import Call, Json, Move, Text


def speaks(path: str) -> bool:
    return "enerateContent" in path


def tools(body: Json) -> dict[str, Json]:
    return {
        declared["name"]: declared.get("parametersJsonSchema") or declared.get("parameters") or {}
        for tool in body.get("tools") or []
        for declared in tool.get("functionDeclarations", [])
    }


def played(body: Json) -> int:
    """Count the model's moves so far: answered calls and plain texts."""
    count, answered = 0, set[str]()
    for content in body.get("contents", []):
        parts = content.get("parts", [])
        responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
        # A session that was resumed may hold the same answer twice.
        answered |= {str(each.get("id") or f"{each['name']} {count}") for each in responses}
        is_model = content.get("role") == "model"
        count += (
            is_model
            and any("text" in part for part in parts)
            and not any("functionCall" in part for part in parts)
        )
    return count + len(answered)


def answer(move: Move, body: Json, path: str) -> tuple[str, bytes]:
    """Give content type and body of the answer."""
    wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
    if wants_json:  # the agent's own questions on the side, such as which model suits the request
        move = Text(json.dumps({"reasoning": "scripted", "model_choice": "flash", "next_speaker": "user"}))
    part = (
        {"functionCall": {"name": move.tool, "args": move.arguments}}
        if isinstance(move, Call)
        else {"text": move.text}
    )
    reply = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050},
        "modelVersion": "scripted",
    }
    data = json.dumps(reply)
    if "streamGenerateContent" in path:
        return "text/event-stream", f"data: {data}\n\n".encode()
    return "application/json", data.encode()


def error(status: int) -> Json:
    name = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}.get(status, "INTERNAL")
    return {"error": {"code": status, "message": "scripted failure", "status": name}}
