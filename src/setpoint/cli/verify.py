"""`setpoint verify`: run a finished run's evidence again and compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.wiring import Verified


def verify(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
    ] = "",
    statement: Annotated[
        Path | None,
        typer.Option(
            "--statement",
            help="Verify what a statement of `setpoint attest` says, in any clone that holds its commit.",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust-commands", help="Run commands that the statement names (acceptance, checks, arguments)."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> int:
    """Measure the delivered tree anew and compare it with what was recorded; exit 1 where they differ."""
    from setpoint import wiring

    if statement is not None and which:
        raise UsageError(
            "a run and a statement cannot be verified at once",
            mend=f"leave out {which}, or --statement",
        )
    project = wiring.open_project(Path.cwd())
    if statement is not None:
        verified = wiring.verify_statement(project, statement, trust=trust)
    else:
        verified = wiring.verify(project, wiring.find_run(project, which).trace_id)
    if as_json:
        rows = [each.model_dump(mode="json") | {"agrees": each.agrees} for each in verified.compared]
        document = {"agrees": verified.agrees, "notes": verified.notes, "checks": rows}
        typer.echo(json.dumps(document, indent=2))
    else:
        _print(verified)
    return ExitCode.OK if verified.agrees else ExitCode.FINDINGS


def _print(verified: Verified) -> None:
    from setpoint.cli.screen import Screen

    console = Screen(highlight=False, soft_wrap=True)
    for each in verified.compared:
        mark = "same" if each.agrees else "DIFFERS"
        was, now = f"{each.recorded} {each.recorded_counts}", f"{each.now} {each.now_counts}"
        text = f"{each.check:14} recorded {was}, now {now}: {mark}"
        console.print(text, style="green" if each.agrees else "bold red", markup=False)
        for note in each.notes:
            console.print(f"{'':14} {note}", style="dim", markup=False)
    for note in verified.notes:
        console.print(note, style="yellow", markup=False)
    holds = "the evidence holds" if verified.agrees else "the evidence does NOT hold"
    console.print(holds, style="bold", markup=False)
