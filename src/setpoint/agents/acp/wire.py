"""Messages between Setpoint and an ACP agent, line by line: nothing the other side sends can break it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import Any

import acp

from setpoint.agents.json_lines import object_of
from setpoint.agents.transcript import Transcript

Message = dict[str, Any]
"""A JSON-RPC message as the protocol library takes it."""

JUNK_LINES = 500
JUNK_BYTES = 4 << 20
"""Bytes without a message after which the agent counts as speaking another protocol."""


class AgentWire:
    """Transports messages for the protocol library and counts text that is not a message."""

    def __init__(
        self, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader, transcript: Transcript
    ) -> None:
        """Talk over an agent's standard streams."""
        self.heard_s = time.monotonic()
        """When the agent last sent anything."""
        self.garbled = False
        """Whether the wire was closed after too much text that is not a message."""
        self.junk = ""
        """The last that came and was no message."""
        self._stdin = stdin
        self._stdout = stdout
        self._transcript = transcript
        self._junk_lines = 0
        self._junk_bytes = 0

    async def send(self, message: Message) -> None:
        """Send one message."""
        line = json.dumps(message, separators=(",", ":")).encode()
        self._transcript.message("setpoint", line)
        self._stdin.write(line + b"\n")
        await self._stdin.drain()

    async def receive(self) -> Message | None:
        """Return the next message; none at the end, or where what comes is beyond repair."""
        while not self.garbled:
            try:
                line = await self._stdout.readline()
            except ValueError:  # the reader's limit: a line of 64 MiB without an end
                self.garbled = True
                self.junk = "a line without an end"
                break
            if not line:
                break
            self.heard_s = time.monotonic()
            message = _message(line)
            if message is None:
                self._tolerate(line)
                continue
            self._junk_lines = self._junk_bytes = 0
            self._transcript.message("agent", line)
            if _wanted(message):
                return message
        return None

    async def close(self) -> None:
        """Leave the streams to the process they belong to."""

    def _tolerate(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return
        self.junk = text[:2000]
        self._transcript.text("agent", text)
        self._junk_lines += 1
        self._junk_bytes += len(line)
        self.garbled = self._junk_lines >= JUNK_LINES or self._junk_bytes >= JUNK_BYTES


def hush() -> None:
    """Keep the protocol library from logging tracebacks on the root logger for what agents do every day."""
    root = logging.getLogger()
    if not any(isinstance(known, _ProtocolNoise) for known in root.filters):
        root.addFilter(_ProtocolNoise())


class _ProtocolNoise(logging.Filter):
    """Drops log records of the protocol library; the transcript contains their causes."""

    _folder = str(Path(acp.__file__).parent)

    def filter(self, record: logging.LogRecord) -> bool:
        return not record.pathname.startswith(self._folder)


def _message(line: bytes) -> Message | None:
    message = object_of(line)
    if message is None:
        return None
    is_call = isinstance(message.get("method"), str)
    is_answer = isinstance(message.get("id"), int) and (
        "result" in message or isinstance(message.get("error"), dict)
    )
    return message if is_call or is_answer else None


def _wanted(message: Message) -> bool:
    """Agents send notifications of their own making; only updates of the session concern us."""
    return "id" in message or message["method"] == "session/update"
