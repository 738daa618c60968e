"""`setpoint export`: a run as one page to keep or send, or as a trace for an OpenTelemetry collector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.styles import say


def export(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
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
    """Give a run to others: as one page to keep or send, as a trace, or both; metrics: `metrics --html`."""
    from setpoint import wiring
    from setpoint.errors import UsageError

    if html is None and not otlp:
        raise UsageError("nothing is asked for", mend="give --html FILE, --otlp URL or both")
    project = wiring.open_project(Path.cwd())
    trace_id = wiring.find_run(project, which).trace_id
    if html is not None:
        wiring.write_run_page(project, trace_id, html)
        say(f"{trace_id}: written to {html}", err=True)
    if otlp:
        count = wiring.send_trace(project, trace_id, otlp)
        say(f"{trace_id}: {count} spans sent to {otlp}", err=True)
