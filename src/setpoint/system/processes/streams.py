"""Reading what a command writes without ever letting it wait, and without keeping all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import IO

CHUNK_BYTES = 1 << 18
LINE_BYTES = 1 << 16
"""A line longer than this is handed on in pieces."""


class Ring:
    """The beginning and the end of a stream; what lies between is counted and dropped."""

    def __init__(self, keep_bytes: int) -> None:
        """Keep at most `keep_bytes`, half of it from the beginning."""
        self._head_size = keep_bytes // 2
        self._tail_size = keep_bytes - self._head_size
        self._head = bytearray()
        self._tail = bytearray()
        self._seen = 0

    def add(self, data: bytes) -> None:
        """Take what was read."""
        self._seen += len(data)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._tail_size + CHUNK_BYTES:
            del self._tail[: -self._tail_size or None]

    @property
    def dropped(self) -> int:
        """Bytes seen and not kept."""
        return max(0, self._seen - self._head_size - self._tail_size)

    @property
    def tail(self) -> bytes:
        """What was kept after the beginning, with a mark of what was dropped before it."""
        if not self.dropped:
            return bytes(self._tail)
        mark = f"\n[... {self.dropped} bytes dropped ...]\n".encode()
        return mark + bytes(self._tail[len(self._tail) - self._tail_size :])

    def kept(self) -> bytes:
        """Return all that was kept."""
        return bytes(self._head) + self.tail


class Lines:
    """Cuts a stream into lines for a listener."""

    def __init__(self, on_line: Callable[[bytes], None]) -> None:
        """Hand each line, without its end, to `on_line`."""
        self._on_line = on_line
        self._open = b""

    def add(self, data: bytes) -> None:
        """Take what was read, hand on the lines it completes."""
        *complete, self._open = (self._open + data).split(b"\n")
        if len(self._open) > LINE_BYTES:
            complete.append(self._open)
            self._open = b""
        for line in complete:
            self._on_line(line.removesuffix(b"\r"))

    def end(self) -> None:
        """Hand on a last line that has no end."""
        if self._open:
            self._on_line(self._open)
            self._open = b""


async def reader_of(pipe: IO[bytes], limit: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """Read a pipe in the running loop; `limit` bounds what `readline` takes and what is buffered."""
    reader = asyncio.StreamReader(limit=limit)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    return reader, transport


async def drain(reader: asyncio.StreamReader, *sinks: Callable[[bytes], None]) -> None:
    """Read to the end, handing each piece to every sink."""
    while data := await reader.read(CHUNK_BYTES):
        for sink in sinks:
            sink(data)


class CappedFile:
    """A file that takes the beginning of a stream at once, and its end when the stream ends."""

    def __init__(self, path: Path, keep_bytes: int) -> None:
        """Begin the file again."""
        self._file = path.open("wb")
        self._room = keep_bytes // 2
        self._rest = Ring(keep_bytes - self._room)

    def add(self, data: bytes) -> None:
        """Take what was read."""
        now, later = data[: self._room], data[self._room :]
        if now:
            self._file.write(now)
            self._file.flush()
            self._room -= len(now)
        if later:
            self._rest.add(later)

    def close(self) -> None:
        """Write the end of the stream and close."""
        self._file.write(self._rest.kept())
        self._file.close()
