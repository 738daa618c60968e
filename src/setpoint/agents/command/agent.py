"""Any command as an agent: it gets a prompt, works in the work copy and ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from setpoint.agents import breakage
from setpoint.agents.command.turn import CommandTurn, Cut
from setpoint.agents.environment import environment_of, found
from setpoint.agents.launch import Launch
from setpoint.agents.reachable import network_seen
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.sessions import KeptSession, Sessions
from setpoint.agents.spending.meter import UsageMeter, unpaid_attempt
from setpoint.agents.spending.prices import Prices, stated_models
from setpoint.agents.spending.proxy import Tap, counting
from setpoint.agents.transcript import Transcript, secrets_of
from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Stop
from setpoint.model.project_text import ReadsItself
from setpoint.ports import Observer
from setpoint.ports.agent import HearsSessions
from setpoint.settings import inherited
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run

_TEXT_CHARS = 20_000
_NOT_FOUND, _NOT_STARTED = 127, 126
_DOING = "running the command"


@dataclass(frozen=True, kw_only=True)
class _Played:
    """One run of the command."""

    done: Completed | None
    """None if Setpoint ended it."""
    turn: CommandTurn
    broken: Breakage | None
    held_by: str
    """The sandbox around it."""


class CommandAgent:
    """Runs one command per attempt.

    The prompt replaces `{prompt}` in the arguments, or comes on standard input if none contains it. The
    output is the agent's answer. If its `stream` is known, Setpoint reads tool calls, figures and errors
    while it runs. It ends the command if it repeats itself or spends more than its brief allows; a later
    attempt resumes its session. Of other commands they are unknown: a non-zero exit code without output is
    a crash; with output it is the end of a turn, and the checks decide.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        artifacts: Artifacts,
        sessions: Sessions | None = None,
        prices: Prices | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Set the command; nothing starts yet. Without `sessions` each attempt starts a new session."""
        self.name = launch.name
        self._launch = launch
        self._artifacts = artifacts
        self._sessions = sessions if launch.resume_argv else None
        self._prices = prices or Prices()
        self._sandbox = sandbox or Sandbox()
        self._passed: Mapping[str, str] = inherited(launch.pass_environment)
        self._secrets = secrets_of(launch, self._passed)

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Run the command to its end; cancelling ends its whole tree."""
        if (unpaid := unpaid_attempt(self.name, brief)) is not None:
            return unpaid
        began_s, started_at = time.monotonic(), datetime.now(UTC)
        spending = UsageMeter(brief.limits, observer, self._prices, stated_models(self._launch, self._passed))
        transcript = Transcript(self._secrets)
        before = self._found(brief)
        begin = partial(CommandTurn, brief, self._launch, observer, transcript, spending)
        played = await self._play(brief, begin(), transcript, before)
        if before is not None and played.broken is not None and not played.turn.did_anything:
            # The session may be gone or spoiled; whether that was it shows a new one.
            self._forget(brief)
            if played.broken.kind in (BreakageKind.CRASH, BreakageKind.PROTOCOL, BreakageKind.MODEL):
                before = None
                played = await self._play(brief, begin(), transcript, None)
        usage = spending.told(played.turn.usage(before))
        self._tell_session(observer, played, before)
        self._keep(brief, played, before)
        broken, tally = breakage.known(self._launch, played.broken, spending), played.turn.tally
        broken = await network_seen(self._launch, self._passed, broken, spending.last_call)
        text = tally.text if self._launch.stream or played.done is None else played.done.text
        return Attempt(
            agent=self.name,
            version=tally.version,
            sandbox=played.held_by,
            stop=Stop.BROKEN if broken else Stop.CANCELLED if played.done is None else tally.stop,
            breakage=broken,
            text=transcript.redacted(text.strip()[-_TEXT_CHARS:]),
            usage=usage,
            tool_calls=tally.calls.count,
            tool_errors=tally.calls.errors,
            started_at=started_at,
            duration_s=round(time.monotonic() - began_s, 6),
            transcript=self._artifacts.keep(transcript.take()),
        )

    def goes_on(self, brief: Brief) -> bool:
        """Whether a session of a brief is kept that the command can continue."""
        return self._found(brief) is not None

    @property
    def reads(self) -> ReadsItself:
        """What of a project's instructions it reads by itself."""
        return self._launch.reads

    @property
    def takes_servers(self) -> bool:
        """Whether it starts servers that a brief names: commands have no way to be given them."""
        return False

    def begins(self, brief: Brief) -> bool:
        """Whether an attempt with this brief begins a session."""
        return not self.goes_on(brief)

    async def close(self) -> None:
        """Nothing runs between attempts."""

    async def _play(
        self, brief: Brief, turn: CommandTurn, transcript: Transcript, session: KeptSession | None
    ) -> _Played:
        transcript.text("setpoint", brief.prompt)
        done: Completed | None = None
        tap = Tap()
        tap.turn_to(turn.spending)
        async with counting(self._launch, self._passed, tap) as pointed:
            private = self._launch.is_private(brief.role)
            command = self._command(brief, session, pointed)
            held = await self._sandbox.hold(self._launch, command, private=private)
            try:
                take = turn.take if self._launch.stream else turn.hear
                done = await run(held.command, on_output=take, halt=turn.spending.halted)
            except Cut:
                pass  # Setpoint ended it: the turn has the reason
            finally:
                turn.end()
                await asyncio.shield(held.release())
        if done is not None:
            if not self._launch.stream:
                transcript.text("stdout", done.text)
            transcript.text("stderr", done.errors)
            done = None if done.halted else done
        broken = self._broken(done, turn, brief)
        if broken is not None:
            clean = {"message": transcript.redacted(broken.message), "said": transcript.redacted(broken.said)}
            broken = broken.model_copy(update=clean)
        return _Played(done=done, turn=turn, broken=broken, held_by=held.by)

    def _command(self, brief: Brief, session: KeptSession | None, pointed: Mapping[str, str]) -> Command:
        launch = self._launch
        words = launch.resume_argv if session is not None else launch.argv
        if launch.model:
            words = (*words, *launch.model_argv)
        put = {"{workdir}": brief.workdir, "{model}": launch.model}
        put["{session}"] = session.session if session else ""
        asks = any("{prompt}" in word for word in words)
        for mark, value in put.items():
            words = tuple(word.replace(mark, value) for word in words)
        return Command(
            argv=found(tuple(word.replace("{prompt}", brief.prompt) for word in words), launch),
            cwd=Path(brief.workdir),
            environment=environment_of(launch, brief, self._passed, pointed),
            timeout_s=brief.limits.wall_s,
            idle_s=brief.limits.idle_s,
            stdin=b"" if asks else brief.prompt.encode(),
        )

    def _broken(self, done: Completed | None, turn: CommandTurn, brief: Brief) -> Breakage | None:
        words = (*self._launch.argv, *self._launch.resume_argv)
        if done is not None and done.too_long and any("{prompt}" in word for word in words):
            return breakage.prompt_too_long(self._launch, len(brief.prompt.encode()))
        if done is not None and done.fault and done.exit_code in (_NOT_FOUND, _NOT_STARTED):
            return breakage.missing(self._launch, done.fault)
        if turn.tally.failure is not None:
            return breakage.of_stream(self._launch, turn.tally.failure)
        if done is None:
            return None
        if done.timed_out or done.idled:
            return self._overdue(done, turn, brief)
        return self._ended_badly(done, turn)

    def _overdue(self, done: Completed, turn: CommandTurn, brief: Brief) -> Breakage:
        kind = BreakageKind.TIMEOUT if done.timed_out else BreakageKind.IDLE
        seconds = brief.limits.wall_s if done.timed_out else brief.limits.idle_s
        if turn.tally.trouble is not None:
            return breakage.of_stream(self._launch, turn.tally.trouble, f"for {seconds:g} s")
        return breakage.overdue(self._launch, kind, seconds, _DOING)

    def _ended_badly(self, done: Completed, turn: CommandTurn) -> Breakage | None:
        killed = done.exit_code is None or done.exit_code < 0
        said = done.stdout.strip() if not self._launch.stream else turn.did_anything
        if killed or (done.exit_code and not said):
            return breakage.crash(self._launch, done.exit_code, done.errors or done.fault, done.text)
        if turn.stream.silent:
            return breakage.protocol(
                self._launch, f"sent nothing of the stream '{self._launch.stream}'", done.text
            )
        return None

    def _keep(self, brief: Brief, played: _Played, before: KeptSession | None) -> None:
        """Keep the session for the next attempt; one that broke twice in a row is not resumed."""
        if self._sessions is None:
            return
        if played.broken is not None and before is not None:
            self._forget(brief)
        elif played.turn.tally.session:
            self._sessions.keep(self.name, brief, played.turn.kept(before))

    def _tell_session(self, observer: Observer, played: _Played, before: KeptSession | None) -> None:
        """Say whether the command reported the session that it was to continue."""
        now = played.turn.tally.session
        if isinstance(observer, HearsSessions) and (now or self._sessions is None):
            observer.opened(continued=before is not None and now == before.session)

    def _found(self, brief: Brief) -> KeptSession | None:
        """Return the session that an attempt continues; a private one is gone with its process."""
        kept = self._sessions is not None and not self._launch.is_private(brief.role)
        return self._sessions.find(self.name, brief) if self._sessions and kept else None

    def _forget(self, brief: Brief) -> None:
        if self._sessions is not None:
            self._sessions.forget(self.name, brief)
