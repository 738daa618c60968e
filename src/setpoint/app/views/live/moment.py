"""What a person sees of a run at one moment, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from setpoint.history.phrases import one_line
from setpoint.history.run_figures import Reached as Reached  # noqa: PLC0414 - part of a moment
from setpoint.history.run_figures import RunFigures
from setpoint.model.attempt import ToolCall

_TITLE_CHARS = 400


@dataclass(frozen=True, kw_only=True)
class Running:
    """A tool call that has not ended."""

    call: ToolCall
    elapsed_s: float


@dataclass(frozen=True, kw_only=True)
class Pane:
    """One agent at work."""

    label: str
    """Names its attempt within the run."""
    agent: str
    candidate: int = 0
    """Which of several candidates it is; 0 where it works alone."""
    elapsed_s: float
    """Seconds since its attempt began."""
    running: tuple[Running, ...] = ()
    """Calls that have not ended, oldest first."""
    last: ToolCall | None = None
    """The call that ended last."""
    calls: int = 0
    """Calls that ended."""
    errors: int = 0
    """Those of them that failed."""
    files: tuple[str, ...] = ()
    """Files that it edited in this attempt, as it reports them."""
    silence: str = ""
    """Why nothing is seen of it, with the time; empty while a call runs."""
    silent_s: float | None = None
    """Seconds of a silence whose end nobody knows."""
    text: tuple[str, ...] = ()
    """The last lines that it wrote."""


class Moment(RunFigures):
    """A run at one moment."""

    trace_id: str
    title: str
    elapsed_s: float
    """Seconds of work; those in which it waited for a person or a limit are left out."""
    doing: str
    """What Setpoint itself does, with the time; empty while an agent works."""
    waits: str
    """That it waits for a person, or is paused; empty where it works."""
    note: str
    """What a person asked for and has not reached its end yet: a pause, or a hint."""
    panes: tuple[Pane, ...]
    """Agents at work, by label."""
    over: bool
    """Whether the run has ended."""


def call_text(call: ToolCall) -> str:
    """Name a call in one line without control characters."""
    name, title = one_line(call.name, 60), one_line(call.title, _TITLE_CHARS)
    return name if not title else title if title.startswith(name) else f"{name}: {title}"
