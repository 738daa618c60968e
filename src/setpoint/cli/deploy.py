"""`setpoint deploy`: tell Setpoint what runs where, so that signals can be traced to a change."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.styles import say

app = typer.Typer(no_args_is_help=True, help="Record what was deployed; signals from production rest on it.")

Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def record(
    commit: Annotated[str, typer.Option(help="The commit that runs now.")] = "HEAD",
    environment: Annotated[
        str, typer.Option(help="Where it runs; else that of the setting production.environment.")
    ] = "",
    release: Annotated[str, typer.Option(help="What it is called, as your monitoring names it.")] = "",
    at: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"],
            help="When it began to run, in UTC unless it says otherwise; else now.",
        ),
    ] = None,
    id_: Annotated[
        str, typer.Option("--id", help="Its name at your deployment system; the same id is recorded once.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Record that a commit runs in an environment."""
    from setpoint import wiring

    book = wiring.SignalBook(wiring.open_project(Path.cwd()))
    began = at.replace(tzinfo=at.tzinfo or UTC) if at is not None else None
    made, new = wiring.record_deployment(
        book, commit, environment=environment, release=release, at=began, id_=id_
    )
    book.work()
    if as_json:
        typer.echo(json.dumps({"new": new, **made.model_dump(mode="json")}, indent=2))
        return
    word = "runs" if new else "was recorded before: it runs"
    say(f"{made.shown} {word} in {made.environment} since {made.at:%Y-%m-%d %H:%M:%S}Z")


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List what was deployed, the newest first."""
    from setpoint import wiring

    listed = wiring.production_view(wiring.SignalBook(wiring.open_project(Path.cwd()))).deployments
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in listed], indent=2))
        return
    for each in listed:
        say(f"{each.at:%Y-%m-%d %H:%M:%S}Z  {each.environment}  {each.shown}")
    if not listed:
        say("nothing is recorded yet; tell it after each deployment with: setpoint deploy record")
