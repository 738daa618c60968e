"""The HTTP server of a fake forge: loopback only, REST and GraphQL below `/api`, git below the repository."""

from __future__ import annotations

import base64
import gzip
import json
import socket
import struct
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from setpoint.testing.forge import git_http
from setpoint.testing.forge.faults import FaultList, ForgeFault
from setpoint.testing.forge.records import Caller
from setpoint.testing.forge.refusal import Refused
from setpoint.testing.forge.rest.dispatch import GRAPHQL, PREFIX, HttpAnswer, respond
from setpoint.testing.forge.rest.exchange import Ask
from setpoint.testing.forge.world import World

_POLL_S = 0.05
_RESET = struct.pack("ii", 1, 0)


class ForgeServer:
    """Serves a world on a free port."""

    def __init__(self, world: World) -> None:
        """Listen, but answer nothing before `open`."""
        self.world = world
        self.faults = FaultList()
        self.closing = threading.Event()
        self.asked: list[tuple[str, str, int]] = []
        """Method, path with query and status of each answered request, the oldest first."""
        self._server = _Server(self)
        world.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True)

    def open(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering, and end slow answers."""
        self.closing.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, forge: ForgeServer) -> None:
        super().__init__(("127.0.0.1", 0), _Speaker)
        self.forge = forge

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet: clients that are ended close their connections in the middle."""


class _Speaker(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _forge(self) -> ForgeServer:
        server = self.server
        if not isinstance(server, _Server):
            raise TypeError(server)
        return server.forge

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Keep quiet."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        raw, forge = self._body(), self._forge
        fault = forge.faults.meet(self.path)
        if fault is not None:
            if fault.after:
                self._respond(raw)
            forge.closing.wait(fault.seconds)
            if fault.status != HTTPStatus.OK:
                self._fail(fault)
                return
        self._send(self._respond(raw))

    def _respond(self, raw: bytes) -> HttpAnswer:
        world, address = self._forge.world, urlsplit(self.path)
        token = _token(self.headers.get("authorization") or "")
        with world.lock:
            caller = _caller(world, token)
        if git_http.concerns(world, address.path):
            return self._git(raw, caller, bad_token=bool(token) and caller is None)
        inside = address.path == GRAPHQL or address.path.startswith(f"{PREFIX}/")
        if not inside:
            refused = Refused(404, "Not Found")
            return HttpAnswer(status=404, headers={}, body=json.dumps(refused.body).encode())
        ask = Ask(
            world=world,
            method=self.command,
            path=address.path.removeprefix(PREFIX).rstrip("/"),
            query=dict(parse_qsl(address.query)),
            body={},
            caller=caller,
            token=token,
        )
        bad = bool(token) and caller is None and not token.startswith("ey")  # the app's JWT is checked there
        with world.lock:
            return respond(world, ask, raw, bad_token=bad, none_match=self.headers.get("if-none-match") or "")

    def _git(self, raw: bytes, caller: Caller | None, *, bad_token: bool) -> HttpAnswer:
        if bad_token:
            told = b"Invalid username or token.\n"
            asks = {"WWW-Authenticate": 'Basic realm="GitHub"', "Content-Type": "text/plain"}
            return HttpAnswer(status=401, headers=asks, body=told)
        address = urlsplit(self.path)
        request = git_http.GitRequest(
            method=self.command,
            path=address.path,
            query=address.query,
            headers={name.lower(): text for name, text in self.headers.items()},
            body=raw,
        )
        answer = git_http.serve(self._forge.world, request, caller)
        return HttpAnswer(status=answer.status, headers=answer.headers, body=answer.body)

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
        api = self.path.startswith("/api/")
        return gzip.decompress(raw) if api and self.headers.get("content-encoding") == "gzip" else raw

    def _send(self, answer: HttpAnswer) -> None:
        self._forge.asked.append((self.command, self.path, answer.status))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _fail(self, fault: ForgeFault) -> None:
        if not fault.status:
            self._forge.asked.append((self.command, self.path, 0))
            self._drop()
            return
        body = Refused(fault.status, fault.message).body
        headers = {"Content-Type": "application/json; charset=utf-8", **fault.headers}
        self._send(HttpAnswer(status=fault.status, headers=headers, body=json.dumps(body).encode()))

    def _drop(self) -> None:
        """Close the connection as a host does that is gone."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.connection.close()


def _token(authorization: str) -> str:
    """Return the token of a request: as bearer, or as the password of basic authentication."""
    kind, _, value = authorization.partition(" ")
    if kind.lower() in ("token", "bearer"):
        return value.strip()
    if kind.lower() != "basic":
        return ""
    try:
        login, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return "invalid"
    return password or login


def _caller(world: World, token: str) -> Caller | None:
    caller = world.tokens.get(token)
    if caller is None or (caller.expires is not None and caller.expires <= world.at()):
        return None
    return caller
