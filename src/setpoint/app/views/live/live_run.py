"""Follow a run event by event, and say at any time what it is doing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from setpoint.app.views.live.moment import Moment, Pane, Running
from setpoint.history.run_fold import RunFold
from setpoint.model.attempt import NOT_REACHED, BreakageKind, ToolCall
from setpoint.model.events import Body, Event
from setpoint.model.events.candidates import CandidateMade
from setpoint.model.events.live import (
    AgentSaid,
    HintGiven,
    HintTaken,
    PauseEnded,
    PauseRequested,
    RunHeld,
    ToolStarted,
)
from setpoint.model.events.run import (
    AgentBroke,
    AgentFinished,
    AgentSpent,
    AgentStarted,
    BaselineMeasured,
    GateAnswered,
    GateOpened,
    IterationEvaluated,
    ModelCalled,
    PhaseCompleted,
    PhaseEntered,
    ProofMeasured,
    ReviewAnswered,
    ReviewCompleted,
    RunFinished,
    RunResumed,
    RunStarted,
    ToolExecuted,
)
from setpoint.model.pipeline import PhaseKind
from setpoint.model.run import RunOrder
from setpoint.model.value import Instant, Value
from setpoint.model.wording import counted, lasted

TEXT_LINES = 200
"""Lines of an agent's text that are remembered."""
_EDITS = frozenset({"edit", "delete", "move"})
_CANDIDATE = re.compile(r"-c(\d+)$")
_DOING: dict[type[Value], str] = {
    RunStarted: "measuring the base",
    BaselineMeasured: "starting the work",
    PhaseCompleted: "deciding what comes next",
    ReviewCompleted: "deciding what comes next",
    IterationEvaluated: "weighing the evidence",
    ProofMeasured: "deciding what comes next",
    GateAnswered: "continuing with the answer",
}
"""What Setpoint does after an event of that kind."""
_OVER = PhaseEntered | PhaseCompleted | ReviewCompleted | GateOpened | RunFinished
"""Events after which no agent of before is at work."""
_SILENT_S = 2.0
"""Shorter silences are not worth a word."""
_LIMITS = {
    BreakageKind.RATE_LIMIT: "the limit",
    BreakageKind.OVERLOAD: "the overloaded provider",
    BreakageKind.NETWORK: "the network",
}
_KINDS = {
    PhaseKind.MEASURE: "running the checks",
    PhaseKind.REVIEW: "reviewing the change",
    PhaseKind.MAKE: "preparing the work",
    PhaseKind.THINK: "thinking",
    PhaseKind.DELIVER: "delivering the branch",
}


@dataclass(kw_only=True)
class _Attempt:
    """An agent at work."""

    agent: str
    began_at: Instant
    heard_at: Instant
    heard: bool = False
    """Whether anything was seen of it."""
    open: dict[str, tuple[ToolCall, Instant]] = field(default_factory=dict)
    last: ToolCall | None = None
    calls: int = 0
    errors: int = 0
    files: dict[str, None] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    until: Instant | None = None
    """When the limit that it waits for is lifted."""
    limit: str = ""
    unreached: str = ""
    """Why the newest call of its model did not reach it."""


class LiveRun:
    """A run under way; remembers what is at work now and no more, however long the run is."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        """Take in the events so far."""
        self._order: RunOrder | None = None
        self._fold = RunFold()
        self._attempts: dict[str, _Attempt] = {}
        self._doing: tuple[str, Instant | None] = ("starting", None)
        self._held, self._paused, self._needs, self._hints = "", False, False, 0
        for event in events:
            self.take(event)

    @property
    def paused(self) -> bool:
        """Whether a person paused the run."""
        return self._paused

    def calls_of(self, label: str) -> str:
        """Count the calls of an agent at work, and those that failed; empty where there are none."""
        seen = self._attempts.get(label)
        if seen is None or not seen.calls:
            return ""
        return counted(seen.calls, "call") + (f", {seen.errors} failed" if seen.errors else "")

    def take(self, event: Event) -> None:
        """Take in the next event."""
        self._fold = self._fold.take(event)
        body, at = event.body, event.at
        match body:
            case ToolStarted() | ToolExecuted() | AgentSaid():
                self._seen(body, at)
            case ModelCalled(label=label, call=call) if label in self._attempts:
                self._heard(self._attempts[label], at)
                self._attempts[label].unreached = call.fault if call.fault.startswith(NOT_REACHED) else ""
            case AgentSpent(label=label) if label in self._attempts:
                self._heard(self._attempts[label], at)
            case AgentStarted(label=label, agent=agent):
                self._attempts[label] = _Attempt(agent=agent, began_at=at, heard_at=at)
            case AgentBroke(label=label) if label in self._attempts:
                self._broke(self._attempts[label], body, at)
            case AgentFinished(snapshot=snapshot) | CandidateMade(snapshot=snapshot):
                self._attempts.pop(snapshot.label, None)
                self._does("recording the change", at)
            case HintGiven() | HintTaken() | PauseRequested() | RunHeld() | PauseEnded():
                self._steered(body)
            case RunResumed():
                self._attempts.clear()
                self._held, self._paused = "", False
                self._does("continuing where it was left", at)
            case ReviewAnswered():
                self._attempts.pop(event.key, None)
            case _:
                self._turned(body, at)

    def moment(self, now: datetime, zone: tzinfo | None = None) -> Moment:
        """Return what the run is doing; times of the day are given in `zone`, by default the local one."""
        order, figures = self._order, self._fold.figures
        panes = tuple(self._pane(label, each, now, zone) for label, each in sorted(self._attempts.items()))
        doing, since = self._doing
        told = f"{doing}, {lasted(_gap(since, now))}" if since else doing
        asks = f"waits for a person: {figures.asks}" if figures.asks else ""
        return Moment(
            trace_id=order.trace_id if order else "",
            title=order.story.title if order else "",
            **dict(figures),
            elapsed_s=self._elapsed_s(now),
            doing="" if panes or asks or self._held or self._fold.over else told,
            waits=asks or self._held,
            note=self._note(),
            panes=panes,
            over=self._fold.over,
        )

    def _seen(self, body: ToolStarted | ToolExecuted | AgentSaid, at: Instant) -> None:
        """Take in what an agent does; reviewers and others are first seen by it."""
        seen = self._attempts.get(body.label)
        if seen is None:
            seen = _Attempt(agent=self._player(body.phase), began_at=at, heard_at=at)
            self._attempts[body.label] = seen
        self._heard(seen, at)
        match body:
            case ToolStarted(call=call):
                _, since = seen.open.get(call.id, (call, at))
                seen.open[call.id] = (call, since)
            case ToolExecuted(call=call):
                seen.open.pop(call.id, None)
                seen.last = call
                seen.calls += 1
                seen.errors += call.ok is False
                if call.kind in _EDITS and call.ok is not False:
                    seen.files.update(dict.fromkeys(call.files))
            case AgentSaid(text=text):
                seen.text = [*seen.text, *text.splitlines()][-TEXT_LINES:]

    def _steered(self, body: HintGiven | HintTaken | PauseRequested | RunHeld | PauseEnded) -> None:
        match body:
            case HintGiven():
                self._hints += 1
            case HintTaken():
                self._hints = 0
            case PauseRequested(needs=needs):
                self._paused, self._needs = True, bool(needs)
            case RunHeld(by=by):
                self._attempts.clear()
                self._held = f"{by} needs you" if self._needs else f"paused by {by}"
            case PauseEnded():
                self._held, self._paused = "", False

    def _note(self) -> str:
        asked = ["pausing behind the next tool call or turn"] if self._paused and not self._held else []
        asked += ["a hint was sent; it waits for the next prompt"] if self._hints else []
        return ", ".join(asked)

    def _turned(self, body: Body, at: Instant) -> None:
        """Take in where the run is; an agent that was at work in what is over works no more."""
        if isinstance(body, _OVER):
            self._attempts.clear()
        for kind, doing in _DOING.items():
            if isinstance(body, kind):
                self._does(doing, at)
        match body:
            case RunStarted(order=order):
                self._order = order
            case PhaseEntered(phase=phase):
                self._does(_KINDS[self._kind(phase)], at)
            case _:
                pass  # changes nothing of what is at work

    def _does(self, what: str, at: Instant) -> None:
        self._doing = (what, at)

    def _heard(self, seen: _Attempt, at: Instant) -> None:
        seen.heard, seen.heard_at, seen.until = True, at, None

    def _broke(self, seen: _Attempt, body: AgentBroke, at: Instant) -> None:
        seen.open.clear()
        seen.heard_at = at
        seen.until = at + timedelta(seconds=body.wait_s) if body.wait_s else None
        seen.limit = _LIMITS.get(body.breakage.kind, "the next try")

    def _pane(self, label: str, seen: _Attempt, now: datetime, zone: tzinfo | None) -> Pane:
        number = _CANDIDATE.search(label)
        raced = number and self._order and f"candidate:{number[1]}" in self._order.agents
        running = tuple(Running(call=call, elapsed_s=_gap(at, now)) for call, at in seen.open.values())
        return Pane(
            label=label,
            agent=seen.agent,
            candidate=int(number[1]) if number and raced else 0,
            elapsed_s=_gap(seen.began_at, now),
            running=running,
            last=seen.last,
            calls=seen.calls,
            errors=seen.errors,
            files=tuple(seen.files),
            silence="" if running else _silence(seen, now, zone),
            silent_s=None if running or seen.until else _gap(seen.heard_at, now),
            text=tuple(seen.text),
        )

    def _kind(self, name: str) -> PhaseKind:
        phases = self._order.pipeline.phases if self._order else ()
        return next((phase.kind for phase in phases if phase.name == name), PhaseKind.THINK)

    def _player(self, name: str) -> str:
        if self._order is None:
            return name
        role = next((phase.role for phase in self._order.pipeline.phases if phase.name == name), None)
        return self._order.agents.get(str(role), name)

    def _elapsed_s(self, now: datetime) -> float:
        account = self._fold.account
        if account.waits or account.ended or account.last_at is None:
            return account.active_s
        return account.active_s + max(_gap(account.last_at, now) - account.pause_s, 0.0)


def _silence(seen: _Attempt, now: datetime, zone: tzinfo | None) -> str:
    """Say why nothing is seen of an agent, and for how long."""
    if seen.until is not None and now < seen.until:
        return f"waiting for {seen.limit} until {seen.until.astimezone(zone):%H:%M}"
    silent_s = _gap(seen.heard_at, now)
    if silent_s < _SILENT_S:
        return ""
    if seen.unreached:
        return f"the network refused its model: {seen.unreached}, {lasted(silent_s)}"
    return f"{'the model is thinking' if seen.heard else 'no sign of life yet'}, {lasted(silent_s)}"


def _gap(since: Instant, now: datetime) -> float:
    return max((now - since).total_seconds(), 0.0)
