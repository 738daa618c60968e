"""Show a run's events: with a live part below them in a terminal, as plain lines everywhere else.

What is shown depends on the events and on the time that is handed in, so a recorded run can be shown again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.text import Text

from setpoint.app.views.live import LiveRun
from setpoint.cli.render.console import broken
from setpoint.cli.render.event_lines import line
from setpoint.cli.render.frame import MOST_ROWS, NARROW, Row, frame, heartbeat
from setpoint.cli.render.room import RoundRoom
from setpoint.cli.render.styles import harmless, in_ascii
from setpoint.model.events import (
    AgentFinished,
    AgentStarted,
    Delivered,
    Event,
    RunFinished,
    ToolExecuted,
)
from setpoint.model.events.candidates import CandidateMade
from setpoint.model.events.live import ProofStep
from setpoint.model.proof import RUNS

if TYPE_CHECKING:
    from rich.live import Live

BEAT_S = 20.0
"""Seconds without a line after which plain output says what is going on."""
MOST_BEAT_S = 30.0
"""Seconds between these lines from then on."""
_LEAST_ROWS = 4
_COUNTED = (ToolExecuted,)
"""Events that the line of the change counts, instead of a line for each."""
_CLOSING_SAYS = (Delivered, RunFinished)
_FOOTER_SHOWS = (AgentStarted,)
"""Events that a terminal shows in its live part, not as lines above it."""


def has_live_part(console: Console) -> bool:
    """Whether a console can redraw its last rows: a terminal that takes cursor movements and colours."""
    return console.is_terminal and not console.is_dumb_terminal and not console.no_color


class Presenter:
    """Shows one run on a console; `show` takes events as they come and `tick` the time between them."""

    def __init__(
        self,
        console: Console,
        *,
        everything: bool = False,
        closes: bool = False,
        keys: Sequence[str] = (),
        zone: tzinfo | None = None,
    ) -> None:
        """Begin with an empty run; `zone` is used for times of the day, by default the local one.

        With `closes` the caller prints the closing lines of the run, so its last events get none here.
        """
        self.everything, self._closes = everything, closes
        self.keys = keys
        """What the keys do; empty without a keyboard."""
        self._console, self._zone = console, zone
        self._ascii = not console.encoding.lower().startswith("utf")
        self._run = LiveRun()
        self._live: Live | None = None
        self._rows: tuple[Row, ...] = ()
        self._printed_at: datetime | None = None
        self._beat_s = BEAT_S
        self._room = RoundRoom()
        self._proved: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Begin the live part where the console has one."""
        if has_live_part(self._console):
            from rich.live import Live

            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the live part; the lines above it stay."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def is_live(self) -> bool:
        """Whether there is a live part, or will be."""
        return has_live_part(self._console)

    @property
    def run(self) -> LiveRun:
        """The run as far as it was shown."""
        return self._run

    def know(self, events: Iterable[Event]) -> None:
        """Take in events that were shown before, without a line."""
        for event in events:
            self._run.take(event)

    def show(self, event: Event) -> None:
        """Take in an event and print its line; without `everything` a round has at most 12 of them."""
        calls = self._calls(event)
        step = (event.body.obligation.name,) if isinstance(event.body, ProofStep) else ()
        self._proved = (*self._proved, *step) if step else ()
        self._run.take(event)
        shown = line(event.body)
        text = shown.text + shown.more
        if not self.everything:
            in_footer = self._live is not None and isinstance(event.body, _FOOTER_SHOWS)
            closed = self._closes and isinstance(event.body, _CLOSING_SAYS)
            if shown.detail or in_footer or closed or isinstance(event.body, _COUNTED):
                return
            text = self._room.fit(event.body, shown.text + calls)
        if text:
            self.print(f"{event.at.astimezone(self._zone):%H:%M:%S}", text, shown.style, event.at)

    def tick(self, now: datetime, checks: str = "") -> None:
        """Bring the live part up to date, or print a heartbeat if no line was printed for long.

        `checks` says what the checks of this process do now.
        """
        moment = self._run.moment(now, self._zone)
        doing = moment.doing
        if self._proved and doing:
            steps = f"proof: {len(self._proved)} of about {len(RUNS)} steps, the last: {self._proved[-1]}"
            doing = f"{steps}; {doing.rpartition(', ')[2]}"
        if checks and doing:
            doing = f"{doing}: {checks}"
        moment = moment.model_copy(update={"doing": doing})
        if self._live is None:
            self._printed_at = self._printed_at or now
            if not moment.over and (now - self._printed_at).total_seconds() >= self._beat_s:
                self.print(f"{now.astimezone(self._zone):%H:%M:%S}", heartbeat(moment), "dim", now)
                self._beat_s = MOST_BEAT_S
            return
        height = min(max(self._console.height - 2, _LEAST_ROWS), MOST_ROWS)
        rows = () if moment.over else frame(moment, self._console.width, height, keys=self.keys)
        if rows != self._rows:  # drawing what is there already would only flicker
            self._rows = rows
            self._live.update(self._drawn(rows), refresh=True)

    def notice(self, text: str, at: datetime) -> None:
        """Print what a face of Setpoint has to say itself."""
        self.print(f"{at.astimezone(self._zone):%H:%M:%S}", text, "magenta", at)

    def print(self, clock: str, text: str, style: str, at: datetime) -> None:
        """Print a line; a terminal gets it broken at words, further rows indented."""
        if not text.startswith("..."):
            self._beat_s = BEAT_S
        self._printed_at = at
        if self._live is None:
            self._console.print(Text(f"{clock} ", "dim") + Text(self._written(text), style))
            return
        narrow = self._console.width < NARROW
        head = "" if narrow else f"{clock} "
        for row, part in enumerate(broken(self._written(text), self._console.width - len(head))):
            start = Text(head if row == 0 else " " * len(head), "dim")
            self._console.print(start + Text(part, style), no_wrap=True, overflow="ellipsis")

    def _calls(self, event: Event) -> str:
        """Count the calls behind a change, while the agent is still at work."""
        if not isinstance(event.body, AgentFinished | CandidateMade):
            return ""
        calls = self._run.calls_of(event.body.snapshot.label)
        return f"; {calls}" if calls else ""

    def _written(self, text: str) -> str:
        return in_ascii(text) if self._ascii else harmless(text)

    def _drawn(self, rows: tuple[Row, ...]) -> Text:
        drawn = Text("\n", no_wrap=True, overflow="crop")
        return drawn.join(Text(self._written(row.text), row.style, no_wrap=True) for row in rows)
