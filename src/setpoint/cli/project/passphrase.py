"""`setpoint admin passphrase`: let answers on the command line need a passphrase."""

from __future__ import annotations

from pathlib import Path

import typer

from setpoint.cli.render.styles import say

app = typer.Typer(
    no_args_is_help=True, help="Let answers on the command line need a passphrase, asked at the terminal."
)


@app.command(name="set")
def set_() -> None:
    """Set or change the passphrase of this repository; only its scrypt hash is stored."""
    from setpoint.app.project.passphrase import set_passphrase
    from setpoint.cli.render.hidden_input import asked
    from setpoint.wiring.project import open_project

    set_passphrase(open_project(Path.cwd()), asked)
    say("from now on answers, releases and tokens need this passphrase")


@app.command()
def remove() -> None:
    """Remove the passphrase, which is asked once more."""
    from setpoint.app.project.passphrase import remove_passphrase
    from setpoint.cli.render.hidden_input import asked
    from setpoint.wiring.project import open_project

    there = remove_passphrase(open_project(Path.cwd()), asked)
    say("the passphrase is removed" if there else "no passphrase was set")
