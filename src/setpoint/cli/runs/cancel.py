"""`setpoint cancel`: cancel a run from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def cancel(
    which: Annotated[str, typer.Argument(metavar="RUN", help="Run name or prefix.")],
    reason: Annotated[str, typer.Option(help="Reason, for the record.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """Cancel a run and stop its agents; the best fully measured state is kept."""
    from setpoint.app.people.gates import cancel_run
    from setpoint.cli.render.live import closing
    from setpoint.wiring.project import open_project, recorded_order

    project = open_project(Path.cwd())
    outcome = cancel_run(project, which, reason)
    order = recorded_order(project, outcome.trace_id)
    return closing(project, order, outcome, as_json=as_json)
