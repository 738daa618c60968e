"""`setpoint doctor`: try what a run needs, and show problems first, each with its remedy."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from setpoint.app.project.diagnosis import Diagnosis
    from setpoint.wiring.project import Project


def doctor(
    settings: Annotated[
        bool, typer.Option("--settings", help="Print the effective settings as JSON.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnosis as JSON.")] = False,
    base: Annotated[
        bool, typer.Option("--base", help="Measure the last commit ahead: runs from it find it known.")
    ] = False,
) -> int:
    """Try what a run needs in this repository; exit 2 if one cannot work.

    Collects the tests in a copy, starts each tool and agent, and looks for the program of each command.
    """
    from setpoint.app.project.doctor import diagnose
    from setpoint.cli.render.console import Screen
    from setpoint.model.config.database_url import without_password
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if settings:
        shown = {"database": without_password(project.settings.database)}
        say(project.settings.model_copy(update=shown).model_dump_json(indent=2))
        return ExitCode.OK
    if base:
        return _measure_ahead(project)
    rows = diagnose(project)
    ready = all(row.ok or not row.needed for row in rows)
    if as_json:
        typer.echo(json.dumps({"ready": ready, "rows": [row._asdict() for row in rows]}, indent=2))
        return ExitCode.OK if ready else ExitCode.USAGE
    console = Screen(highlight=False, soft_wrap=True)
    for row in sorted(rows, key=_rank):
        mark, style = ("ok", "green") if row.ok else ("error", "red") if row.needed else ("warning", "yellow")
        console.print(f"{mark:8} {row.name:12} {row.detail}", style=style, markup=False)
    not_ready = "not ready: a run cannot work; hint: fix the lines that begin with `error`"
    console.print("ready" if ready else not_ready, style="bold", markup=False)
    return ExitCode.OK if ready else ExitCode.USAGE


def _measure_ahead(project: Project) -> int:
    """Measure the base of the next run; a line for each check, as it ends."""
    from setpoint.app.ci.measure import measure_ahead
    from setpoint.cli.render.check_lines import measured_line

    seen = asyncio.run(measure_ahead(project, lambda _, result: say(measured_line(result))))
    say(f"base {seen.commit[:10]}: runs that begin here find it known")
    return ExitCode.OK


def _rank(row: Diagnosis) -> int:
    """Put the folder first, then problems, those that keep a run from working before the others."""
    if row.name == "repository":
        return 0
    return 3 if row.ok else 1 if row.needed else 2
