"""`setpoint agents`: who can be driven from here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def agents(
    as_json: Annotated[bool, typer.Option("--json", help="Print the agents as JSON.")] = False,
) -> None:
    """List every agent that Setpoint knows: installed or not, version, how to install it."""
    from rich.console import Console
    from rich.table import Table

    from setpoint import wiring

    rows = wiring.agent_rows(wiring.open_project(Path.cwd()))
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("agent", "installed", "version", "speaks", "sandbox", "note"):
        table.add_column(name, overflow="fold")
    for row in rows:
        style = "green" if row.installed else "dim"
        table.add_row(
            row.name,
            "yes" if row.installed else "no",
            row.version,
            row.protocol,
            row.sandbox,
            row.note,
            style=style,
        )
    Console(soft_wrap=True).print(table)
