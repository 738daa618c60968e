"""`setpoint verify`: run a finished run's evidence again and compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.errors import ExitCode


def verify(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> int:
    """Measure the delivered tree anew and compare it with what was recorded; exit 1 where they differ."""
    from rich.console import Console

    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    compared = wiring.verify(project, wiring.find_run(project, which).trace_id)
    agree = all(each.agrees for each in compared)
    if as_json:
        rows = [each.model_dump(mode="json") | {"agrees": each.agrees} for each in compared]
        typer.echo(json.dumps({"agrees": agree, "checks": rows}, indent=2))
        return ExitCode.OK if agree else ExitCode.FINDINGS
    console = Console(highlight=False, soft_wrap=True)
    for each in compared:
        mark = "same" if each.agrees else "DIFFERS"
        was, now = f"{each.recorded} {each.recorded_counts}", f"{each.now} {each.now_counts}"
        text = f"{each.check:14} recorded {was}, now {now}: {mark}"
        console.print(text, style="green" if each.agrees else "bold red", markup=False)
    console.print("the evidence holds" if agree else "the evidence does NOT hold", style="bold", markup=False)
    return ExitCode.OK if agree else ExitCode.FINDINGS
