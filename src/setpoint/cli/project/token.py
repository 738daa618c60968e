"""`setpoint admin token`: make, list and end the tokens that open the dashboard."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import kept_readable, say
from setpoint.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Make, list and end tokens for `setpoint serve`.")

SCOPES = ("signal", "read", "feedback", "admin")
ANSWERING = ("feedback", "admin")
"""Scopes that may answer questions of runs."""
Scope = Annotated[str, typer.Argument(metavar="SCOPE", help="signal, read, feedback or admin.")]


def _known(scope: str) -> str:
    if scope not in SCOPES:
        raise UsageError(f"unknown scope '{scope}'", hint=f"one of {', '.join(SCOPES)}")
    return scope


@app.command()
def new(
    scope: Scope,
    replace: Annotated[bool, typer.Option("--replace", help="End the older tokens of the scope.")] = False,
) -> None:
    """Make a token and print it once; only its hash is stored."""
    from setpoint.app.project.access_keys import make_key
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.wiring.project import open_project

    if _known(scope) in ANSWERING and kept_readable(sys.stdout):
        raise UsageError(
            f"a token of the scope '{scope}' is not written to a file: agents can read your files",
            hint="print it to the terminal, or pipe it into the store of your secrets",
        )
    project = open_project(Path.cwd())
    if scope in ANSWERING:
        confirm(project)
    typer.echo(make_key(project, scope, replace=replace))


@app.command(name="list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List what is stored of each key: scope, kind and age, never the key."""
    from setpoint.app.project.access_keys import stored_keys
    from setpoint.wiring.project import open_project

    keys = stored_keys(open_project(Path.cwd()).state)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in keys], indent=2))
        return
    for each in keys:
        made = f"{each.made_at:%Y-%m-%d %H:%M}Z" if each.made_at else "by a version that stored it readable"
        say(f"{each.scope}  {each.kind}  made {made}")
    if any(each.made_at is None and each.scope in ANSWERING for each in keys):
        say("hint: agents could read the tokens of older versions: setpoint admin token new SCOPE --replace")
    if not keys:
        say("no tokens; hint: setpoint admin token new SCOPE")


@app.command()
def revoke(scope: Scope) -> None:
    """End every token and key of a scope, at once, also for a running server."""
    from setpoint.app.project.access_keys import revoke_keys
    from setpoint.wiring.project import open_project

    ended = revoke_keys(open_project(Path.cwd()), _known(scope))
    say(f"{ended} of the scope '{scope}' ended; sessions of browsers last until `setpoint serve` ends")
