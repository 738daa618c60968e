"""The raw exchange with an agent, kept so that everything told about an attempt can be looked up."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

TRANSCRIPT_BYTES = 32 << 20
"""What is kept of one attempt's exchange; the rest is counted."""
_SECRET_CHARS = 8
"""Shorter values of handed-on variables are no secrets worth the confusion of replacing them."""


class Transcript:
    """The raw exchange with an agent, as JSON lines, without the secrets that were handed to it."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Replace these values, by name, wherever they appear."""
        self._secrets = {value: f"[{name}]" for name, value in secrets.items() if len(value) >= _SECRET_CHARS}
        self._data = bytearray()
        self._dropped = 0
        self._began_s = time.monotonic()

    def message(self, source: str, line: bytes) -> None:
        """Record a message, which is JSON already."""
        self._record(source, "message", line.strip())

    def text(self, source: str, text: str) -> None:
        """Record text that is no message."""
        self._record(source, "text", json.dumps(text).encode())

    def take(self) -> bytes:
        """Give what was recorded, and begin anew."""
        if self._dropped:
            self._data += json.dumps({"from": "setpoint", "dropped_bytes": self._dropped}).encode() + b"\n"
        taken = self.redacted(self._data.decode("utf-8", "replace")).encode()
        self._data.clear()
        self._dropped = 0
        return taken

    def redacted(self, text: str) -> str:
        """Replace secrets by their names."""
        for value, name in self._secrets.items():
            text = text.replace(value, name)
        return text

    def _record(self, source: str, key: str, body: bytes) -> None:
        if len(self._data) + len(body) > TRANSCRIPT_BYTES:
            self._dropped += len(body)
            return
        at_s = time.monotonic() - self._began_s
        self._data += f'{{"at_s": {at_s:.3f}, "from": "{source}", "{key}": '.encode() + body + b"}\n"
