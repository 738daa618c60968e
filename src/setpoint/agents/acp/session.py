"""One live session with an ACP agent: its process, its conversation, and what a turn reports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import acp
from acp.schema import (
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)
from pydantic import BaseModel, ValidationError

from setpoint.agents import breakage
from setpoint.agents.acp.opening import Opening, can_open_again, chosen_model
from setpoint.agents.acp.permission import CANCELLED
from setpoint.agents.acp.servers import Server, taken
from setpoint.agents.acp.turn import Turn
from setpoint.agents.acp.usage import Meter
from setpoint.agents.acp.wire import AgentWire
from setpoint.agents.launch import Launch
from setpoint.agents.transcript import Transcript
from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.system.processes import Process
from setpoint.version import __version__

T = TypeVar("T")
SPOILING = (BreakageKind.AUTH, BreakageKind.PROTOCOL, BreakageKind.SESSION, BreakageKind.OVERFLOW)
"""Errors after which a session is not used again."""
_STDERR_BYTES = 4000
_PARTING_S = 2.0
"""Seconds that an agent which closed its output gets to end by itself."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """When to stop waiting."""

    until_s: float
    """On the monotonic clock."""
    wall_s: float
    """The whole of the time, for the message."""
    idle_s: float
    doing: str
    """What Setpoint waits for; named in the message."""
    cancel_s: float
    """How long a cancelled turn may take to end."""
    halt: asyncio.Event | None = None
    """Ends the waiting when it is set."""


class Halted(Exception):
    """The waiting was ended by the bounds' `halt`."""


class Listener:
    """Setpoint's side of the protocol: forwards the agent's updates to the current turn."""

    def __init__(self) -> None:
        """Start without a turn."""
        self.turn: Turn | None = None
        self.session_id = ""
        self.failure: Exception | None = None
        """What went wrong first while news were taken note of; it ends the turn, and is raised then."""

    @property
    def is_busy(self) -> bool:
        """Whether a tool call of the turn is under way."""
        return self.turn is not None and self.turn.calls.is_busy

    async def session_update(self, session_id: str, update: BaseModel, **_meta: object) -> None:
        """Take news of the session."""
        if self.turn is not None and session_id == self.session_id:
            with self._noting(self.turn):
                self.turn.update(update)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_meta: object
    ) -> RequestPermissionResponse:
        """Answer whether a tool call is allowed."""
        if self.turn is None or session_id != self.session_id:
            return CANCELLED
        with self._noting(self.turn):
            return self.turn.permit(tool_call, options)

    @contextmanager
    def _noting(self, turn: Turn) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # the boundary to the library that calls us back
            # The library logs it and continues; `prompt` raises it.
            self.failure = self.failure or error
            turn.halted.set()
            raise


class LiveSession:
    """A started agent and the conversation with it."""

    def __init__(self, launch: Launch, process: Process, stderr: Path, transcript: Transcript) -> None:
        """Connect to a started process."""
        self.meter = Meter(launch.quirks)
        self.version = ""
        self.resumed = False
        """Whether the session was begun in another process."""
        self.resumable = False
        """Whether another process can open the session again."""
        self.model = ""
        """The model the agent says it uses; empty if it does not."""
        self.spoiled = False
        """Whether this session must not be used again."""
        self.answer: PromptResponse | None = None
        """What the agent answered to the last prompt, also where only a cancelled turn made it answer."""
        self._mode, self._prompted = "", False
        self._launch = launch
        self._process = process
        self._stderr = stderr
        self._transcript = transcript
        self._wire = AgentWire(process.stdin, process.stdout, transcript)
        self._listener = Listener()
        self._connection = acp.connect_to_agent(cast("acp.Client", self._listener), self._wire)

    @property
    def usable(self) -> bool:
        """Whether another prompt can be sent."""
        return not self.spoiled and not self._process.ended and not self._wire.garbled

    async def open(
        self, workdir: str, bounds: Bounds, earlier: str = "", servers: tuple[Server, ...] = ()
    ) -> Breakage | None:
        """Greet the agent and open its session in the work copy, the earlier one where it can."""
        capabilities = ClientCapabilities(
            # Not offered: an agent would then write through us, past the sandbox it runs in.
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False),
            terminal=False,
        )
        about = Implementation(name="setpoint", title="Setpoint", version=__version__)
        greeting = self._connection.initialize(
            acp.PROTOCOL_VERSION, client_capabilities=capabilities, client_info=about
        )
        met = await self.answered(greeting, bounds)
        if isinstance(met, Breakage):
            return met
        if met.protocol_version != acp.PROTOCOL_VERSION:
            self.spoiled = True
            return breakage.protocol(
                self._launch, f"speaks version {met.protocol_version} of the protocol, not 1"
            )
        self.version = met.agent_info.version if met.agent_info else ""
        opening = Opening(
            launch=self._launch,
            connection=self._connection,
            ask=lambda request: self.answered(request, bounds),
            forgive=self._forgive,
            servers=taken(servers, met.agent_capabilities),
        )
        begun = await opening.begin(workdir, met.agent_capabilities, earlier)
        if isinstance(begun, Breakage):
            return begun
        self._listener.session_id = begun.session
        self.resumed, self.resumable = begun.resumed, can_open_again(met.agent_capabilities)
        failed = await opening.choose(begun)
        self.model = opening.chosen or chosen_model(begun.options)
        self._mode = self._launch.quirks.mode or begun.mode
        return failed

    def _forgive(self) -> bool:
        """Continue after the agent refused an earlier session, unless the connection is lost."""
        if self._process.ended or self._wire.garbled:
            return False
        self.spoiled = False
        return True

    @property
    def session_id(self) -> str:
        """The agent's own name of the session; empty before it is open."""
        return self._listener.session_id

    async def prompt(self, text: str, turn: Turn, bounds: Bounds) -> PromptResponse | Breakage:
        """Send a prompt and wait for the end of the turn; one that is halted counts as cancelled."""
        await self._return_to_mode(bounds)
        self._listener.turn, self.answer = turn, None
        self.meter.begin()
        asked = self._connection.prompt(session_id=self._listener.session_id, prompt=[acp.text_block(text)])
        sent = asyncio.ensure_future(asked)
        try:
            answer = await self.answered(sent, bounds)
        except Halted:
            answer = PromptResponse(stop_reason="cancelled")
        finally:
            self._listener.turn = None
            if sent.done() and not sent.cancelled() and sent.exception() is None:
                self.answer = sent.result()
            turn.end()
        if self._listener.failure is not None:
            raise self._listener.failure
        return answer

    async def _return_to_mode(self, bounds: Bounds) -> None:
        """Undo a change of mode by the agent, such as to one in which it only plans."""
        if self._prompted and self._mode:
            asked = self._connection.set_session_mode(session_id=self.session_id, mode_id=self._mode)
            if isinstance(await self.answered(asked, bounds), Breakage):
                self._forgive()  # the prompt itself shows whether the session can still be used
        self._prompted = True

    async def end(self, grace_s: float) -> None:
        """End the agent and everything it started."""
        self.spoiled = True
        await self._process.end(grace_s)
        await self._connection.close()
        if self._stderr.exists():
            tail = self._said()
            if tail:
                self._transcript.text("stderr", tail)
            self._stderr.unlink()

    async def answered(self, request: Awaitable[T], bounds: Bounds) -> T | Breakage:
        """Wait for an answer; anything else is a breakage."""
        task = asyncio.ensure_future(request)
        try:
            late = await self._watch(task, bounds)
            if late is None:
                return task.result()
            self.spoiled = True
            await self._cancel(task, bounds.cancel_s)
            seconds = bounds.idle_s if late is BreakageKind.IDLE else bounds.wall_s
            if late is BreakageKind.TIMEOUT and self._wire.junk and not self._listener.session_id:
                return breakage.protocol(
                    self._launch, "sent text that is neither a message nor an answer", self._wire.junk
                )
            return breakage.overdue(self._launch, late, seconds, bounds.doing)
        except (asyncio.CancelledError, Halted):
            self.spoiled = True
            await self._cancel(task, bounds.cancel_s)
            raise
        except acp.RequestError as error:
            told = breakage.of_error(self._launch, error.code, str(error), error.data)
            self.spoiled = self.spoiled or told.kind in SPOILING
            return told
        except ValidationError as error:
            self.spoiled = True
            return breakage.protocol(
                self._launch, "sent an answer that the protocol does not know", str(error)
            )
        except OSError:  # the stream ended, or could not be written to
            return await self._lost()

    async def _watch(self, task: asyncio.Future[T], bounds: Bounds) -> BreakageKind | None:
        began_s = time.monotonic()
        halt = asyncio.ensure_future((bounds.halt or asyncio.Event()).wait())
        waited: set[asyncio.Future[Any]] = {task, halt}
        try:
            while not task.done():
                now = time.monotonic()
                heard_s = now if self._listener.is_busy else max(self._wire.heard_s, began_s)
                silent_until_s = heard_s + bounds.idle_s
                if halt.done():
                    raise Halted
                if now >= bounds.until_s:
                    return BreakageKind.TIMEOUT
                if now >= silent_until_s:
                    return BreakageKind.IDLE
                left_s = min(bounds.until_s, silent_until_s) - now
                await asyncio.wait(waited, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            halt.cancel()
        return None

    async def _cancel(self, task: asyncio.Future[T], cancel_s: float) -> None:
        """Ask for the end of the turn and give it a moment, so that the agent can still report its cost."""
        try:
            if self._listener.turn is not None:
                # The final status of a call that was cut short is unreliable: some agents say completed.
                self._listener.turn.calls.cancelled = True
            if self._listener.session_id and not task.done():
                await self._connection.cancel(session_id=self._listener.session_id)
                await asyncio.wait({task}, timeout=cancel_s)
        except OSError:
            pass  # the process has ended, as intended
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _lost(self) -> Breakage:
        self.spoiled = True
        if self._wire.garbled:
            await self._process.end(0)
            return breakage.protocol(
                self._launch, "sent a stream of text that is not a message", self._wire.junk
            )
        exit_code = await self._process.end(_PARTING_S)
        stderr = self._transcript.redacted(self._said())
        return breakage.crash(self._launch, exit_code, stderr, self._transcript.redacted(self._wire.junk))

    def _said(self) -> str:
        if not self._stderr.exists():
            return ""
        return self._stderr.read_bytes()[-_STDERR_BYTES:].decode("utf-8", "replace").strip()
