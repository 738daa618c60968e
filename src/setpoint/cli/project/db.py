"""`setpoint db`: make, check and fill the Postgres database that several machines share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode

app = typer.Typer(no_args_is_help=True, help="Make, check and fill the Postgres database of the setting.")


@app.command()
def migrate(
    role: Annotated[str, typer.Option(help="Give this role of the server the rights of a worker.")] = "",
) -> None:
    """Make the tables, or bring them up to date; needs the role that owns them."""
    from setpoint.app.project.database import migrate_database

    say(f"{migrate_database(Path.cwd(), role)}: the tables are up to date")
    hint = "hint: give workers a role of their own: setpoint db migrate --role NAME"
    say(f"{role} can read and add, and change no event" if role else hint)


@app.command()
def check(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> int:
    """Say whether this process could work on it: layout, rights and clock; exit 2 if not."""
    from setpoint.app.project.database import check_database

    rows = check_database(Path.cwd())
    ready = all(row.ok or not row.needed for row in rows)
    if as_json:
        typer.echo(json.dumps({"ready": ready, "rows": [row._asdict() for row in rows]}, indent=2))
    for row in () if as_json else rows:
        say(f"{'ok' if row.ok else 'error' if row.needed else 'warning':8} {row.name:12} {row.detail}")
    return ExitCode.OK if ready else ExitCode.USAGE


@app.command()
def copy(
    source: Annotated[
        Path | None, typer.Argument(metavar="FROM", help="State folder; by default this project's.")
    ] = None,
) -> None:
    """Copy the record out of SQLite, with its unfinished runs and artifacts, into the empty database."""
    from setpoint.app.project.database import copy_to_database

    for table, rows in copy_to_database(Path.cwd(), source).items():
        say(f"{rows:8} {table}")
    say("copied; each table was read back and is the same; the files stay as they were")
