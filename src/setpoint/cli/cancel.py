"""`setpoint cancel`: end a run from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def cancel(
    which: Annotated[str, typer.Argument(metavar="RUN", help="The run, or the beginning of its name.")],
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """End a run at once, with its agents' processes; the best state that was measured in full is kept."""
    from setpoint import wiring
    from setpoint.cli.live import closing

    project = wiring.open_project(Path.cwd())
    outcome = wiring.cancel(project, which, reason)
    order = wiring.recorded_order(project, outcome.trace_id)
    return closing(project, order, outcome, as_json=as_json)
