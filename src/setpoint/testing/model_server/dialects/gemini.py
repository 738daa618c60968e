"""The dialect of the Gemini API: `/v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""

from __future__ import annotations

import itertools
import json

from setpoint.testing.model_server.failures import Refusal, Refused
from setpoint.testing.model_server.tools import Call, Json, Move, Text


def speaks(path: str) -> bool:
    """Return whether requests to this path ask for a move of the model."""
    return "enerateContent" in path


def tools(body: Json) -> dict[str, Json]:
    """Return the schemas of the tools that a request offers, by name."""
    return {
        declared["name"]: declared.get("parametersJsonSchema") or declared.get("parameters") or {}
        for tool in body.get("tools") or []
        for declared in tool.get("functionDeclarations", [])
    }


def opening(body: Json) -> str:
    """Return the messages before the model's first move, as text."""
    begun = itertools.takewhile(lambda content: content.get("role") != "model", body.get("contents", []))
    return json.dumps([content.get("parts") for content in begun], ensure_ascii=False)


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


def answer(move: Move, body: Json, path: str) -> tuple[str, list[bytes]]:
    """Write a move: content type, and the body in pieces."""
    wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
    if wants_json:  # the agent's own questions on the side, such as which model suits the request
        said = {"reasoning": "scripted", "model_choice": "flash", "next_speaker": "user"}
        move = Text(text=json.dumps(said))
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
        return "text/event-stream", [f"data: {data}\n\n".encode()]
    return "application/json", [data.encode()]


def refuse(refusal: Refusal) -> Refused:
    """Write an error."""
    names = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    error: Json = {"code": refusal.status, "message": "scripted failure"}
    error["status"] = names.get(refusal.status, "INTERNAL")
    if refusal.overflow:
        error["status"] = "INVALID_ARGUMENT"
        error["message"] = (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
        )
    if refusal.resets_in_s is not None:
        info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{refusal.resets_in_s}s"}
        error["details"] = [info]
    return Refused(body={"error": error})
