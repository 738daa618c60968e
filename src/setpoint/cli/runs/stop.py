"""`setpoint stop`: end a run from any terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def stop(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]", help="Run id, start or end, or story id; asked for where none is given."
        ),
    ] = "",
    reason: Annotated[str, typer.Option(help="Reason, for the record.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """End a run and its agents; its best measured state is kept as a branch."""
    from setpoint.app.people.gates import cancel_run
    from setpoint.cli.render.live import closing
    from setpoint.cli.render.styles import say
    from setpoint.errors import UsageError
    from setpoint.wiring.project import only_run, open_project, recorded_order

    project = open_project(Path.cwd())
    run = only_run(project, which)
    asks = not which and sys.stdin.isatty() and sys.stdout.isatty()
    if not which and not (asks and typer.confirm(f"End {run.short_id}, {run.title}?")):
        message = f"nothing was ended; {run.short_id} is open: {run.title}"
        raise UsageError(message, hint=f"`setpoint stop {run.short_id}` ends it, `setpoint pause` holds it")
    say(f"ending {run.trace_id}: {run.title}", err=True)
    outcome = cancel_run(project, run.trace_id, reason)
    return closing(project, recorded_order(project, run.trace_id), outcome, as_json=as_json)
