"""The server of a scripted model: loopback only, and nothing is left of it after its context."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from setpoint.testing.model_server.dialects import Answer, Dialect, dialect_of
from setpoint.testing.model_server.failures import FaultCounter, refusal
from setpoint.testing.model_server.scenario import Fault, Scenario
from setpoint.testing.model_server.tools import Json, move

LONGEST_HANG_S = 900.0
_POLL_S = 0.05
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request for a move of the model."""

    path: str
    body: Json
    step: int
    """The step that was due, counted from 0."""
    tools: tuple[str, ...]
    """Names of the tools that the agent offered; none on the side, such as for a title."""
    fault: str = ""
    """Kind of the fault that it met."""


class ScriptedModel:
    """A model server that plays a scenario."""

    def __init__(self, scenario: Scenario, listener: Callable[[Asked], None] | None = None) -> None:
        """Nothing listens yet; `listener` is called, in the request's thread, before each answer."""
        self.scenario = scenario
        self.asked: list[Asked] = []
        """Every request for a move, the oldest first."""
        self.closing = threading.Event()
        self._down_s = 0.0
        self._faults = FaultCounter(scenario.faults)
        self._healed = False
        self._listener = listener
        self._server = _Server(0, self)
        self._port = int(self._server.server_port)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        """Return the address to point an agent at, without a path."""
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering, and end requests that hang."""
        self.closing.set()
        self._thread.join()

    def heal(self) -> None:
        """End all faults."""
        self._healed = True

    def go_down(self, seconds: float) -> None:
        """Have nothing listen for some seconds; open connections are closed."""
        self._down_s = seconds

    def meet(self, dialect: Dialect, path: str, body: Json) -> tuple[Asked, Fault | None]:
        """Record a request, and return the fault that it meets."""
        step, tools = dialect.played(body), tuple(dialect.tools(body))
        fault = None if self._healed else self._faults.meet(step, aside=not tools)
        asked = Asked(path=path, body=body, step=step, tools=tools, fault=fault.kind if fault else "")
        self.asked.append(asked)
        if self._listener is not None:
            self._listener(asked)
        return asked, fault

    def played(self, dialect: Dialect, asked: Asked) -> Answer:
        """Return the answer to a request that meets no fault."""
        tools = dialect.tools(asked.body)
        due = move(self.scenario, dialect.opening(asked.body), asked.step, tools)
        return dialect.answer(due, asked.body, asked.path)

    @property
    def is_down(self) -> bool:
        """Whether connections are closed without an answer."""
        return self._down_s > 0 or self.closing.is_set()

    def _serve(self) -> None:
        server = self._server
        while not self.closing.is_set():
            if self._down_s:
                server.server_close()
                self.closing.wait(self._down_s)
                server, self._down_s = _Server(self._port, self), 0.0
            server.handle_request()
        server.server_close()


@contextmanager
def scripted_model(
    scenario: Scenario, listener: Callable[[Asked], None] | None = None
) -> Iterator[ScriptedModel]:
    """Serve a scenario on a free port of loopback."""
    model = ScriptedModel(scenario, listener)
    model.open()
    try:
        yield model
    finally:
        model.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    timeout = _POLL_S

    def __init__(self, port: int, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", port), _Speaker)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet: agents that are ended close their connections in the middle."""


class _Speaker(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _model(self) -> ScriptedModel:
        server = self.server
        if not isinstance(server, _Server):
            raise TypeError(server)
        return server.model

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Keep quiet."""

    def do_HEAD(self) -> None:
        self._send(HTTPStatus.OK, "text/plain", b"")

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "nobody"}]}
        self._send(HTTPStatus.OK, "application/json", json.dumps(listed).encode())

    def do_POST(self) -> None:
        body: Json = json.loads(self._body() or b"{}")
        dialect = None if self._model.is_down else dialect_of(self.path.split("?", maxsplit=1)[0])
        if self._model.is_down:
            self._drop()
        elif dialect is None:  # it asks for no move; a count of tokens gets a number
            counted = {"totalTokens": 1000, "input_tokens": 1000}
            self._send(HTTPStatus.OK, "application/json", json.dumps(counted).encode())
        else:
            self._move(dialect, body)

    def _move(self, dialect: Dialect, body: Json) -> None:
        asked, fault = self._model.meet(dialect, self.path, body)
        if fault is None:
            self._answer(self._model.played(dialect, asked))
        elif fault.kind in ("status", "overflow"):
            told = refusal(fault)
            refused = dialect.refuse(told)
            headers = dict(refused.headers)
            if told.retry_after_s is not None:
                headers["retry-after"] = str(told.retry_after_s)
            self._send(told.status, "application/json", json.dumps(refused.body).encode(), headers)
        elif fault.kind == "slow":
            self._model.closing.wait(fault.seconds or 0)
            self._answer(self._model.played(dialect, asked))
        elif fault.kind == "cut":
            self._answer(_cut(self._model.played(dialect, asked), fault), whole=False)
        else:
            if fault.kind == "down":
                self._model.go_down(fault.seconds or 0)
            if fault.kind == "hang":
                self._model.closing.wait(LONGEST_HANG_S if fault.seconds is None else fault.seconds)
            self._drop()

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

    def _send(self, status: int, kind: str, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, answer: Answer, *, whole: bool = True) -> None:
        """Send an answer in chunks, one for each event; without the last one where it is cut."""
        kind, pieces = answer
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in filter(None, pieces):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.wfile.flush()
            self.close_connection = True

    def _drop(self) -> None:
        """Close the connection as a host does that is gone."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.connection.close()


def _cut(answer: Answer, fault: Fault) -> Answer:
    """Return the part of an answer that is sent before it breaks off."""
    kind, pieces = answer
    if fault.after is not None:
        return kind, pieces[: fault.after]
    room, kept = fault.after_bytes or 0, list[bytes]()
    for piece in pieces:
        kept.append(piece[:room])
        room -= len(kept[-1])
    return kind, kept
