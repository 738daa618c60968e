"""Verbs of `setpoint finding` that list and give feedback on runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.app.people.feedback import DecisionOutcome

app = typer.Typer()
Suggested = Annotated[str, typer.Argument(metavar="ID", help="Id of a suggestion or its beginning.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def feedback(
    by: Annotated[str, typer.Option(help="Only from this person.")] = "",
    finding: Annotated[str, typer.Option(help="Only about this finding (id or prefix).")] = "",
    gate: Annotated[str, typer.Option(help="Only answers to this gate.")] = "",
    run: Annotated[str, typer.Option(help="Only about this run (id, start or end).")] = "",
    as_json: Json = False,
) -> None:
    """List feedback, oldest first: answers, findings, comments, merges and reverts."""
    from setpoint.app.people.deliveries import observe_deliveries
    from setpoint.app.people.feedback import list_feedback
    from setpoint.cli.render.event_lines import line
    from setpoint.history.feedback import FeedbackFilter
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    observe_deliveries(project)
    sought = FeedbackFilter(by=by, finding=finding, gate=gate, run=run)
    found = list_feedback(project, sought)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], indent=1))
        return
    for each in found:
        say(f"{each.at:%Y-%m-%d %H:%M} {each.trace_id} {line(each.body).text}")
    if not found:
        say("no feedback yet")


@app.command()
def suggested(as_json: Json = False) -> None:
    """List what agents suggested and no person has settled, oldest first."""
    from setpoint.app.people.suggestions import open_suggestions
    from setpoint.cli.render.event_lines import line
    from setpoint.wiring.project import open_project

    found = open_suggestions(open_project(Path.cwd()))
    if as_json:
        rows = [{"run": each.trace_id, **each.body.model_dump(mode="json")} for each in found]
        typer.echo(json.dumps(rows, indent=1))
        return
    for each in found:
        say(f"{each.at:%Y-%m-%d %H:%M} {each.trace_id} {line(each.body).text}")
    say("hint: setpoint finding confirm ID, or refuse ID" if found else "no suggestions wait")


@app.command()
def confirm(which: Suggested) -> int:
    """Make a suggestion your own feedback: learnings follow it from now on."""
    from setpoint.app.people.suggestions import confirm_suggestion
    from setpoint.cli.render.hidden_input import confirm as confirm_person
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    confirm_person(project)
    return told(confirm_suggestion(project, which))


@app.command()
def refuse(which: Suggested) -> None:
    """Refuse a suggestion: nothing follows from it."""
    from setpoint.app.people.suggestions import refuse_suggestion
    from setpoint.wiring.project import open_project

    found = refuse_suggestion(open_project(Path.cwd()), which)
    say(f"refused: {found.body.suggestion}")


@app.command()
def comment(
    place: Annotated[str, typer.Argument(help="FILE:LINE, as in the change.")],
    text: Annotated[str, typer.Argument(help="The comment.")],
    run: Annotated[
        str,
        typer.Option("--run", help="Run id, start or end, or story id; default: the newest run."),
    ] = "",
) -> None:
    """Comment on a line of a run's change; later reviews receive the comment."""
    from setpoint.app.people.feedback import add_comment
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    told(add_comment(project, find_run(project, run).trace_id, place, text))


def told(decided: DecisionOutcome) -> int:
    """Print the outcome of a decision; return exit code 1 if a fix was not kept."""
    from setpoint.cli.render.event_lines import line
    from setpoint.model.events.people import CommentAdded, Fix

    say(line(decided.body).text)
    for each in decided.moved:
        say(f"  {line(each).text}")
    if decided.learnt:
        asked = isinstance(decided.body, CommentAdded)
        verb, words = ("approve", "remember this?") if asked else ("show", "learnt:")
        say(f"  {words} setpoint learn {verb} {decided.learnt}")
    if not isinstance(decided.body, Fix) or decided.body.kept:
        return ExitCode.OK
    say(f"hint: fix it your own way: setpoint finding rewrite {decided.body.finding[:8]} DIFF")
    return ExitCode.FINDINGS


def text_of(path: Path) -> str:
    """Read a text from a file, or from standard input for `-`."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}", hint="name a file with a unified diff") from None
