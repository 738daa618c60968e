"""`setpoint finding`: what was found in a run, and the fixes that were suggested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.styles import say, written

app = typer.Typer(no_args_is_help=True, help="Look at what was found in a run, and take suggested fixes.")

Run = Annotated[
    str, typer.Option("--run", help="The run, or the beginning of its name; the newest where none is given.")
]
Which = Annotated[str, typer.Argument(help="The finding's id, or its beginning.")]


@app.command(name="list")
def list_(
    run: Annotated[str, typer.Argument(help="The run, or the beginning of its name; none: the newest.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """List the findings of a run, of checks and reviewers, worst first."""
    from rich.table import Table

    from setpoint import wiring
    from setpoint.cli.screen import Screen

    project = wiring.open_project(Path.cwd())
    found = wiring.findings_of(project, wiring.find_run(project, run).trace_id)
    if as_json:
        rows = [
            {
                "id": each.finding.fingerprint,
                "iteration": each.iteration,
                **each.finding.model_dump(mode="json"),
            }
            for each in found
        ]
        typer.echo(json.dumps(rows, indent=1))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("id", "round", "severity", "from", "where", "what", "fix"):
        table.add_column(title, overflow="fold")
    for number, _, each in found:
        where = f"{each.file}:{each.line}" if each.file else ""
        fix = "patch" if each.fix and each.fix.edits else "advice" if each.fix else ""
        table.add_row(each.fingerprint, str(number), each.severity, each.source, where, each.message, fix)
    Screen(soft_wrap=True).print(table, markup=False)


@app.command()
def show(which: Which, run: Run = "") -> None:
    """Show one finding with all that is known of it."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    trace_id = wiring.find_run(project, run).trace_id
    number, _, found = wiring.finding_of(project, trace_id, which)
    wiring.saw_finding(project, trace_id, found.fingerprint)
    place = f" at {found.file}:{found.line}" if found.file else ""
    say(f"{found.severity} {found.category}, by {found.source} {found.rule}".rstrip() + place)
    say(f"round {number}, confidence {found.confidence:.0%}\n\n{found.message}")
    for text in (found.text, found.detail, f"suggested: {found.fix.description}" if found.fix else ""):
        if text:
            say(f"\n{text}")


@app.command()
def dismiss(
    which: Which, run: Run = "", reason: Annotated[str, typer.Option(help="Why it is no fault.")] = ""
) -> None:
    """Say that a finding is none; what led to it is believed less from now on."""
    from setpoint import wiring
    from setpoint.cli.feedback import told

    project = wiring.open_project(Path.cwd())
    trace_id = wiring.find_run(project, run).trace_id
    told(wiring.dismiss_finding(project, trace_id, which, reason))


@app.command()
def apply(which: Which, run: Run = "") -> int:
    """Take a suggested fix: it is applied, the tree is measured again, and delivered if nothing got worse."""
    from setpoint import wiring
    from setpoint.cli.feedback import told

    project = wiring.open_project(Path.cwd())
    return told(wiring.apply_fix(project, wiring.find_run(project, run).trace_id, which))


@app.command()
def rewrite(
    which: Which,
    diff: Annotated[Path, typer.Argument(help="Your own fix as a unified diff; - reads standard input.")],
    run: Run = "",
) -> int:
    """Mend a finding your own way: your diff is applied, measured again, and delivered if it holds."""
    from setpoint import wiring
    from setpoint.cli.feedback import text_of, told

    project = wiring.open_project(Path.cwd())
    return told(wiring.rewrite_fix(project, wiring.find_run(project, run).trace_id, which, text_of(diff)))


@app.command()
def patch(which: Which, run: Run = "") -> None:
    """Print a suggested fix as a patch; `setpoint finding patch ID | git apply` takes it."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    trace_id = wiring.find_run(project, run).trace_id
    written(wiring.fix_of(project, trace_id, wiring.finding_of(project, trace_id, which)), nl=False)
