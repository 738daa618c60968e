"""The scripted agent's end of the protocol, with the standard library alone, so that it starts at once."""

from __future__ import annotations

import json
import queue
import threading
from typing import Any, BinaryIO

Message = dict[str, Any]
"""A JSON-RPC message, or a part of one: the protocol's own shape, at the edge."""

FAILURES: dict[str, Message] = {
    "auth": {"code": -32000, "message": "Authentication required"},
    "rate_limit": {
        "code": -32603,
        "message": "Internal error",
        "data": {"status": 429, "details": "quota used up"},
    },
    "model": {"code": -32603, "message": "Internal error", "data": {"status": 503, "details": "overloaded"}},
}
"""Errors by the short name a script may use."""


class Failed(Exception):
    """The request is answered with an error."""

    def __init__(self, error: Message) -> None:
        """Take the error object."""
        super().__init__(error.get("message", ""))
        self.error = error


class Cancelled(Exception):
    """The client cancelled the turn."""

    def __init__(self, answer: Message | None = None) -> None:
        """Take what the answer to the prompt holds up to then."""
        super().__init__()
        self.answer = answer or {}


class Wire:
    """Messages in and out; a thread reads, so that a cancel is seen while a step is played."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Start reading."""
        self.requests: queue.Queue[Message | None] = queue.Queue()
        self.answers: queue.Queue[Message] = queue.Queue()
        self.cancelled = threading.Event()
        self._source = source
        self._sink = sink
        self._asked = 0
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message: Message) -> None:
        """Send one message as one line."""
        self._sink.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._sink.flush()

    def lines(self, text: bytes) -> None:
        """Send bytes as they are."""
        self._sink.write(text)
        self._sink.flush()

    def ask(self, method: str, params: Message) -> Message:
        """Send a request and wait for its answer."""
        self._asked += 1
        self.send({"id": f"ask-{self._asked}", "method": method, "params": params})
        while not self.cancelled.is_set():
            try:
                answer = self.answers.get(timeout=0.05)
            except queue.Empty:
                continue
            result: Message = answer.get("result") or {}
            return result
        raise Cancelled

    def _read(self) -> None:
        for line in self._source:
            message = json.loads(line)
            if message.get("method") == "session/cancel":
                self.cancelled.set()
            elif "method" in message:
                self.requests.put(message)
            else:
                self.answers.put(message)
        self.cancelled.set()
        self.requests.put(None)
