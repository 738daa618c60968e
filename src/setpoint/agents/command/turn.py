"""Observe one run of a command, and decide when to end it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from setpoint.agents.launch import Launch, UsageScope
from setpoint.agents.sessions import KeptSession
from setpoint.agents.speech import Hearing
from setpoint.agents.spending.meter import UsageMeter
from setpoint.agents.streams import Json, Stream, Tally
from setpoint.agents.transcript import Transcript
from setpoint.model.attempt import Brief, ToolCall, Usage
from setpoint.ports import Observer


class Cut(Exception):
    """The command is to be ended now."""


class CommandTurn:
    """Watches one run of a command."""

    def __init__(
        self,
        brief: Brief,
        launch: Launch,
        observer: Observer,
        transcript: Transcript,
        spending: UsageMeter,
    ) -> None:
        """Begin with nothing seen."""
        self._hearing = Hearing(observer, transcript.redacted)
        self.tally = Tally(
            Path(brief.workdir),
            called=self._called,
            spent=self._spent,
            begun=self._hearing.began,
            said=self._hearing.said,
        )
        self.stream = Stream(launch.stream, self.tally, self._record)
        self.spending = spending
        """What it has used so far."""
        self._transcript = transcript
        self._going = True

    def take(self, data: bytes) -> None:
        """Read output; raises `Cut` if the command must end."""
        self.stream.add(data)
        if self.tally.hopeless:
            self._cut()

    def hear(self, data: bytes) -> None:
        """Pass on plain output, which shows that the command lives."""
        self._hearing.said(data.decode("utf-8", "replace"))

    def end(self) -> None:
        """Finish the record: calls that are still open were cut short."""
        self._going = False
        self.stream.end()
        self.tally.calls.cancel_open()
        self._hearing.flush()

    @property
    def did_anything(self) -> bool:
        """Whether the agent printed text or called a tool."""
        return bool(self.tally.calls.count or self.tally.text)

    def usage(self, before: KeptSession | None) -> Usage:
        """Return the turn's own figures; subtract earlier turns from figures of a session."""
        usage, changes = self.tally.usage, dict[str, object]()
        if self.tally.session_cost is not None:
            earlier = (before.cost_usd if before else None) or Decimal(0)
            now = self.tally.session_cost
            changes["cost_usd"] = now - earlier if now >= earlier else now
            changes["scope"] = UsageScope.TURN
        if self.tally.session_tokens is not None:
            then = (before.tokens if before else None) or (0, 0, 0)
            # After compaction a session may restart its count: then the figure itself is the best estimate.
            shares = [
                now - earlier if now >= earlier else now
                for now, earlier in zip(self.tally.session_tokens, then, strict=False)
            ]
            changes |= dict(zip(("input_tokens", "output_tokens", "cached_tokens"), shares, strict=True))
            changes["scope"] = UsageScope.TURN
        return usage.model_copy(update=changes)

    def kept(self, before: KeptSession | None) -> KeptSession:
        """Return the state of the session; if a turn was cut short without figures, its earlier state."""
        cost, counts = self.tally.session_cost, self.tally.session_tokens
        if before is not None:
            cost = before.cost_usd if cost is None else cost
        earlier = before.tokens if before is not None else None
        return KeptSession(session=self.tally.session, cost_usd=cost, tokens=counts or earlier)

    def _record(self, line: bytes, event: Json | None) -> None:
        if event is not None:
            self._transcript.message("agent", line)
        else:
            self._transcript.text("agent", line.decode("utf-8", "replace"))

    def _called(self, call: ToolCall) -> None:
        if self._hearing.called(call):
            self._cut()

    def _spent(self, usage: Usage) -> None:
        if self.tally.model:
            self.spending.runs_on(self.tally.model)
        self.spending.told(usage)
        if self.spending.halted.is_set():
            self._cut()

    def _cut(self) -> None:
        """End the command; what is read after that changes nothing any more."""
        if self._going:
            self._going = False
            raise Cut
