"""`setpoint watch`: follow a run that any process drives, until it ends."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from setpoint.app.views.run_summary import RunOverview
    from setpoint.model.events import Event
    from setpoint.model.ids import TraceId
    from setpoint.wiring.project import Project

POLL_S = 0.3
"""Seconds between two reads of the record."""
OVERVIEW_S = 1.0
"""Seconds between two updates of the overview at the bottom."""
INTERRUPTED_AFTER_S = 5.0
"""Seconds without a process after which a run counts as interrupted."""


def watch(
    which: Annotated[str, typer.Argument(help="Run name or prefix; default: the newest run.")] = "",
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every event as a line of JSON.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print plain lines without colours or a live overview.")
    ] = False,
) -> int:
    """Follow a run of any process until it ends; exit with the exit code of the run.

    A terminal shows an overview below the events; otherwise, or with NO_COLOR, only lines are printed.
    """
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, which).trace_id
    console = Screen(
        highlight=False, soft_wrap=True, no_color=plain or None, force_terminal=False if plain else None
    )
    watching = Watching(project, trace_id, console, everything=everything, as_json=as_json)
    try:
        if console.is_terminal and not console.no_color and not as_json:
            return watching.live()
        return watching.lines()
    except KeyboardInterrupt:
        say(f"stopped watching; {trace_id} continues", err=True)
        return 0


class Watching:
    """Follows one run."""

    def __init__(
        self, project: Project, trace_id: TraceId, console: Console, *, everything: bool, as_json: bool
    ) -> None:
        """Begin before its first event."""
        self._project, self._trace_id, self._console = project, trace_id, console
        self._everything, self._as_json = everything, as_json
        self._seq = 0
        self._left_at: float | None = None

    def lines(self) -> int:
        """Print events as they arrive; return the exit code."""
        while (code := self._look()) is None:
            time.sleep(POLL_S)
        return code

    def live(self) -> int:
        """Print events as they arrive above an overview of the run; return the exit code."""
        from rich.live import Live

        shown_at = 0.0
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while (code := self._look()) is None:
                if time.monotonic() - shown_at >= OVERVIEW_S:
                    live.update(self._panel(), refresh=True)
                    shown_at = time.monotonic()
                time.sleep(POLL_S)
        return code

    def _look(self) -> int | None:
        """Print new events; return the exit code once the run has ended."""
        from setpoint.app.runs.exit_codes import EXIT
        from setpoint.errors import ExitCode
        from setpoint.model.events.run import RunFinished
        from setpoint.wiring.project import find_run

        # Read the state first, so that every event before the end is shown.
        state = find_run(self._project, self._trace_id).state
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
        if time.monotonic() - self._left_at < INTERRUPTED_AFTER_S:
            return None
        say(f"the run is interrupted; hint: setpoint resume {self._trace_id}", err=True)
        return ExitCode.INTERRUPTED

    def _print(self, event: Event) -> None:
        from setpoint.cli.render.live import print_event

        if self._as_json:
            sys.stdout.write(json.dumps(event.model_dump(mode="json")) + "\n")
            sys.stdout.flush()
            return
        print_event(self._console, event, everything=self._everything)

    def _panel(self) -> RenderableType:
        from setpoint.app.views.run_summary import run_overview

        return panel(run_overview(self._project, self._trace_id))


def panel(seen: RunOverview) -> RenderableType:
    """Lay out the overview of a run: phase, usage, quality and open problems."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from setpoint.cli.project.metrics import sparkline
    from setpoint.cli.render.styles import of_state

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
