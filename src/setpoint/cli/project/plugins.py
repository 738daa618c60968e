"""`setpoint admin plugins`: list what installed plug-ins add, and their state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def plugins(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List the installed plug-ins: package, version, what each adds, and its state."""
    from rich.table import Table

    from setpoint.app.project.plugins import plugin_rows
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    rows = plugin_rows(open_project(Path.cwd()))
    if as_json:
        typer.echo(json.dumps([row.model_dump() for row in rows], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("plug-in", "adds", "package", "version", "state"):
        table.add_column(name, overflow="fold")
    styles = {"failed": "red", "not enabled": "dim"}
    for row in rows:
        cells = (row.name, row.adds or "-", row.package or "-", row.version or "-", row.state)
        table.add_row(*cells, style=styles.get(row.state, "green"))
    console = Screen(soft_wrap=True)
    console.print(table)
    for row in rows:
        if row.reason:
            console.print(f"{row.name}: {row.reason}; hint: {row.hint}", markup=False, highlight=False)
