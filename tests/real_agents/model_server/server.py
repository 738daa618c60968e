"""The server: one thread per request, nothing remembered between them but what was asked."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from real_agents.model_server import anthropic, gemini, openai, responses
from real_agents.model_server.plan import Json, Plan

DIALECTS = (gemini, openai, responses, anthropic)


@dataclass
class ScriptedModel:
    """A running model server."""

    plan: Plan
    status: int = 200
    """Every request for a move is answered with this status; errors in the dialect's own form."""
    url: str = ""
    asked: list[tuple[str, Json]] = field(default_factory=list)
    """Path and body of every request for a move."""


@contextmanager
def scripted_model(plan: Plan, *, status: int = 200) -> Iterator[ScriptedModel]:
    """Serve a plan on a free port of loopback."""
    model = ScriptedModel(plan, status)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _speaker(model))
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _reply(model: ScriptedModel, path: str, body: Json) -> tuple[int, str, bytes]:
    """Give status, content type and body; what asks for no move, such as a count of tokens, gets a number."""
    dialect = next((one for one in DIALECTS if one.speaks(path.split("?", maxsplit=1)[0])), None)
    if dialect is None:
        return 200, "application/json", json.dumps({"totalTokens": 1000, "input_tokens": 1000}).encode()
    model.asked.append((path, body))
    if model.status != HTTPStatus.OK:
        return model.status, "application/json", json.dumps(dialect.error(model.status)).encode()
    move = model.plan.move(dialect.played(body), dialect.tools(body))
    return 200, *dialect.answer(move, body, path)


def _speaker(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Keep quiet."""

        def do_HEAD(self) -> None:
            self._send(200, "text/plain", b"")

        def do_GET(self) -> None:
            listed = {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "nobody"}]}
            self._send(200, "application/json", json.dumps(listed).encode())

        def do_POST(self) -> None:
            self._send(*_reply(model, self.path, json.loads(self._body() or b"{}")))

        def _body(self) -> bytes:
            if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
                pieces = []
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                raw = b"".join(pieces)
            else:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

        def _send(self, status: int, kind: str, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Speaker
