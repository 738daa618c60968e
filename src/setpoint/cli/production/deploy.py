"""`setpoint ci deploy`: record deployments, so that Setpoint can trace signals to changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say

app = typer.Typer(
    no_args_is_help=True, help="Record deployments, so that Setpoint can trace signals to changes."
)

Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def record(
    commit: Annotated[str, typer.Option(help="The deployed commit.")] = "HEAD",
    environment: Annotated[
        str, typer.Option(help="Environment; default: the setting production.environment.")
    ] = "",
    release: Annotated[str, typer.Option(help="Release name as in your monitoring.")] = "",
    at: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"],
            help="Time of the deployment, UTC unless it has an offset; default: now.",
        ),
    ] = None,
    id_: Annotated[
        str, typer.Option("--id", help="Id in your deployment system; the same id is recorded once.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Record the deployment of a commit to an environment."""
    from setpoint.app.production.signals import ProductionRecord, record_deployment
    from setpoint.wiring.project import open_project

    book = ProductionRecord(open_project(Path.cwd()))
    began = at.replace(tzinfo=at.tzinfo or UTC) if at is not None else None
    made, new = record_deployment(book, commit, environment=environment, release=release, at=began, id_=id_)
    book.work()
    if as_json:
        typer.echo(json.dumps({"new": new, **made.model_dump(mode="json")}, indent=2))
        return
    word = "runs" if new else "was recorded before: it runs"
    say(f"{made.shown} {word} in {made.environment} since {made.at:%Y-%m-%d %H:%M:%S}Z")


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List deployments, newest first."""
    from setpoint.app.production.signals import ProductionRecord
    from setpoint.app.views.production import production_view
    from setpoint.wiring.project import open_project

    listed = production_view(ProductionRecord(open_project(Path.cwd()))).deployments
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in listed], indent=2))
        return
    for each in listed:
        say(f"{each.at:%Y-%m-%d %H:%M:%S}Z  {each.environment}  {each.shown}")
    if not listed:
        say("no deployments yet; hint: setpoint ci deploy record")
