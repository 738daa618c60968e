"""The raw exchange with an agent, stored so that every claim about an attempt can be checked."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator, Mapping

from setpoint.agents.launch import Launch

TRANSCRIPT_BYTES = 32 << 20
"""What is kept of one attempt's exchange; the rest is counted."""
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|authorization", re.IGNORECASE)
_SECRET_CHARS = 8
"""Shorter values of variables are not replaced: they would match ordinary text."""


def secrets_of(launch: Launch, passed: Mapping[str, str]) -> dict[str, str]:
    """Return secrets to keep out of an agent's transcript, by name.

    A variable under `environment`, or an entry of the configuration that one holds, is a key by its name.
    """
    given = {**passed, **launch.environment}
    config = given.get(launch.config_variable, "")
    found = {name: value for name, value in launch.environment.items() if _SECRET_NAME.search(name)}
    with contextlib.suppress(ValueError, RecursionError):  # not JSON: the agent itself reports the error
        found |= dict(_keys(json.loads(config or "null"), launch.config_variable))
    return {**passed, **found}


def _keys(data: object, path: str, *, secret: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the texts below entries of configuration whose name, or that of one above, is a key's."""
    if isinstance(data, str) and secret:
        yield path, data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _keys(value, f"{path}.{name}", secret=secret or bool(_SECRET_NAME.search(name)))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _keys(value, f"{path}.{number}", secret=secret)


class Transcript:
    """The raw exchange with an agent, as JSON lines, without the secrets that were handed to it."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Replace these values, by name, wherever they appear."""
        named = sorted(secrets.items(), key=lambda each: -len(each[1]))  # one may be a part of another
        self._secrets = {value: f"[{name}]" for name, value in named if len(value) >= _SECRET_CHARS}
        self._data = bytearray()
        self._dropped = 0
        self._began_s = time.monotonic()

    def hide(self, given: Mapping[str, str]) -> None:
        """Replace the values of variables and headers, too, that are keys by their names."""
        keys = {name: value for name, value in given.items() if _SECRET_NAME.search(name)}
        self._secrets |= {value: f"[{name}]" for name, value in keys.items() if len(value) >= _SECRET_CHARS}

    def message(self, source: str, line: bytes) -> None:
        """Record a message, which is JSON already."""
        self._record(source, "message", line.strip())

    def text(self, source: str, text: str) -> None:
        """Record text that is not a message."""
        self._record(source, "text", json.dumps(text).encode())

    def take(self) -> bytes:
        """Return the record, and start a new one."""
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
