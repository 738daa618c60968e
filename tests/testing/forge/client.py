"""A plain client of the fake forge, and a receiver of its webhooks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Answer:
    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: Any


@dataclass
class Client:
    """Asks the REST API; keeps every exchange."""

    forge: Any
    token: str = ""
    answers: list[Answer] = field(default_factory=list)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        sent = {
            "Accept": "application/vnd.github+json",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        full = path if path.startswith("/api") else f"/api/v3{path}"
        connection = HTTPConnection(urlsplit(self.forge.url).netloc, timeout=20)
        try:
            connection.request(method, full, None if body is None else json.dumps(body), sent)
            got = connection.getresponse()
            raw = got.read()
            headers = {name.lower(): text for name, text in got.getheaders()}
            answer = Answer(method, path, got.status, headers, json.loads(raw) if raw else None)
        finally:
            connection.close()
        self.answers.append(answer)
        return answer

    def repo(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        return self.ask(method, f"/repos/{self.forge.repository}{path}", body, **headers)

    def graphql(self, query: str, **variables: object) -> Any:
        return self.ask("POST", "/api/graphql", {"query": query, "variables": variables}).body

    def as_(self, token: str) -> Client:
        return Client(self.forge, token, self.answers)


@dataclass
class Receiver:
    """Takes webhooks and answers `status`."""

    url: str = ""
    status: int = 202
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """`event.action` of each, in the order of arrival."""
        found = []
        for headers, body in self.got:
            action = json.loads(body).get("action")
            found.append(headers["x-github-event"] + (f".{action}" if action else ""))
        return found

    @property
    def payloads(self) -> list[tuple[str, dict[str, Any]]]:
        return [(headers["x-github-event"], json.loads(body)) for headers, body in self.got]


@contextmanager
def receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Speaker(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            made.got.append(({name.lower(): text for name, text in self.headers.items()}, body))
            self.send_response(made.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Speaker)
    made.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
