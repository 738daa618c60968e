"""`setpoint watch`: follow a run that any process drives, until it ends."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from setpoint.cli.render.keys import Keyboard
    from setpoint.model.events import Event
    from setpoint.model.ids import TraceId
    from setpoint.wiring.project import Project

POLL_S = 0.3
"""Seconds between two reads of the record."""
INTERRUPTED_AFTER_S = 5.0
"""Seconds without a process after which a run counts as interrupted."""


def watch(
    which: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest run.")
    ] = "",
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every event as a line of JSON.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print plain lines without colours or a live overview.")
    ] = False,
) -> int:
    """Follow a run of any process until it ends.

    The exit code is that of the run. A terminal shows below the events what the agents do; otherwise, or
    with NO_COLOR, only lines are printed.
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
        return watching.follow()
    except KeyboardInterrupt:
        say(f"stopped watching; {trace_id} continues", err=True)
        return 0


class Watching:
    """Follows one run."""

    def __init__(
        self, project: Project, trace_id: TraceId, console: Console, *, everything: bool, as_json: bool
    ) -> None:
        """Begin before its first event."""
        from setpoint.cli.render.presenter import Presenter

        self._project, self._trace_id, self._as_json = project, trace_id, as_json
        self._presenter = Presenter(console, everything=everything, closes=not as_json)
        self._console = console
        self._seq = 0
        self._left_at: float | None = None

    def follow(self) -> int:
        """Show events as they arrive, until the run ends; return the exit code."""
        if self._as_json:
            return self._until_its_end(None, None)
        from setpoint.cli.render.closing import print_closing
        from setpoint.cli.render.keys import keyboard, pressed

        board = keyboard(self._project, self._trace_id, self._presenter, "^C leave")
        with self._presenter, pressed(wanted=self._presenter.is_live) as read:
            code = self._until_its_end(board, read)
        print_closing(self._console, self._project, self._trace_id)
        return code

    def _until_its_end(self, board: Keyboard | None, read: Callable[[float], str] | None) -> int:
        while (code := self._look()) is None:
            if board is not None:
                self._presenter.keys = board.row if read else ()
                self._presenter.tick(datetime.now(UTC))
            if board is None or read is None:
                time.sleep(POLL_S)
            else:
                board.press(read(POLL_S))
        return code

    def _look(self) -> int | None:
        """Print new events; return the exit code once the run has ended."""
        from setpoint.app.runs.exit_codes import exit_code
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
            return exit_code(ended[-1].ending, ended[-1].branch)
        if state != "interrupted":
            self._left_at = None
            return None
        self._left_at = self._left_at or time.monotonic()
        if time.monotonic() - self._left_at < INTERRUPTED_AFTER_S:
            return None
        say(f"the run is interrupted; hint: setpoint resume {self._trace_id}", err=True)
        return ExitCode.INTERRUPTED

    def _print(self, event: Event) -> None:
        if not self._as_json:
            self._presenter.show(event)
            return
        sys.stdout.write(json.dumps(event.model_dump(mode="json")) + "\n")
        sys.stdout.flush()
