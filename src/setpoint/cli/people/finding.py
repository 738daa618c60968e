"""`setpoint finding`: list the findings of a run and apply suggested fixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.people import feedback
from setpoint.cli.people.feedback import text_of, told
from setpoint.cli.render.styles import say, written

app = typer.Typer(
    no_args_is_help=True, help="List, dismiss and fix the findings of a run; comment on its change."
)
app.add_typer(feedback.app)

Run = Annotated[
    str, typer.Option("--run", help="Run id, start or end, or story id; default: the newest run.")
]
Which = Annotated[str, typer.Argument(help="Finding id or prefix.")]


@app.command(name="list")
def list_(
    run: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest run.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """List the findings of checks and reviewers in a run, most severe first."""
    from rich.table import Table

    from setpoint.app.people.findings import list_findings
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    found = list_findings(project, find_run(project, run).trace_id)
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
    for title in ("id", "iteration", "severity", "source", "location", "message", "fix"):
        table.add_column(title, overflow="fold")
    held = [each for each in found if each.finding.suppressed]
    for number, _, each in found:
        where = f"{each.file}:{each.line}" if each.file else ""
        fix = "patch" if each.fix and each.fix.edits else "advice" if each.fix else ""
        said = f"{each.message} ({each.suppressed})" if each.suppressed else each.message
        table.add_row(each.fingerprint, str(number), each.severity, each.source, where, said, fix)
    Screen(soft_wrap=True).print(table, markup=False)
    if held:
        say(f"{len(held)} suppressed by people: they block nothing. hint: setpoint finding suppressed")


@app.command()
def show(which: Which, run: Run = "") -> None:
    """Show one finding in full."""
    from setpoint.app.people.finding_viewed import record_view
    from setpoint.app.people.findings import find_finding
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, run).trace_id
    number, _, found = find_finding(project, trace_id, which)
    record_view(project, trace_id, found.fingerprint)
    place = f" at {found.file}:{found.line}" if found.file else ""
    say(f"{found.severity} {found.category}, by {found.source} {found.rule}".rstrip() + place)
    say(f"iteration {number}, confidence {found.confidence:.0%}\n\n{found.message}")
    for text in (found.text, found.detail, f"suggested: {found.fix.description}" if found.fix else ""):
        if text:
            say(f"\n{text}")


@app.command()
def dismiss(
    which: Which,
    run: Run = "",
    reason: Annotated[str, typer.Option(help="Why the finding is wrong.")] = "",
    days: Annotated[int, typer.Option(min=1, max=365, help="Days until it counts again.")] = 90,
    place: Annotated[
        str, typer.Option(help="Where the rule is suppressed: a path or glob, with ::SYMBOL for one symbol.")
    ] = "",
) -> None:
    """Suppress a finding: it is shown and blocks nothing, in this and later runs, for some days."""
    from setpoint.app.people.feedback import Terms, dismiss_finding
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, run).trace_id
    confirm(project)
    told(dismiss_finding(project, trace_id, which, reason, Terms(days=days, place=place)))
    say("hint: setpoint finding lift ID takes it back")


@app.command()
def suppressed(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List what people dismissed and no gate counts: rule, place, author, end and reason."""
    from setpoint.app.people.suppressions import active
    from setpoint.wiring.project import open_project

    found = active(open_project(Path.cwd()))
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], indent=1))
        return
    for each in found:
        what = f"{each.finding.source} {each.finding.rule}".rstrip()
        say(f"{each.id}  {what} in {each.where}: {each.finding.message} ({each.told})")
    if not found:
        say("nothing is suppressed")


@app.command()
def lift(which: Which) -> None:
    """Take a dismissal back: the finding counts again."""
    from setpoint.app.people.feedback import lift_finding
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    confirm(project)
    lifted = lift_finding(project, which)
    say(f"{lifted.id}: {lifted.finding.message} in {lifted.where} counts again")


@app.command()
def apply(
    which: Annotated[list[str], typer.Argument(help="Finding ids or prefixes, applied in this order.")],
    run: Run = "",
) -> int:
    """Apply suggested fixes, each measured with those before it, and deliver what gets nothing worse."""
    from setpoint.app.people.fixes import accepted_fixes, apply_fixes
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, run).trace_id
    code = max([told(each) for each in apply_fixes(project, trace_id, which)])
    say(accepted_fixes(project, trace_id))
    return code


@app.command()
def rewrite(
    which: Which,
    diff: Annotated[Path, typer.Argument(help="Your own fix as a unified diff (- reads standard input).")],
    run: Run = "",
) -> int:
    """Apply your own fix, repeat the checks, and deliver the result if nothing got worse."""
    from setpoint.app.people.fixes import accepted_fixes, rewrite_fix
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, run).trace_id
    code = told(rewrite_fix(project, trace_id, which, text_of(diff)))
    say(accepted_fixes(project, trace_id))
    return code


@app.command()
def patch(which: Which, run: Run = "") -> None:
    """Print a suggested fix as a patch, for example for `git apply`."""
    from setpoint.app.people.findings import find_finding, fix_of
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace_id = find_run(project, run).trace_id
    written(fix_of(project, trace_id, find_finding(project, trace_id, which)), nl=False)
