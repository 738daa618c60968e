"""Keeps a long-lived process one talks with, under a supervisor like any other."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from setpoint.system.processes.command import Command
from setpoint.system.processes.streams import CappedFile, drain, reader_of
from setpoint.system.processes.supervisor_link import Link, launch

STREAM_LIMIT = 64 << 20
"""Longest line of a spawned process: an agent may send a whole file in one message."""
PIPE_S = 1.0
"""Seconds to wait for the end of standard error after the whole tree has ended."""


@dataclass(frozen=True, kw_only=True)
class _Pipes:
    """The three streams of a process."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    transports: tuple[asyncio.ReadTransport | asyncio.WriteTransport, ...]


class Process:
    """A process that was spawned, and its two streams."""

    def __init__(self, link: Link, pipes: _Pipes, stderr_path: Path) -> None:
        """Take over a process that was started."""
        self._link = link
        self._pipes = pipes
        self._followed = asyncio.create_task(link.follow())
        self._kept = asyncio.create_task(_drained_to(pipes.stderr, stderr_path, link.command.keep_bytes))
        self.stdin = pipes.stdin
        """Closing it tells most agents to end."""
        self.stdout = pipes.stdout
        """Its lines may be 64 MiB long."""
        self.stderr_path = stderr_path
        """Where its standard error is kept: the beginning as it comes, the end when it has ended."""

    @property
    def pid(self) -> int:
        """Identifier of the process itself, not of its supervisor."""
        return self._link.pid

    @property
    def command(self) -> Command:
        """What was started."""
        return self._link.command

    @property
    def exit_code(self) -> int | None:
        """Its exit code, a signal as a negative number; none while it runs."""
        return self._link.exit_code

    @property
    def ended(self) -> bool:
        """Whether it and all that it started are gone."""
        return self._followed.done()

    async def wait(self) -> int | None:
        """Wait until it has ended by itself; gives none where its supervisor was killed."""
        await asyncio.shield(self._followed)
        return self._link.exit_code

    async def end(self, grace_s: float = 2.0) -> int | None:
        """Close its standard input, wait `grace_s`, then end its whole tree; gives the exit code.

        It may be called twice. A process that ended long ago is given up here too, so call it in any case.
        """
        self.stdin.close()
        try:
            await asyncio.wait([self._followed], timeout=grace_s)
        finally:
            self._link.end()
            await asyncio.wait([self._followed])
            await asyncio.wait([self._kept], timeout=PIPE_S)
            self._kept.cancel()
            for transport in self._pipes.transports:
                transport.close()
            self._link.close()
            await self._link.tidy()
        return self._link.exit_code


async def spawn(command: Command, stderr_path: Path) -> Process:
    """Start a process and keep it; its bounds in time are the caller's business.

    Raises `OSError` (`FileNotFoundError`, `PermissionError`, ...) naming the program or directory if it
    cannot be started. Setpoint's end, by whatever cause, ends it and all that it started.
    """
    link = await launch(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process = Process(link, await _pipes_of(link), stderr_path)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(process.end, 0)
        await link.started.wait()
        if (refused := link.refused) is not None:
            raise refused
        undo.pop_all()
    return process


async def _pipes_of(link: Link) -> _Pipes:
    popen, loop = link.popen, asyncio.get_running_loop()
    if popen.stdin is None or popen.stdout is None or popen.stderr is None:
        raise AssertionError("a process was launched without pipes")
    into, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), popen.stdin
    )
    stdout, out = await reader_of(popen.stdout, STREAM_LIMIT)
    stderr, err = await reader_of(popen.stderr, 1 << 20)
    stdin = asyncio.StreamWriter(into, protocol, None, loop)
    return _Pipes(stdin=stdin, stdout=stdout, stderr=stderr, transports=(into, out, err))


async def _drained_to(stderr: asyncio.StreamReader, path: Path, keep_bytes: int) -> None:
    file = CappedFile(path, keep_bytes)
    try:
        await drain(stderr, file.add)
    finally:
        file.close()
