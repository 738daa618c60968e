"""`setpoint stop`: end a run from any terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.history.queries import RunSummary


def stop(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]", help="Run id, its beginning or its end; asked for where none is given."
        ),
    ] = "",
    reason: Annotated[str, typer.Option(help="Reason, for the record.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """End a run and its agents; its best measured state is kept as a branch."""
    from setpoint.app.people.gates import cancel_run
    from setpoint.cli.render.live import closing
    from setpoint.wiring.project import only_run, open_project, recorded_order

    project = open_project(Path.cwd())
    run = only_run(project, which)
    if not which and not _agreed(run):
        say("nothing was ended; `setpoint pause` holds a run before its next step")
        return 0
    say(f"ending {run.trace_id}: {run.title}", err=True)
    outcome = cancel_run(project, run.trace_id, reason)
    order = recorded_order(project, outcome.trace_id)
    return closing(project, order, outcome, as_json=as_json)


def _agreed(run: RunSummary) -> bool:
    """Ask the person at the terminal; without one the run has to be named."""
    from setpoint.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            f"no run is named, so none was ended; {run.short_id} is open: {run.title}",
            hint=f"setpoint stop {run.short_id}",
        )
    return typer.confirm(f"End {run.short_id}, {run.title}?")
