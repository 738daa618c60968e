"""The four dialects of models by API on loopback, each giving whole answers; no key is looked at but kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Move = str | tuple[str, Json]


@dataclass
class Apis:
    """A server that plays its moves, one per request, in whatever dialect it is asked."""

    moves: list[Move]
    status: int = 200
    usage: bool = True
    url: str = ""
    asked: list[tuple[str, Json, dict[str, str]]] = field(default_factory=list)

    def reply(self, path: str) -> Json:
        move = self.moves.pop(0)
        if "/chat/completions" in path:
            return _chat(move, usage=self.usage)
        if "/responses" in path:
            return _responses(move)
        return _messages(move) if "/messages" in path else _google(move)


@contextmanager
def serving(*moves: Move, status: int = 200, usage: bool = True) -> Iterator[Apis]:
    apis = Apis(list(moves), status, usage)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _speaker(apis))
    apis.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield apis
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _chat(move: Move, *, usage: bool) -> Json:
    if isinstance(move, str):
        message: Json = {"role": "assistant", "content": move}
    else:
        function = {"name": move[0], "arguments": json.dumps(move[1])}
        calls = [{"id": "c1", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "stop" if isinstance(move, str) else "tool_calls",
    }
    spent = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
    about = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
    return {**about, "usage": spent} if usage else about


def _responses(move: Move) -> Json:
    if isinstance(move, str):
        content = [{"type": "output_text", "text": move, "annotations": []}]
        item: Json = {
            "type": "message",
            "id": "m1",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    else:
        item = {"type": "function_call", "id": "f1", "call_id": "c1", "status": "completed"}
        item |= {"name": move[0], "arguments": json.dumps(move[1])}
    details = {
        "input_tokens_details": {"cached_tokens": 200},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    spent = {"input_tokens": 1000, "output_tokens": 50, "total_tokens": 1050, **details}
    about = {"id": "r1", "object": "response", "created_at": 1, "model": "scripted", "status": "completed"}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**about, **rest, "output": [item], "usage": spent}


def _messages(move: Move) -> Json:
    block: Json = (
        {"type": "text", "text": move}
        if isinstance(move, str)
        else {"type": "tool_use", "id": "t1", "name": move[0], "input": move[1]}
    )
    reason = "end_turn" if isinstance(move, str) else "tool_use"
    about = {"id": "m1", "type": "message", "role": "assistant", "model": "scripted", "stop_sequence": None}
    spent = {"input_tokens": 1000, "output_tokens": 50}
    return {**about, "content": [block], "stop_reason": reason, "usage": spent}


def _google(move: Move) -> Json:
    part: Json = (
        {"text": move} if isinstance(move, str) else {"functionCall": {"name": move[0], "args": move[1]}}
    )
    spent = {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": spent, "modelVersion": "scripted", "responseId": "g1"}


def _error(path: str, status: int) -> Json:
    if "/messages" in path:
        names = {401: "authentication_error", 429: "rate_limit_error"}
        return {"type": "error", "error": {"type": names.get(status, "api_error"), "message": "scripted"}}
    if "enerateContent" in path:
        names = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}
        return {"error": {"code": status, "message": "scripted", "status": names.get(status, "INTERNAL")}}
    return {"error": {"message": "scripted", "type": "scripted", "code": str(status)}}


def _speaker(apis: Apis) -> type[BaseHTTPRequestHandler]:
    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Keep quiet."""

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            apis.asked.append((self.path, body, {key.lower(): value for key, value in self.headers.items()}))
            answer = apis.reply(self.path) if apis.status == 200 else _error(self.path, apis.status)
            data = json.dumps(answer).encode()
            self.send_response(apis.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Speaker
