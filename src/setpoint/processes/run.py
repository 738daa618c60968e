"""Runs a command to its end, or keeps a long-lived one; either way under a supervisor that ends its whole tree."""

from __future__ import annotations

import asyncio
import errno
import marshal
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from setpoint.processes import supervisor
from setpoint.processes.command import DEFAULT_KEEP, Command, Completed, clean_environment
from setpoint.processes.streams import CappedFile, Lines, Ring, drain, reader_of

LEFTOVER_S = 0.5
"""Seconds that processes left behind by an ended command get between SIGTERM and SIGKILL."""
PIPE_S = 1.0
"""Seconds to wait for the end of a stream after the whole tree has ended."""
STREAM_LIMIT = 64 << 20
"""Longest line of a spawned process: an agent may send a whole file in one message."""
NOT_FOUND, NOT_STARTED = 127, 126


@dataclass(kw_only=True)
class _Link:
    """Setpoint's end of the line to one supervisor."""

    command: Command
    popen: subprocess.Popen[bytes]
    socket: socket.socket
    began_s: float
    started_at: datetime
    pid: int = 0
    exit_code: int | None = None
    left_behind: int = 0
    refusal: tuple[int, str] | None = None
    started: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is known whether the command could be started."""

    async def follow(self) -> None:
        """Take note of what the supervisor tells until it is gone."""
        loop = asyncio.get_running_loop()
        pending = b""
        while data := await self._receive(loop):
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._note(line.decode())
        self.started.set()
        while self.popen.poll() is None:  # its end of the socket closes an instant before it can be waited for
            await asyncio.sleep(0.001)

    async def _receive(self, loop: asyncio.AbstractEventLoop) -> bytes:
        try:
            return await loop.sock_recv(self.socket, 4096)
        except ConnectionError:
            return b""

    def _note(self, line: str) -> None:
        kind, _, value = line.partition(" ")
        match kind:
            case "started":
                self.pid = int(value)
            case "refused":
                number, _, place = value.partition(" ")
                self.refusal = int(number), place
            case "exited":
                self.exit_code = int(value)
            case "signalled":
                self.exit_code = -int(value)
            case "left":
                self.left_behind = int(value)
        self.started.set()

    def end(self) -> None:
        """Have the whole tree ended; `follow` returns when it is."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it has ended already

    def close(self) -> None:
        """Let go of the line; a supervisor that still lives ends its tree."""
        self.socket.close()
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                pipe.close()

    @property
    def refused(self) -> OSError | None:
        """Why the command could not be started."""
        if self.refusal is None:
            return None
        number, place = self.refusal
        about = {"cwd": str(self.command.cwd), "program": self.command.argv[0]}.get(place, place)
        return OSError(number, os.strerror(number), about)


async def _launch(command: Command, *, stdin: int | IO[bytes], stderr: int) -> _Link:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    loop = asyncio.get_running_loop()
    with theirs:
        popen = subprocess.Popen(  # noqa: S603 - an argument list, no shell
            [sys.executable, "-I", "-S", supervisor.__file__, str(theirs.fileno())],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd="/",
            env=clean_environment(),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    link = _Link(command=command, popen=popen, socket=ours, began_s=loop.time(), started_at=datetime.now(UTC))
    try:
        await loop.sock_sendall(ours, _order(command))
    except BaseException:
        link.close()
        raise
    return link


def _order(command: Command) -> bytes:
    environment = clean_environment(keep=DEFAULT_KEEP) if command.environment is None else dict(command.environment)
    data = marshal.dumps(
        {
            "argv": list(command.argv),
            "cwd": str(command.cwd),
            "environment": environment,
            "memory_bytes": command.memory_bytes,
            "file_bytes": command.file_bytes,
            "grace_s": command.grace_s,
            "leftover_s": LEFTOVER_S,
        }
    )
    return len(data).to_bytes(supervisor.LENGTH_BYTES, "big") + data


async def run(command: Command, *, on_line: Callable[[bytes], None] | None = None) -> Completed:
    """Run a command to its end and leave none of its processes behind.

    `on_line` is told each line of either stream while the command runs. Cancelling ends the whole tree. A command
    that cannot be started is a result with exit code 127 or 126 and a `fault`, never an exception.
    """
    with tempfile.TemporaryFile() if command.stdin else open(os.devnull, "rb") as stdin:  # noqa: ASYNC230, PTH123 - both are immediate
        stdin.write(command.stdin) if command.stdin else None
        stdin.seek(0)
        link = await _launch(command, stdin=stdin, stderr=subprocess.STDOUT if command.merge_stderr else subprocess.PIPE)
    watched = _Watched(link, on_line)
    try:
        return await watched.to_the_end()
    finally:
        await watched.settle()


class _Watched:
    """A command on its way, and what was read of it."""

    def __init__(self, link: _Link, on_line: Callable[[bytes], None] | None) -> None:
        self.link = link
        self.on_line = on_line
        self.rings = (Ring(link.command.keep_bytes), Ring(link.command.keep_bytes))
        self.heard_s = link.began_s
        self.transports: list[asyncio.ReadTransport] = []
        self.followed = asyncio.create_task(link.follow())
        self.drains: list[asyncio.Task[None]] = []

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
        lines = Lines(self.on_line) if self.on_line else None
        await drain(reader, self._heard, ring.add, *([lines.add] if lines else []))
        if lines:
            lines.end()

    def _heard(self, _data: bytes) -> None:
        self.heard_s = asyncio.get_running_loop().time()

    async def _wait(self) -> str:
        """Wait for the end, or for the first bound that is reached; gives which."""
        command, loop = self.link.command, asyncio.get_running_loop()
        pending: set[asyncio.Task[None]] = {self.followed, *self.drains}
        while not self.followed.done():
            now = loop.time()
            bounds = {"timed_out": self.link.began_s + command.timeout_s - now}
            if command.idle_s is not None:
                bounds["idled"] = self.heard_s + command.idle_s - now
            over, left = min(bounds.items(), key=lambda item: item[1])
            if left <= 0:
                return over
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for task in done - {self.followed}:
                task.result()
        return ""

    async def settle(self) -> None:
        """End what still runs and let go of everything; also when the waiting was cancelled."""
        self.link.end()
        if not self.followed.done():
            await asyncio.shield(asyncio.wait([self.followed]))
        for task in self.drains:
            task.cancel()
        for transport in self.transports:
            transport.close()
        self.link.close()

    def _completed(self, over: str) -> Completed:
        link, refused = self.link, self.link.refused
        exit_code, fault = (None if over else link.exit_code), ""
        if refused is not None:
            exit_code = NOT_FOUND if refused.errno in (errno.ENOENT, errno.ENOTDIR) else NOT_STARTED
            fault = f"cannot start {link.command.argv[0]!r}: {refused.strerror}: {refused.filename}"
        elif exit_code is None and not over:
            fault = f"the supervisor of {link.command.argv[0]!r} ended before its command (exit code {link.popen.returncode})"
        return Completed(
            command=link.command,
            exit_code=exit_code,
            timed_out=over == "timed_out",
            idled=over == "idled",
            stdout=self.rings[0].kept(),
            stderr=self.rings[1].kept(),
            dropped_bytes=sum(ring.dropped for ring in self.rings),
            left_behind=link.left_behind,
            started_at=link.started_at,
            duration_s=asyncio.get_running_loop().time() - link.began_s,
            fault=fault,
        )


class Process:
    """A long-lived process one talks with; made by `spawn`."""

    def __init__(self, link: _Link, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader, stderr_path: Path) -> None:
        """Take over a process that was started."""
        self._link = link
        self._followed = asyncio.create_task(link.follow())
        self._tasks: list[asyncio.Task[None]] = []
        self._transports: list[asyncio.BaseTransport] = [stdin.transport]
        self.stdin = stdin
        """Closing it tells most agents to end."""
        self.stdout = stdout
        """Its limit is 64 MiB a line."""
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
        """Wait until it has ended by itself; none where its supervisor was killed."""
        await asyncio.shield(self._followed)
        return self._link.exit_code

    async def end(self, grace_s: float = 2.0) -> int | None:
        """Close its standard input, wait `grace_s`, then end the whole tree; gives the exit code. May be called twice."""
        self.stdin.close()
        try:
            if not self._followed.done():
                await asyncio.wait([self._followed], timeout=grace_s)
        finally:
            self._link.end()
            await asyncio.shield(self._settled())
        return self._link.exit_code

    async def _settled(self) -> None:
        await asyncio.wait([self._followed])
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PIPE_S)
        for task in self._tasks:
            task.cancel()
        for transport in self._transports:
            if isinstance(transport, asyncio.ReadTransport | asyncio.WriteTransport):
                transport.close()
        self._link.close()


async def spawn(command: Command, stderr_path: Path) -> Process:
    """Start a process and keep talking with it; its bounds in time are the caller's business.

    Raises `OSError` (`FileNotFoundError`, `PermissionError`, ...) naming the program or directory where it cannot be
    started. Setpoint's end, by whatever cause, ends it and all that it started.
    """
    link = await _launch(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    if link.popen.stdin is None or link.popen.stdout is None or link.popen.stderr is None:
        message = "the pipes of a spawned process are missing"
        raise AssertionError(message)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), link.popen.stdin
    )
    stdout, out_transport = await reader_of(link.popen.stdout, STREAM_LIMIT)
    stderr, err_transport = await reader_of(link.popen.stderr, 1 << 20)
    stdin = asyncio.StreamWriter(transport, protocol, None, loop)
    process = Process(link, stdin, stdout, stderr_path)
    process._transports += [out_transport, err_transport]
    process._tasks.append(asyncio.create_task(_drained_to(stderr, stderr_path, command.keep_bytes)))
    await link.started.wait()
    if (refused := link.refused) is not None:
        await process.end(0)
        raise refused
    return process


async def _drained_to(stderr: asyncio.StreamReader, path: Path, keep_bytes: int) -> None:
    file = CappedFile(path, keep_bytes)
    try:
        await drain(stderr, file.add)
    finally:
        file.close()
