"""Any command as an agent: it gets a prompt, works in the work copy and ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from setpoint.agents import breakage
from setpoint.agents.confined import Sandbox
from setpoint.agents.launch import Launch
from setpoint.agents.meter import Spending, penniless
from setpoint.agents.prices import Prices, stated_models
from setpoint.agents.transcript import Transcript
from setpoint.domain.attempt import Attempt, Breakage, BreakageKind, Brief, Stop, Usage
from setpoint.ports import Observer
from setpoint.processes import DEFAULT_KEEP, NETWORK_KEEP, Command, Completed, clean_environment, run
from setpoint.processes.git import ceiling
from setpoint.settings import inherited
from setpoint.store.artifacts import Artifacts

_TEXT_CHARS = 20_000
_NOT_FOUND, _NOT_STARTED = 127, 126


class CommandAgent:
    """Runs one command per attempt.

    The prompt takes the place of `{prompt}` in the arguments, or comes on standard input where none asks for
    it. What the command prints is its word; its tool calls and its cost are unknown. A non-zero exit code
    with nothing printed is a crash; with something printed it is the end of a turn, and the checks decide.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        artifacts: Artifacts,
        prices: Prices | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Take the command; nothing is started yet."""
        self.name = launch.name
        self._launch = launch
        self._artifacts = artifacts
        self._prices = prices or Prices()
        self._sandbox = sandbox or Sandbox()
        self._secrets: Mapping[str, str] = inherited(launch.pass_environment)

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Run the command to its end; cancelling ends its whole tree."""
        if (unpaid := penniless(self.name, brief)) is not None:
            return unpaid
        spending = Spending(brief.limits, observer, self._prices, stated_models(self._launch, self._secrets))
        held = await self._sandbox.hold(self._launch, self._command(brief))
        try:
            done = await run(held.command)
        finally:
            await asyncio.shield(held.release())
        usage = spending.told(Usage())
        transcript = Transcript(self._secrets)
        transcript.text("setpoint", brief.prompt)
        transcript.text("stdout", done.text)
        transcript.text("stderr", done.errors)
        broken = self._broken(done, brief)
        if broken is not None:
            broken = broken.model_copy(update={"message": transcript.redacted(broken.message)})
        return Attempt(
            agent=self.name,
            sandbox=held.by,
            stop=Stop.BROKEN if broken else Stop.END_TURN,
            breakage=broken,
            text=transcript.redacted(done.text.strip()[-_TEXT_CHARS:]),
            usage=usage,
            started_at=done.started_at,
            duration_s=done.duration_s,
            transcript=self._artifacts.keep(transcript.take()),
        )

    async def close(self) -> None:
        """Nothing runs between attempts."""

    def _command(self, brief: Brief) -> Command:
        asks = any("{prompt}" in word for word in self._launch.argv)
        words = [word.replace("{workdir}", brief.workdir) for word in self._launch.argv]
        return Command(
            argv=tuple(word.replace("{prompt}", brief.prompt) for word in words),
            cwd=Path(brief.workdir),
            environment=clean_environment(
                {**ceiling(brief.workdir), **self._secrets, **self._launch.environment},
                keep=DEFAULT_KEEP + NETWORK_KEEP,
            ),
            timeout_s=brief.limits.wall_s,
            idle_s=brief.limits.idle_s,
            stdin=b"" if asks else brief.prompt.encode(),
        )

    def _broken(self, done: Completed, brief: Brief) -> Breakage | None:
        if done.timed_out:
            return breakage.overdue(
                self._launch, BreakageKind.TIMEOUT, brief.limits.wall_s, "running the command"
            )
        if done.idled:
            return breakage.overdue(
                self._launch, BreakageKind.IDLE, brief.limits.idle_s, "running the command"
            )
        if done.fault and done.exit_code in (_NOT_FOUND, _NOT_STARTED):
            return breakage.missing(self._launch, done.fault)
        killed = done.exit_code is None or done.exit_code < 0
        if killed or (done.exit_code and not done.stdout.strip()):
            return breakage.crash(self._launch, done.exit_code, done.errors or done.fault, done.text)
        return None
