"""An agent that applies patches which lie in the project."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Brief, Stop, Usage
from setpoint.plugins import AgentOptions
from setpoint.ports import Agent, Observer
from setpoint.ports.toolkit import CommandRequest, Toolkit

FOLDER = "setpoint-patches"


class Patcher:
    """Applies the patch whose number is that of the iteration."""

    name = "patcher"

    def __init__(self, toolkit: Toolkit) -> None:
        """Run git through the toolkit, which ends its processes and hides secrets from them."""
        self._toolkit = toolkit

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Apply the patch of `brief.label`; without one, nothing changes."""
        del observer  # it is told of tool calls, and this agent makes none
        started_at, start = datetime.now(UTC), time.monotonic()
        number = brief.label.rpartition("-")[2]
        patch = Path(brief.workdir) / FOLDER / f"{number}.patch"
        text, breakage = f"there is no {patch.name}", None
        if patch.is_file():
            done = await self._toolkit.run_command(
                CommandRequest(
                    argv=("git", "apply", str(patch)),
                    cwd=Path(brief.workdir),
                    environment=self._toolkit.environment(),
                    timeout_s=min(60.0, brief.limits.wall_s),
                )
            )
            text = f"applied {patch.name}"
            if done.exit_code != 0:
                message = f"{patch.name} does not apply: {done.errors or done.ending}"
                breakage = Breakage(kind=BreakageKind.CRASH, message=message)
        return Attempt(
            agent=self.name,
            stop=Stop.BROKEN if breakage else Stop.END_TURN,
            breakage=breakage,
            text=text,
            usage=Usage(cost_usd=Decimal(0), scope="none"),
            started_at=started_at,
            duration_s=time.monotonic() - start,
        )

    async def close(self) -> None:
        """Keep nothing running."""


class PatcherPlugin:
    """What the entry point names: it makes the agent."""

    def why_not(self, options: AgentOptions) -> str:
        """Return nothing: it works wherever git does."""
        del options
        return ""

    def agent(self, toolkit: Toolkit, options: AgentOptions) -> Agent:
        """Make the agent."""
        del options
        return Patcher(toolkit)
