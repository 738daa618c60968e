"""`setpoint admin export`: write a run as one HTML page, or send it as an OpenTelemetry trace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say


def export(
    which: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest run.")
    ] = "",
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the run as one HTML page without scripts.")
    ] = None,
    otlp: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Send the run as a trace to an OpenTelemetry collector (OTLP over HTTP), for example "
            "http://127.0.0.1:4318. Headers: OTEL_EXPORTER_OTLP_HEADERS.",
        ),
    ] = "",
) -> None:
    """Export a run as one HTML page, as an OpenTelemetry trace, or both."""
    from setpoint.app.views.export import send_trace, write_run_page
    from setpoint.errors import UsageError
    from setpoint.wiring.project import find_run, open_project

    if html is None and not otlp:
        raise UsageError("no export format is given", hint="give --html FILE, --otlp URL or both")
    project = open_project(Path.cwd())
    trace_id = find_run(project, which).trace_id
    if html is not None:
        write_run_page(project, trace_id, html)
        say(f"{trace_id}: written to {html}", err=True)
    if otlp:
        count = send_trace(project, trace_id, otlp)
        say(f"{trace_id}: {count} spans sent to {otlp}", err=True)
