"""`setpoint serve`: serve the dashboard of this repository."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.project.token import ANSWERING
from setpoint.cli.render.styles import kept_readable, say, say_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from setpoint.model.events import Body
    from setpoint.wiring.project import Project

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 7410,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Additional host name with port, for a reverse proxy; repeatable."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="What the login link allows: read, feedback or admin.")
    ] = "admin",
    work: Annotated[bool, typer.Option("--work", help="Work through the board, as `setpoint work`.")] = False,
) -> None:
    """Serve the dashboard and the JSON API."""
    from contextlib import nullcontext

    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.project.access_keys import stored_keys
    from setpoint.app.runs.standing_worker import StandingWorker, only_worker
    from setpoint.errors import UsageError
    from setpoint.wiring.project import open_project

    try:
        from setpoint.web.access import LOGINS, Access, Scope
        from setpoint.web.app import make_app
        from setpoint.web.serving import Server
    except ModuleNotFoundError as error:
        message = f"the dashboard needs '{error.name}', which is not installed"
        raise UsageError(message, hint="pip install 'setpoint[web]'") from None
    if scope not in LOGINS:
        raise UsageError(f"unknown scope '{scope}'", hint=f"one of {', '.join(LOGINS)}")
    project = open_project(Path.cwd())
    notice_deliveries(project)
    linked = _may_link(project, scope)
    access = Access(keys=lambda: stored_keys(project.state), name=str(project.state))
    access.keys()  # a damaged file is reported before anything listens
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    names = LOOPBACK if host in LOOPBACK else (host, *LOOPBACK)
    hosts = [
        *(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names),
        *(allow_host or ()),
    ]
    worker = StandingWorker(project, project.settings.board, (), say_of) if work else None
    app = make_app(project, access, hosts, _told, worker)
    shown = f"[{host}]" if ":" in host else host
    with only_worker(project) if work else nullcontext():
        _greet(f"http://{shown}:{port}/login", scope, linked, lambda: access.ticket(Scope(scope)))
        Server(app, app.state.desk.feed).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    import socket

    from setpoint.errors import UsageError

    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host}:{port}: {error.strerror}", hint="give another --port"
        ) from None


def _may_link(project: Project, scope: str) -> str:
    """Say why no link to log in may be printed; empty where it may. Asks for a passphrase if one is set."""
    from setpoint.app.project.passphrase import stored_passphrase
    from setpoint.cli.render.hidden_input import confirm

    if kept_readable(sys.stdout):
        return "the output goes to a file or a service, where agents can read it"
    if scope not in ANSWERING or stored_passphrase(project.state) is None:
        return ""
    if not sys.stdin.isatty():
        return "it needs the passphrase, and this process has no terminal to ask for it"
    confirm(project)
    return ""


def _greet(address: str, scope: str, why_not: str, ticket: Callable[[], str]) -> None:
    """Print the link to log in, but only where it is not kept for others to read."""
    if why_not:
        say(address)
        say(f"no login link: {why_not}", err=True)
        say(f"hint: log in with a token: `setpoint admin token new {scope}` in a terminal", err=True)
        return
    say(f"{address}?ticket={ticket()}")
    say("this link works once, for ten minutes; end with Ctrl-C", err=True)


def _told(body: Body) -> tuple[str, bool]:
    from setpoint.cli.render.event_lines import line

    shown = line(body)
    return shown.text, shown.detail
