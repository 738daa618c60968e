"""Setpoint's end of the line to the supervisor of one command."""

from __future__ import annotations

import asyncio
import marshal
import os
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from setpoint.system.environment import clean_environment
from setpoint.system.processes import supervisor
from setpoint.system.processes.command import NOT_HELD, Command
from setpoint.system.processes.hold import Held, ambient
from setpoint.system.processes.leftovers import VARIABLE, end_left, new_mark
from setpoint.system.processes.view import ambient_view

LEFTOVER_S = 0.5
"""Seconds that processes left behind by an ended command get between SIGTERM and SIGKILL."""
SCRIPT = "import os, sys; sys.path.append(sys.argv.pop(1)); import supervisor; os._exit(supervisor.main())"
"""Imports the supervisor instead of running its file, so that it is compiled once and not at every command.

It leaves without tidying up: there is nothing to flush, and taking an interpreter down costs milliseconds.
"""


@dataclass(kw_only=True)
class Link:
    """A command that was handed to a supervisor, and what the supervisor has reported about it."""

    command: Command
    popen: subprocess.Popen[bytes]
    socket: socket.socket
    began_s: float
    """In the loop's time."""
    started_at: datetime
    pid: int = 0
    """Of the command itself; 0 until it has started."""
    exit_code: int | None = None
    """A signal as a negative number."""
    left_behind: int = 0
    refusal: tuple[int, str] | None = None
    """Error number, and what it is about."""
    started: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is known whether the command could be started."""
    hold: Held | None = None
    """How the block in which it started holds it."""
    mark: str = field(default_factory=new_mark)
    """In the environment of all its processes."""

    async def follow(self) -> None:
        """Take note of what the supervisor tells until it is gone."""
        loop = asyncio.get_running_loop()
        pending = b""
        while data := await self._receive(loop):
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._note(line.decode())
        self.started.set()
        while self.popen.poll() is None:  # noqa: ASYNC110 - it dies within the millisecond
            await asyncio.sleep(0.001)
        if self.pid and self.exit_code is None:  # the supervisor was killed and has ended nothing
            await asyncio.to_thread(end_left, self.mark)

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

    async def tidy(self) -> None:
        """Remove the home that the command had, once all its processes have ended."""
        if self.hold is not None:
            await asyncio.shield(asyncio.to_thread(self.hold.own.remove))

    @property
    def held(self) -> str:
        """Return what keeps the command from writing elsewhere."""
        confinement = self.hold.confinement if self.hold else self.command.confinement
        return str(confinement.means) if confinement else NOT_HELD

    @property
    def refused(self) -> OSError | None:
        """Why the command could not be started."""
        if self.refusal is None:
            return None
        number, place = self.refusal
        about = {"cwd": str(self.command.cwd), "program": self.command.argv[0]}.get(place, place)
        return OSError(number, os.strerror(number), about)


async def launch(command: Command, *, stdin: int | IO[bytes], stderr: int) -> Link:
    """Start a supervisor and hand it the command; its standard output is a pipe."""
    ours, theirs = socket.socketpair()
    ours.settimeout(0)
    loop = asyncio.get_running_loop()
    with theirs:
        popen = subprocess.Popen(  # noqa: ASYNC220 - it forks and returns
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                SCRIPT,
                str(Path(supervisor.__file__).parent),
                str(theirs.fileno()),
            ],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd="/",
            env=clean_environment(),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    link = Link(command=command, popen=popen, socket=ours, began_s=loop.time(), started_at=datetime.now(UTC))
    with ExitStack() as undo:
        undo.callback(popen.wait)
        undo.callback(link.close)
        hold = ambient() if command.confinement is None else None
        if hold:
            link.hold = hold.begin(command)
            undo.callback(link.hold.own.remove)
        with suppress(ConnectionError):  # the supervisor is gone; `follow` finds out how
            await loop.sock_sendall(ours, _order(link))
        undo.pop_all()
    return link


def _order(link: Link) -> bytes:
    command, held, view = link.command, link.hold, ambient_view()
    given = clean_environment() if command.environment is None else command.environment
    environment = held.environment if held else given
    confinement = held.confinement if held else command.confinement
    data = marshal.dumps(
        {
            "argv": [view.at_its_place(word) for word in command.argv],
            "cwd": view.at_its_place(str(command.cwd)),
            "environment": {**view.environment(environment), VARIABLE: link.mark},
            "memory_bytes": command.memory_bytes,
            "file_bytes": command.file_bytes,
            "grace_s": command.grace_s,
            "leftover_s": LEFTOVER_S,
            "writable": confinement.landlocked() if confinement else None,
            "readable": confinement.readable() if confinement else None,
            "wrapper": confinement.wrapper() if confinement else [],
            "network": view.network,
            "shown": list(view.shown),
        }
    )
    return len(data).to_bytes(supervisor.LENGTH_BYTES, "big") + data
