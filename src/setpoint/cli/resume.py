"""`setpoint resume`: go on with a run that was killed or interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def resume(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Go on from the last finished step; counters, cost and the best state are as they were."""
    from setpoint import wiring
    from setpoint.cli.live import follow

    project = wiring.open_project(Path.cwd())
    found = wiring.find_run(project, which, unfinished=True)
    order = wiring.recorded_order(project, found.trace_id)
    return follow(project, order, as_json=as_json, everything=everything)
