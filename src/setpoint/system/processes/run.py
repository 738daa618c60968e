"""Runs a command to its end, within its bounds."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import tempfile
from collections.abc import Callable
from typing import IO

from setpoint.system.processes.command import Command, Completed
from setpoint.system.processes.streams import Lines, Ring, drain, reader_of
from setpoint.system.processes.supervisor_link import Link, launch

PIPE_S = 1.0
"""Seconds to wait for the end of a stream after the whole tree has ended."""
NOT_FOUND, NOT_STARTED = 127, 126


async def run(
    command: Command,
    *,
    on_line: Callable[[bytes], None] | None = None,
    on_output: Callable[[bytes], None] | None = None,
    halt: asyncio.Event | None = None,
) -> Completed:
    """Run a command to its end, or until `halt` is set, and leave none of its processes behind.

    `on_line` receives each line of either stream while the command runs, `on_output` each piece of standard
    output as it comes; what they raise ends the command.
    Cancelling ends the whole tree. A command that cannot be started is a result with exit code 127 or 126 and
    a `fault`, never an exception.
    """
    stderr = subprocess.STDOUT if command.merge_stderr else subprocess.PIPE
    if command.stdin:
        with tempfile.TemporaryFile() as stdin:  # a file and not a pipe: nobody needs to feed it
            stdin.write(command.stdin)
            stdin.seek(0)
            link = await launch(command, stdin=stdin, stderr=stderr)
    else:
        link = await launch(command, stdin=subprocess.DEVNULL, stderr=stderr)
    watched = _Watched(link, on_line, on_output)
    if halt is not None:
        watched.halted = asyncio.create_task(_set(halt))
    try:
        return await watched.to_the_end()
    finally:
        await watched.settle()


class _Watched:
    """A command on its way, and what was read of it."""

    def __init__(
        self, link: Link, on_line: Callable[[bytes], None] | None, on_output: Callable[[bytes], None] | None
    ) -> None:
        self.link = link
        self.on_line = on_line
        self.on_output = on_output
        self.rings = (Ring(link.command.keep_bytes), Ring(link.command.keep_bytes))
        self.heard_s = link.began_s
        self.transports: list[asyncio.ReadTransport] = []
        self.followed = asyncio.create_task(link.follow())
        self.drains: list[asyncio.Task[None]] = []
        self.halted: asyncio.Task[None] | None = None
        """Ends when the command is to be ended from outside."""

    async def to_the_end(self) -> Completed:
        for pipe, ring in zip((self.link.popen.stdout, self.link.popen.stderr), self.rings, strict=True):
            if pipe is not None:
                self.drains.append(asyncio.create_task(self._drained(pipe, ring)))
        over = await self._wait()
        self.link.end()
        await self.followed
        done, _ = await asyncio.wait(self.drains, timeout=PIPE_S)
        for task in done:
            task.result()
        return self._completed(over)

    async def _drained(self, pipe: IO[bytes], ring: Ring) -> None:
        reader, transport = await reader_of(pipe, 1 << 20)
        self.transports.append(transport)
        sinks = [self._heard, ring.add]
        if self.on_output is not None and pipe is self.link.popen.stdout:
            sinks.append(self.on_output)
        if self.on_line is None:
            await drain(reader, *sinks)
            return
        lines = Lines(self.on_line)
        await drain(reader, *sinks, lines.add)
        lines.end()

    def _heard(self, _data: bytes) -> None:
        self.heard_s = asyncio.get_running_loop().time()

    async def _wait(self) -> str:
        """Wait for the end, or for the first bound that is reached; gives which."""
        command, loop = self.link.command, asyncio.get_running_loop()
        pending: set[asyncio.Task[None]] = {self.followed, *self.drains}
        if self.halted is not None:
            pending.add(self.halted)
        while not self.followed.done():
            now = loop.time()
            bounds = {"timed_out": self.link.began_s + command.timeout_s - now}
            if command.idle_s is not None:
                bounds["idled"] = self.heard_s + command.idle_s - now
            over, left = min(bounds.items(), key=lambda item: item[1])
            if left <= 0:
                return over
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if self.halted in done and not self.followed.done():
                return "halted"
            for task in done - {self.followed}:
                task.result()
        return ""

    async def settle(self) -> None:
        """End what still runs and let go of everything; also when the waiting was cancelled."""
        self.link.end()
        try:
            if not self.followed.done():
                await asyncio.wait([self.followed])
        finally:
            for task in (*self.drains, *([self.halted] if self.halted else ())):
                task.cancel()
            for transport in self.transports:
                transport.close()
            self.link.close()
            await self.link.tidy()

    def _completed(self, over: str) -> Completed:
        link, refused = self.link, self.link.refused
        exit_code, fault = (None if over else link.exit_code), ""
        program = link.command.argv[0]
        if refused is not None:
            absent = refused.errno in (errno.ENOENT, errno.ENOTDIR) and refused.filename != "sandbox"
            exit_code = NOT_FOUND if absent else NOT_STARTED
            fault = f"cannot start {program!r}: {refused.strerror}: {refused.filename}"
        elif exit_code is None and not over:
            fault = f"the supervisor of {program!r} ended before it could tell how the command did"
        return Completed(
            command=link.command,
            exit_code=exit_code,
            timed_out=over == "timed_out",
            idled=over == "idled",
            halted=over == "halted",
            stdout=self.rings[0].kept(),
            stderr=self.rings[1].kept(),
            held=link.held,
            writable=link.hold.confinement.writable if link.hold else (),
            dropped_bytes=sum(ring.dropped for ring in self.rings),
            left_behind=link.left_behind,
            started_at=link.started_at,
            duration_s=asyncio.get_running_loop().time() - link.began_s,
            fault=fault,
            too_long=refused is not None and refused.errno == errno.E2BIG,
        )


async def _set(event: asyncio.Event) -> None:
    await event.wait()
