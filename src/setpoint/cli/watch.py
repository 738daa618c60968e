"""`setpoint watch`: follow a run that any process drives, until it ends."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from setpoint import wiring
    from setpoint.domain.events import Event
    from setpoint.domain.ids import TraceId
    from setpoint.wiring import Glance

LOOK_S = 0.3
"""Seconds between two looks at the record."""
GLANCE_S = 1.0
"""Seconds between two looks at the whole run, for the lines that stay at the bottom."""
LEFT_S = 5.0
"""Seconds without a process after which a run counts as left: another may be about to take it up."""


def watch(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
    ] = "",
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every event as a line of JSON.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print lines alone, without colours or a part that moves.")
    ] = False,
) -> int:
    """Follow a run of any process until it ends; gives the exit code with which that run ends.

    In a terminal how it stands is shown below its events; elsewhere, or with NO_COLOR, there are lines alone.
    """
    from setpoint import wiring
    from setpoint.cli.screen import Screen

    project = wiring.open_project(Path.cwd())
    trace_id = wiring.find_run(project, which).trace_id
    console = Screen(
        highlight=False, soft_wrap=True, no_color=plain or None, force_terminal=False if plain else None
    )
    watching = Watching(project, trace_id, console, everything=everything, as_json=as_json)
    try:
        if console.is_terminal and not console.no_color and not as_json:
            return watching.live()
        return watching.lines()
    except KeyboardInterrupt:
        say(f"no longer watching; {trace_id} is not touched by that", err=True)
        return 0


class Watching:
    """Follows one run."""

    def __init__(
        self, project: wiring.Project, trace_id: TraceId, console: Console, *, everything: bool, as_json: bool
    ) -> None:
        """Begin before its first event."""
        self._project, self._trace_id, self._console = project, trace_id, console
        self._everything, self._as_json = everything, as_json
        self._seq = 0
        self._left_at: float | None = None

    def lines(self) -> int:
        """Print events as they come; gives the exit code."""
        while (code := self._look()) is None:
            time.sleep(LOOK_S)
        return code

    def live(self) -> int:
        """Print events as they come, and below them how the run stands; gives the exit code."""
        from rich.live import Live

        shown_at = 0.0
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while (code := self._look()) is None:
                if time.monotonic() - shown_at >= GLANCE_S:
                    live.update(self._panel(), refresh=True)
                    shown_at = time.monotonic()
                time.sleep(LOOK_S)
        return code

    def _look(self) -> int | None:
        """Show what is new; gives the exit code once nothing more is to come."""
        from setpoint import wiring
        from setpoint.cli.live import EXIT
        from setpoint.domain.events import RunFinished
        from setpoint.errors import ExitCode

        # How it stands is asked first: whatever was recorded before it ended is then shown.
        state = wiring.find_run(self._project, self._trace_id).state
        events = self._project.log.replay(self._trace_id, after=self._seq)
        for event in events:
            self._seq = event.seq
            self._print(event)
        ended = [event.body.outcome for event in events if isinstance(event.body, RunFinished)]
        if ended:
            return EXIT[ended[-1].ending]
        if state != "interrupted":
            self._left_at = None
            return None
        self._left_at = self._left_at or time.monotonic()
        if time.monotonic() - self._left_at < LEFT_S:
            return None
        say(f"nobody works on it; go on with: setpoint resume {self._trace_id}", err=True)
        return ExitCode.INTERRUPTED

    def _print(self, event: Event) -> None:
        from setpoint.cli.live import print_event

        if self._as_json:
            sys.stdout.write(json.dumps(event.model_dump(mode="json")) + "\n")
            sys.stdout.flush()
            return
        print_event(self._console, event, everything=self._everything)

    def _panel(self) -> RenderableType:
        from setpoint import wiring

        return panel(wiring.glance(self._project, self._trace_id))


def panel(seen: Glance) -> RenderableType:
    """Lay out how a run stands: where it is, what it used, how its quality went, what is open."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from setpoint.cli.metrics import sparkline
    from setpoint.cli.styles import of_state

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="ellipsis", no_wrap=True)
    state = Text(seen.state, style=of_state(seen.state))
    table.add_row("state", state + Text(f"  {seen.where}", style="default"))
    table.add_row("used", Text(seen.used))
    if seen.scores:
        bars = sparkline(list(seen.scores))
        table.add_row("quality", Text(f"{bars} {seen.scores[-1]:.2f}".strip()))
    table.add_row("open", Text(seen.open, style="" if seen.open == "nothing" else "yellow"))
    if seen.doing:
        table.add_row("agent", Text(seen.doing))
    if seen.question:
        table.add_row("asks", Text(seen.question, style="bold magenta"))
    return Panel(table, title=Text(f"{seen.trace_id}  {seen.title}"), title_align="left", border_style="dim")
