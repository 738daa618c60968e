"""Agents behind the Agent Client Protocol: Setpoint is the client, the agent a process that is watched."""

from __future__ import annotations

import asyncio
import errno
import time
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acp.schema import McpServerStdio, PromptResponse

from setpoint.agents import breakage
from setpoint.agents.acp.error_record import error_of
from setpoint.agents.acp.servers import Server, named
from setpoint.agents.acp.session import Bounds, LiveSession
from setpoint.agents.acp.turn import Turn
from setpoint.agents.acp.usage import Meter
from setpoint.agents.acp.wire import hush
from setpoint.agents.environment import environment_of, found
from setpoint.agents.launch import Launch
from setpoint.agents.reachable import network_seen
from setpoint.agents.sandbox.sandbox import ConfinedCommand, Sandbox
from setpoint.agents.sessions import KeptSession, Sessions
from setpoint.agents.speech import Hearing
from setpoint.agents.spending.meter import UsageMeter, unpaid_attempt
from setpoint.agents.spending.prices import Prices, stated_models
from setpoint.agents.spending.proxy import Tap, counting
from setpoint.agents.transcript import Transcript, secrets_of
from setpoint.model.attempt import (
    PASSING,
    Attempt,
    AttemptLimits,
    Breakage,
    BreakageKind,
    Brief,
    ModelCall,
    Role,
    Stop,
    Usage,
)
from setpoint.model.config.sandbox import Means
from setpoint.model.ids import StoryId
from setpoint.model.project_text import ReadsItself
from setpoint.model.stories.story import Story
from setpoint.ports import Observer
from setpoint.ports.agent import HearsSessions
from setpoint.settings import inherited
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, spawn

_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Time limits for an agent outside of its work."""

    open_s: float = 120.0
    """Seconds from the start of the process to an open session; some agents take half a minute when cold."""
    cancel_s: float = 3.0
    """Seconds a cancelled turn may take to end by itself."""
    grace_s: float = 2.0
    """Seconds an agent gets to end after its input is closed, and again between SIGTERM and SIGKILL."""


@dataclass(frozen=True, kw_only=True)
class _Held:
    """A session that is open, and what for."""

    session: str
    workdir: str
    live: LiveSession
    lane: AsyncExitStack
    """The proxy in front of its models and what confines it; closed with the session."""
    tap: Tap
    """Forwards the calls that the proxy sees."""
    confined: ConfinedCommand
    """The command that started it, and its sandbox."""


class AcpAgent:
    """Drives one agent over ACP; feedback rounds are further prompts in the same session.

    Each role has a session in a process of its own, so that a review between two rounds of work takes nothing
    from what the maker knows; a brief that names another session ends the role's old one. Each attempt is
    watched and recorded: tool calls with durations measured here, cost, and the raw exchange as an artifact.
    Breakage is a value; an attempt that spends more than its brief allows is cancelled. A session that broke,
    was cancelled or ran out of time is ended as a whole tree, and the next attempt opens a new one.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        artifacts: Artifacts,
        scratch: Path,
        patience: Patience | None = None,
        prices: Prices | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Nothing is started yet; `scratch` takes what it writes to stderr, and the names of its sessions.

        A session that broke, or whose process ended, is resumed if the agent supports it.
        """
        self.name = launch.name
        self._launch = launch
        self._artifacts = artifacts
        self._scratch = scratch
        self._sandbox = sandbox or Sandbox()
        self._patience = patience or Patience()
        self._sessions = Sessions(scratch / "sessions")
        self._prices = prices or Prices()
        self._passed: Mapping[str, str] = inherited(launch.pass_environment)
        self._secrets = secrets_of(launch, self._passed)
        self._held: dict[Role, _Held] = {}
        self._transcripts = {role: Transcript(self._secrets) for role in Role}

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Send the brief's prompt and watch the turn to its end."""
        if (unpaid := unpaid_attempt(self.name, brief)) is not None:
            return unpaid
        began_s, started_at = time.monotonic(), datetime.now(UTC)
        turn: Turn | None = None
        answer: PromptResponse | Breakage
        meter, transcript = Meter(self._launch.quirks), self._transcripts[brief.role]
        spending = UsageMeter(brief.limits, observer, self._prices, stated_models(self._launch, self._passed))
        version = sandbox = ""
        try:
            earlier, before = self._found(brief), self._held.get(brief.role)
            live = await self._session(brief, earlier)
            if isinstance(live, Breakage):
                answer = live
            else:
                meter, version = live.meter, live.version
                self._begun(brief, live, observer, before)
                spending.runs_on(live.model)
                turn = self._turn(brief, Hearing(observer, transcript.redacted), meter, spending)
                self._held[brief.role].tap.turn_to(spending)
                sandbox = self._held[brief.role].confined.by
                answer = await live.prompt(brief.prompt, turn, self._bounds(brief.limits, began_s, turn))
        except BaseException:  # the boundary of one attempt: whatever ends it ends the agent, too
            await self._end(brief.role)
            self._artifacts.keep(transcript.take())
            raise
        if brief.role in self._held and not self._held[brief.role].live.usable:
            await self._end(brief.role)
        if brief.role in self._held:
            self._held[brief.role].tap.turn_to(None)
        usage = spending.told(meter.usage(live.answer if isinstance(live, LiveSession) else None))
        broken = breakage.known(self._launch, self._broken(answer, turn, usage, spending), spending)
        broken = await self._looked_up(brief, broken, live, spending.last_call)
        if isinstance(live, LiveSession):
            self._keep(brief, live, broke=broken is not None and broken.kind not in PASSING)
        return Attempt(
            agent=self.name,
            version=version,
            sandbox=sandbox,
            stop=Stop.BROKEN if broken else _stop(answer),
            breakage=broken,
            text=transcript.redacted(turn.text) if turn else "",
            usage=usage,
            tool_calls=turn.calls.count if turn else 0,
            tool_errors=turn.calls.errors if turn else 0,
            started_at=started_at,
            duration_s=round(time.monotonic() - began_s, 6),
            transcript=self._artifacts.keep(transcript.take()),
        )

    def goes_on(self, brief: Brief) -> bool:
        """Whether the session of a brief is open, or can be opened again in a new process."""
        held = self._held.get(brief.role)
        about = (brief.session, brief.workdir)
        if held is not None and (held.session, held.workdir) == about and held.live.usable:
            return True
        kept = self._found(brief)
        return kept is not None and kept.resumable

    def _found(self, brief: Brief) -> KeptSession | None:
        """Return the session that was kept of a brief; a private one is gone with its process."""
        return None if self._launch.is_private(brief.role) else self._sessions.find(self.name, brief)

    @property
    def reads(self) -> ReadsItself:
        """What of a project's instructions it reads by itself."""
        return self._launch.reads

    @property
    def takes_servers(self) -> bool:
        """Whether it starts servers that a brief names."""
        return self._launch.quirks.tool_servers

    def begins(self, brief: Brief) -> bool:
        """Whether an attempt with this brief begins a session."""
        return not self.goes_on(brief)

    async def try_out(self, workdir: Path) -> Breakage | str:
        """Start the agent and open a session without a prompt; return its version, or why it fails."""
        opening_s = self._patience.open_s
        brief = Brief(
            role=Role.MAKER,
            session="try-out",
            label="try-out",
            prompt="",
            workdir=str(workdir),
            story=Story(id=StoryId("try-out"), title="Try an agent"),
            limits=AttemptLimits(wall_s=opening_s, idle_s=opening_s),
        )
        live = await self._session(brief)
        await self.close()
        return self._without_secrets(live) if isinstance(live, Breakage) else live.version

    async def close(self) -> None:
        """End the agent and everything it started."""
        await _to_its_end(asyncio.gather(*(self._end(role) for role in tuple(self._held))))

    async def _end(self, role: Role) -> None:
        held = self._held.pop(role, None)
        if held is not None:
            await _to_its_end(asyncio.ensure_future(self._ended(held)))

    async def _ended(self, held: _Held) -> None:
        try:
            await held.live.end(self._patience.grace_s if held.live.usable else 0.0)
        finally:
            await held.lane.aclose()
            held.tap.turn_to(None)

    async def _session(self, brief: Brief, earlier: KeptSession | None = None) -> LiveSession | Breakage:
        role, session, workdir = brief.role, brief.session, brief.workdir
        held = self._held.get(role)
        if held is not None and (held.session, held.workdir) == (session, workdir) and held.live.usable:
            return held.live
        await self._end(role)
        hush()
        self._scratch.mkdir(parents=True, exist_ok=True)
        stderr = self._scratch / f"{self.name}-{uuid.uuid4().hex[:12]}.stderr"
        tap = Tap()
        try:
            async with AsyncExitStack() as begun:
                pointed = await begun.enter_async_context(counting(self._launch, self._passed, tap))
                command, private = self._command(brief, pointed), self._launch.is_private(role)
                confined = await self._sandbox.hold(self._launch, command, private=private)
                begun.push_async_callback(confined.release)
                process = await spawn(confined.command, stderr)
                lane = begun.pop_all()
        except OSError as error:
            if error.errno in _OF_THE_MACHINE:
                raise  # no fault of the agent: the run stops here, to be resumed
            return breakage.missing(self._launch, f"cannot start: {error}")
        is_free = role is not Role.MAKER or confined.by == Means.NONE
        launch = self._launch if is_free else self._launch.held()
        live = LiveSession(launch, process, stderr, self._transcripts[role])
        self._held[role] = _Held(
            session=session, workdir=workdir, live=live, confined=confined, lane=lane, tap=tap
        )
        opening_s = min(self._patience.open_s, brief.limits.wall_s)
        opening = Bounds(
            until_s=time.monotonic() + opening_s,
            wall_s=opening_s,
            idle_s=opening_s,
            doing=breakage.OPENING,
            cancel_s=self._patience.cancel_s,
        )
        failed = await live.open(workdir, opening, earlier.session if earlier else "", self._servers(brief))
        if failed is not None:
            await self._end(role)
            return failed
        if earlier is not None and live.resumed:
            live.meter.resume(earlier.cost_usd, earlier.tokens)
        return live

    def _begun(self, brief: Brief, live: LiveSession, observer: Observer, before: _Held | None) -> None:
        """Keep a session that is open, and say whether it is an earlier one."""
        if isinstance(observer, HearsSessions):
            same = before is not None and before.live is live
            observer.opened(continued=same or live.resumed)
        self._keep(brief, live)

    def _keep(self, brief: Brief, live: LiveSession, *, broke: bool = False) -> None:
        """Keep the session for another process; drop one that breaks again after it was resumed."""
        if broke and live.resumed:
            self._sessions.forget(self.name, brief)
            return
        cost, tokens = live.meter.session
        kept = KeptSession(session=live.session_id, resumable=live.resumable, cost_usd=cost, tokens=tokens)
        if self._sessions.find(self.name, brief) != kept:
            self._sessions.keep(self.name, brief, kept)

    def _turn(self, brief: Brief, heard: Hearing, meter: Meter, spending: UsageMeter) -> Turn:
        turn = Turn(brief, self._launch, heard, meter, spending)
        turn.held = self._held[brief.role].confined.by != Means.NONE
        return turn

    def _command(self, brief: Brief, pointed: Mapping[str, str]) -> Command:
        words = tuple(word.replace("{workdir}", brief.workdir) for word in self._words())
        return Command(
            argv=found(words, self._launch),
            cwd=Path(brief.workdir),
            environment=environment_of(self._launch, brief, self._passed, pointed),
            timeout_s=brief.limits.wall_s,
            grace_s=self._patience.grace_s,
        )

    def _servers(self, brief: Brief) -> tuple[Server, ...]:
        """Return the servers with tools that the agent is to use: approved ones, and Setpoint's own."""
        if not self.takes_servers:
            return ()
        for each in brief.tool_servers:
            self._transcripts[brief.role].hide({**each.environment, **each.headers})
        made = [named(each) for each in brief.tool_servers]
        if brief.self_check:
            program, *words = (word.replace("{workdir}", brief.workdir) for word in brief.self_check)
            made.append(McpServerStdio(name="setpoint", command=program, args=words, env=[]))
        return tuple(made)

    def _words(self) -> tuple[str, ...]:
        launch = self._launch
        chosen = launch.model_argv if launch.model else ()
        return (*launch.argv, *(word.replace("{model}", launch.model) for word in chosen))

    def _bounds(self, limits: AttemptLimits, began_s: float, turn: Turn) -> Bounds:
        return Bounds(
            until_s=began_s + limits.wall_s,
            wall_s=limits.wall_s,
            idle_s=limits.idle_s,
            doing="working on the prompt",
            cancel_s=self._patience.cancel_s,
            halt=turn.halted,
        )

    def _broken(
        self, answer: PromptResponse | Breakage, turn: Turn | None, usage: Usage, spending: UsageMeter
    ) -> Breakage | None:
        if isinstance(answer, Breakage):
            return self._without_secrets(answer)
        if turn is not None and turn.failed and answer.stop_reason == "end_turn":
            return breakage.of_turn(self._launch, self._redacted(turn.last_piece), turn.error)
        prefix = self._launch.quirks.error_as_text
        if prefix and turn is not None and (last := turn.last_piece.lstrip()).startswith(prefix):
            failed = breakage.of_turn(self._launch, self._redacted(last), None)
            if spending.last_refused or failed.status or failed.kind is not BreakageKind.MODEL:
                return failed
        nothing_done = turn is not None and turn.calls.count == 0 and not usage.output_tokens
        if prefix and turn is not None and nothing_done and turn.said(prefix):
            told = (
                f"{self.name} ended its turn without a call of a tool or a model: {turn.text.strip()[:300]}"
            )
            return Breakage(kind=BreakageKind.MODEL, message=self._redacted(told))
        return None

    async def _looked_up(
        self,
        brief: Brief,
        broken: Breakage | None,
        live: LiveSession | Breakage,
        asked: ModelCall | None,
    ) -> Breakage | None:
        """Name a breakage by the agent's own record of the session or by the network, at need."""
        untold = broken is not None and broken.kind is BreakageKind.MODEL and broken.status is None
        if broken is not None and untold and not isinstance(live, Breakage):
            data = await error_of(self._launch, self._sandbox, self._command(brief, {}), live.session_id)
            broken = breakage.explained(self._launch, broken, data)
        return await network_seen(self._launch, self._passed, broken, asked)

    def _without_secrets(self, broken: Breakage) -> Breakage:
        clean = {"message": self._redacted(broken.message), "said": self._redacted(broken.said)}
        return broken.model_copy(update=clean)

    def _redacted(self, text: str) -> str:
        return Transcript(self._secrets).redacted(text)


async def _to_its_end(ending: asyncio.Future[Any]) -> None:
    """Wait for an ending although this call is cancelled meanwhile: it must not leave a process behind."""
    try:
        await asyncio.shield(ending)
    except asyncio.CancelledError:
        await asyncio.wait({ending})
        raise


def _stop(answer: PromptResponse | Breakage) -> Stop:
    return Stop(answer.stop_reason) if isinstance(answer, PromptResponse) else Stop.BROKEN
