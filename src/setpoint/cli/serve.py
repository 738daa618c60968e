"""`setpoint serve`: the dashboard of this repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say

if TYPE_CHECKING:
    from setpoint.domain.events import Body

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 7410,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name under which it is reached too, with its port; may be given again."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="What the login link allows: read, feedback or admin.")
    ] = "admin",
) -> None:
    """Serve the dashboard: runs as they go, questions to answer, the board, the metrics; and a JSON API."""
    import socket

    from setpoint import wiring
    from setpoint.errors import UsageError

    try:
        from setpoint.web.access import LOGINS, Access, Scope
        from setpoint.web.app import make_app
        from setpoint.web.serving import Server
    except ModuleNotFoundError as error:
        message = f"the dashboard needs '{error.name}', which is not installed"
        raise UsageError(message, mend="pip install 'setpoint[web]'") from None
    if scope not in LOGINS:
        raise UsageError(f"no scope is called '{scope}'", mend=f"one of {', '.join(LOGINS)}")
    project = wiring.open_project(Path.cwd())
    wiring.notice_deliveries(project)
    access = Access(tokens=wiring.visitor_tokens(project, list(Scope)))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host}:{port}: {error.strerror}", mend="give another --port"
        ) from None
    port = listening.getsockname()[1]
    names = LOOPBACK if host in LOOPBACK else (host, *LOOPBACK)
    hosts = [
        *(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names),
        *(allow_host or ()),
    ]
    app = make_app(project, access, hosts, _told)
    shown = f"[{host}]" if ":" in host else host
    say(f"http://{shown}:{port}/login?ticket={access.ticket(Scope(scope))}")
    say("this link works once, for ten minutes; end with Ctrl-C", err=True)
    Server(app, app.state.desk.streams).run(sockets=[listening])


def _told(body: Body) -> tuple[str, bool]:
    from setpoint.cli.lines import line

    shown = line(body)
    return shown.text, shown.detail
