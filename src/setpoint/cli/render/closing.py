"""Print the closing lines of a run."""

from __future__ import annotations

from rich.console import Console

from setpoint.app.views.closing import closing_rows
from setpoint.cli.render.console import print_line
from setpoint.cli.render.frame import spread
from setpoint.cli.render.styles import head, of_state
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project, find_run

_COPIED = "again answer branch details resume end look keep watch review merge recheck report"
"""Labels of lines that are copied, so they are not broken."""
_LABEL, _WIDEST = 10, 100


def print_closing(console: Console, project: Project, trace_id: TraceId) -> None:
    """Print what came of a run, or what it is doing."""
    run = find_run(project, trace_id)
    right, rows = closing_rows(project, run)
    left = f"{head(str(run.ending or run.state))}  {run.title}"
    title = spread(left, right, min(console.width, _WIDEST)) if console.is_terminal else f"{left} · {right}"
    style = of_state(str(run.ending or run.state))
    print_line(console, title, f"bold {style}".replace("bold bold", "bold"), whole=True)
    for label, text in rows:
        print_line(console, text, start=f"  {label:<{_LABEL}}" if text else "", whole=label in _COPIED)
