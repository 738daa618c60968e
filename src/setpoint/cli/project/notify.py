"""`setpoint admin notify`: try whether notices reach the people whom the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.errors import ExitCode


def notify(
    name: Annotated[str, typer.Argument(help="One receiver of [notify]; without it, all.")] = "",
) -> int:
    """Send a test notice to each receiver of `[notify]`.

    The exit code is 1 where a receiver did not take it.
    """
    from setpoint.app.runs.notices import try_notices
    from setpoint.cli.render.styles import say
    from setpoint.wiring.project import open_project

    failed = try_notices(open_project(Path.cwd()), name)
    for receiver, why in failed.items():
        say(f"{receiver}: {f'not delivered: {why}' if why else 'delivered'}")
    return ExitCode.FINDINGS if any(failed.values()) else ExitCode.OK
