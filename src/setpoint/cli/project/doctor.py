"""`setpoint doctor`: show what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode


def doctor(
    settings: Annotated[
        bool, typer.Option("--settings", help="Print the effective settings as JSON.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnosis as JSON.")] = False,
) -> int:
    """Check the machine, the repository and the settings; exit 2 if a run cannot start."""
    from setpoint.app.project.doctor import diagnose
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if settings:
        say(project.settings.model_dump_json(indent=2))
        return ExitCode.OK
    rows = diagnose(project)
    ready = all(row.ok or not row.needed for row in rows)
    if as_json:
        typer.echo(json.dumps({"ready": ready, "rows": [row._asdict() for row in rows]}, indent=2))
    else:
        console = Screen(highlight=False, soft_wrap=True)
        for row in rows:
            mark, style = ("ok", "green") if row.ok else ("MISSING", "red") if row.needed else ("-", "dim")
            console.print(f"{mark:8} {row.name:12} {row.detail}", style=style, markup=False)
        console.print(
            "ready" if ready else "not ready; hint: fix the lines marked MISSING", style="bold", markup=False
        )
    return ExitCode.OK if ready else ExitCode.USAGE
