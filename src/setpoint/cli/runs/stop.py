"""`setpoint stop`: end a run from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def stop(
    which: Annotated[
        str, typer.Argument(metavar="[RUN]", help="Run id, its beginning or its end; default: the only open run.")
    ] = "",
    reason: Annotated[str, typer.Option(help="Reason, for the record.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """End a run and its agents; its best measured state is kept as a branch."""
    from setpoint.app.people.gates import cancel_run
    from setpoint.cli.render.live import closing
    from setpoint.wiring.project import open_project, recorded_order

    project = open_project(Path.cwd())
    outcome = cancel_run(project, which, reason)
    order = recorded_order(project, outcome.trace_id)
    return closing(project, order, outcome, as_json=as_json)
