"""`setpoint feedback` and `setpoint comment`: what people say of runs, and what was said."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.wiring.people.feedback import Decided

app = typer.Typer(no_args_is_help=True, help="Look at what people said of runs.")
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command(name="list")
def list_(
    by: Annotated[str, typer.Option(help="Only of this person.")] = "",
    finding: Annotated[str, typer.Option(help="Only about this finding, by its id's beginning.")] = "",
    gate: Annotated[str, typer.Option(help="Only answers to this gate.")] = "",
    run: Annotated[str, typer.Option(help="Only about this run, by its name's beginning.")] = "",
    as_json: Json = False,
) -> None:
    """List what people said and did, oldest first: answers, findings, comments, merges and reverts."""
    from setpoint import wiring
    from setpoint.cli.lines import line

    project = wiring.open_project(Path.cwd())
    wiring.observe_deliveries(project)
    sought = wiring.Sought(by=by, finding=finding, gate=gate, run=run)
    found = wiring.opinions(project, sought)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], indent=1))
        return
    for each in found:
        say(f"{each.at:%Y-%m-%d %H:%M} {each.trace_id} {line(each.body).text}")
    if not found:
        say("nobody has said anything yet")


@app.command()
def rates(as_json: Json = False) -> None:
    """Show how often people take fixes, by category, over 30 days."""
    from setpoint import wiring

    found = wiring.apply_rates(wiring.open_project(Path.cwd()))
    if as_json:
        rows = {name: {"taken": took, "decided": decided} for name, (took, decided) in found.items()}
        typer.echo(json.dumps(rows, indent=1))
        return
    for name, (took, decided) in found.items():
        say(f"{name}: {took} of {decided} taken ({took / decided:.0%})")
    if not found:
        say("no fix was decided on within 30 days")


def comment(
    place: Annotated[str, typer.Argument(help="FILE:LINE, as the change has it.")],
    text: Annotated[str, typer.Argument(help="What no reviewer saw.")],
    run: Annotated[
        str,
        typer.Option("--run", help="The run, or the beginning of its name; none: the newest."),
    ] = "",
) -> None:
    """Point at a line of a run's change: later reviews are told of it."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    told(wiring.comment(project, wiring.find_run(project, run).trace_id, place, text))


def told(decided: Decided) -> int:
    """Say what came of a decision; exit code 1 where a fix was not kept."""
    from setpoint.cli.lines import line

    say(line(decided.body).text)
    for each in decided.moved:
        say(f"  {line(each).text}")
    if decided.learnt:
        say(f"  learnt: {decided.learnt} (setpoint learn show {decided.learnt})")
    return ExitCode.FINDINGS if getattr(decided.body, "kept", True) is False else ExitCode.OK


def text_of(path: Path) -> str:
    """Read a text from a file, or from standard input for `-`."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", mend="name a file with a unified diff") from None
