"""`setpoint status`: list runs with their state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
    most: Annotated[int, typer.Option(help="Maximum number of runs.")] = 20,
    before: Annotated[str, typer.Option(metavar="RUN", help="List runs older than this one.")] = "",
) -> None:
    """List the newest runs with state, iterations, cost and branch."""
    from setpoint.wiring.project import counts_now, open_project, run_list

    project = open_project(Path.cwd())
    rows = run_list(project, most, before)
    if as_json:
        typer.echo(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    if not rows and before:
        say(f"no run is older than {before}")
        return
    if not rows:
        say('no runs yet; hint: setpoint run "what you want"')
        return
    from rich.table import Table
    from rich.text import Text

    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.styles import of_state

    table = Table(box=None, pad_edge=False)
    for name in ("run", "state", "iterations", "cost", "branch", "story"):
        # The name is copied into other commands, so the story column shrinks first.
        table.add_column(name, no_wrap=name in ("run", "state"), overflow="fold")
    for row in rows:
        state = str(row.ending or row.state)
        shown = Text(state, style=of_state(state))
        table.add_row(row.trace_id, shown, str(row.iteration), row.cost, row.branch, Text(row.title))
    console = Screen(soft_wrap=True, highlight=False)
    console.print(table, markup=False)
    for row in rows:
        if row.waits:
            console.print(f"{row.trace_id} waits for a person: {row.asks}", markup=False)
            console.print(f"  setpoint answer show {row.trace_id}", markup=False)
    console.print(str(counts_now(project)), markup=False)
