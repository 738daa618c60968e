"""An agent that follows a script inside the process, and an observer that remembers what it received."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from setpoint.inner.policy.repetition import Repeats
from setpoint.model.attempt import (
    Attempt,
    Breakage,
    BreakageKind,
    Brief,
    ModelCall,
    Stop,
    ToolCall,
    Usage,
)
from setpoint.ports import Clock, Observer


@dataclass(frozen=True, kw_only=True)
class Act:
    """What a scripted agent does in one attempt."""

    edits: Mapping[str, str | None] = field(default_factory=dict)
    """New content by path from the root of the work copy; none deletes the file."""
    do: Callable[[Brief], Awaitable[None] | None] | None = None
    """Anything else to do with the work copy, after the edits."""
    calls: tuple[ToolCall, ...] = ()
    """Tool calls to report; each edit is reported besides, as one successful call."""
    usage: Usage | None = None
    """What the attempt costs; none: no model was called and it cost nothing."""
    text: str = "All done, every test passes."
    """The agent's word."""
    stop: Stop = Stop.END_TURN
    breakage: BreakageKind | None = None
    """Breaks like this after the edits."""
    duration_s: float = 0.0
    """How long it takes, on the agent's clock; above the brief's wall time it ends as a time-out."""
    hangs: bool = False
    """Never comes back until it is cancelled."""


class ScriptedAgent:
    """Plays one act per attempt, in order, and does nothing more once the script is at its end.

    Shipped so that loops and plug-ins can be tested without a process. `briefs` holds what it was asked.
    """

    def __init__(self, *acts: Act, name: str = "scripted", clock: Clock | None = None) -> None:
        """Take the acts; with a clock, attempts take their `duration_s` on it."""
        self.name = name
        self.acts = acts
        self.briefs: list[Brief] = []
        self.closed = 0
        self.cancelled = 0
        self._clock = clock

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Play the next act in the brief's work copy."""
        act = (
            self.acts[len(self.briefs)]
            if len(self.briefs) < len(self.acts)
            else Act(text="Nothing left to do.")
        )
        self.briefs.append(brief)
        started_at = self._clock.now() if self._clock else datetime.now(UTC)
        calls = self._edit(brief, act) + act.calls
        usage = act.usage or Usage(cost_usd=Decimal(0), scope="none")
        for call in calls:
            observer.called(call)
        observer.spent(usage)
        try:
            await self._play(brief, act)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        breakage = self._breakage(brief, act)
        return Attempt(
            agent=self.name,
            version="script",
            stop=Stop.BROKEN if breakage else act.stop,
            breakage=breakage,
            text=act.text,
            usage=usage,
            tool_calls=len(calls),
            tool_errors=sum(call.ok is False for call in calls),
            started_at=started_at,
            duration_s=min(act.duration_s, brief.limits.wall_s),
        )

    async def close(self) -> None:
        """Count that it was closed; there is nothing to end."""
        self.closed += 1

    async def _play(self, brief: Brief, act: Act) -> None:
        if act.do is not None:
            waiting = act.do(brief)
            if inspect.isawaitable(waiting):
                await waiting
        if act.hangs:
            await asyncio.Event().wait()
        if self._clock is not None and act.duration_s:
            await self._clock.sleep(min(act.duration_s, brief.limits.wall_s))

    def _edit(self, brief: Brief, act: Act) -> tuple[ToolCall, ...]:
        calls = []
        for number, (path, content) in enumerate(act.edits.items(), start=1):
            target = Path(brief.workdir) / path
            if content is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content, encoding="utf-8")
            kind = "delete" if content is None else "edit"
            call = ToolCall(
                id=f"edit-{number}", name=kind, kind=kind, title=f"{kind} {path}", ok=True, files=(path,)
            )
            calls.append(call)
        return tuple(calls)

    def _breakage(self, brief: Brief, act: Act) -> Breakage | None:
        if act.breakage is not None:
            return Breakage(
                kind=act.breakage, message=f"{self.name}: broke as its script says ({act.breakage})"
            )
        if act.duration_s > brief.limits.wall_s:
            message = (
                f"{self.name}: no end after {brief.limits.wall_s:g} s; raise agents.wall_s if it needs longer"
            )
            return Breakage(kind=BreakageKind.TIMEOUT, message=message)
        return None


class SilentObserver:
    """Keeps what it receives and shows nothing."""

    def __init__(self, same_calls: int | None = None) -> None:
        """Start with nothing seen; `same_calls` in a row, with the same result, end an attempt."""
        self._repeats = Repeats(same_calls)
        self.calls: list[ToolCall] = []
        self.begun: list[ToolCall] = []
        self.texts: list[str] = []
        self.usages: list[Usage] = []
        self.asked_models: list[ModelCall] = []

    def began(self, call: ToolCall) -> None:
        """Keep a tool call that begins."""
        self.begun.append(call)

    def called(self, call: ToolCall) -> bool:
        """Keep a finished tool call; true where it was made too often in a row."""
        self.calls.append(call)
        return self._repeats.seen(call)

    def said(self, text: str) -> None:
        """Keep a piece of what the agent writes."""
        self.texts.append(text)

    def asked(self, call: ModelCall) -> None:
        """Keep a call of a model."""
        self.asked_models.append(call)

    def spent(self, usage: Usage) -> bool:
        """Keep what the attempt has used so far; there is always enough left."""
        self.usages.append(usage)
        return False
