"""`setpoint verify`: repeat the checks of a finished run and compare the results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.app.checks.attest import Verification


def verify(
    which: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest run.")
    ] = "",
    statement: Annotated[
        Path | None,
        typer.Option(
            "--statement",
            help="Verify a statement of `setpoint admin attest` in a clone that contains its commit.",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust-commands",
            help="Run the commands named in the statement (acceptance, checks, arguments).",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> int:
    """Repeat the checks of a finished run; exit 1 if a result differs."""
    from setpoint.app.checks.attest import verify_run, verify_statement
    from setpoint.wiring.project import find_run, open_project

    if statement is not None and which:
        raise UsageError(
            "a run and a statement cannot be verified at once",
            hint=f"leave out {which}, or --statement",
        )
    project = open_project(Path.cwd())
    if statement is not None:
        verified = verify_statement(project, statement, trust=trust)
    else:
        verified = verify_run(project, find_run(project, which).trace_id)
    if as_json:
        rows = [each.model_dump(mode="json") | {"agrees": each.agrees} for each in verified.compared]
        document = {"agrees": verified.agrees, "notes": verified.notes, "checks": rows}
        typer.echo(json.dumps(document, indent=2))
    else:
        _print(verified)
    return ExitCode.OK if verified.agrees else ExitCode.FINDINGS


def _print(verified: Verification) -> None:
    from setpoint.cli.render.console import Screen
    from setpoint.model.evidence import CheckState

    console = Screen(highlight=False, soft_wrap=True)
    for each in verified.compared:
        mark = "holds now" if each.more else "same" if each.agrees else "DIFFERS"
        was, now = f"{each.recorded} {each.recorded_counts}", f"{each.now} {each.now_counts}"
        text = f"{each.check:14} recorded {was}, now {now}: {mark}"
        console.print(text, style="green" if each.agrees else "bold red", markup=False)
        for note in each.notes:
            console.print(f"{'':14} {note}", style="dim", markup=False)
    for note in verified.notes:
        console.print(note, style="yellow", markup=False)
    holds = "the evidence holds" if verified.agrees else "the evidence does NOT hold"
    differ = [each for each in verified.compared if not each.agrees]
    if differ and all(each.now is CheckState.NOT_MEASURED for each in differ):
        names = ", ".join(each.check for each in differ)
        holds = f"the rest of the evidence holds; not measured again: {names}"
    console.print(holds, style="bold", markup=False)
