"""`setpoint resume`: continue a run that was interrupted or answered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def resume(
    which: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest unfinished run.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Continue a run from its last completed step.

    Its counters, cost and best state are kept.
    """
    from setpoint.cli.render.live import follow
    from setpoint.wiring.project import find_run, open_project, recorded_order

    project = open_project(Path.cwd())
    found = find_run(project, which, unfinished=True)
    order = recorded_order(project, found.trace_id)
    return follow(project, order, as_json=as_json, everything=everything)
