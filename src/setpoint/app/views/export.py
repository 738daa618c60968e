"""A run for other tools and people: as one page, and as a trace for a collector."""

from __future__ import annotations

import logging
from importlib.metadata import version
from pathlib import Path

from setpoint.errors import SetpointError, UsageError
from setpoint.history.model_use import use_in_words
from setpoint.history.replay import history
from setpoint.history.reports.progress_file import progress
from setpoint.history.reports.run_report import HTML, html, markdown, write_all
from setpoint.history.traces import otlp
from setpoint.history.traces.spans import SCHEMA_URL, spans
from setpoint.model.ids import TraceId
from setpoint.settings import inherited
from setpoint.system.files.atomic import write_atomic
from setpoint.wiring.project import Project
from setpoint.workspace.state_folder import ensure_state

_LOG = logging.getLogger(__name__)


def run_report(project: Project, trace_id: TraceId) -> str:
    """Write the report of a run as one self-contained page without scripts."""
    return html(project.log.replay(trace_id), *project.readers(trace_id))


def report_text(project: Project, trace_id: TraceId) -> str:
    """Return the report of a run as Markdown."""
    return markdown(project.log.replay(trace_id), *project.readers(trace_id))


def progress_text(project: Project, trace_id: TraceId) -> str:
    """Return the state of a run as JSON, in the shape of its `progress.json`."""
    return progress(project.log.replay(trace_id)).model_dump_json(indent=2)


def model_use(project: Project, trace_id: TraceId) -> dict[str, str]:
    """Return who made how many calls of models in a run, and who used how many tokens, in words."""
    events = project.log.replay(trace_id)
    return use_in_words(history(events), events)


def kept_report(project: Project, trace_id: TraceId) -> Path | None:
    """Return the report of a run; written again where it is missing, none where the record is gone, too."""
    folder = project.run_folder(trace_id)
    file = folder / HTML
    if not file.is_file():
        events = project.log.replay(trace_id)
        if not events:
            return None
        ensure_state(project.root, project.state)
        write_all(folder, events, *project.readers(trace_id))
    return file


def write_run_page(project: Project, trace_id: TraceId, file: Path) -> None:
    """Write the report of a run into a file; `UsageError` where that cannot be written."""
    write_page(file, run_report(project, trace_id))


def write_page(file: Path, text: str) -> None:
    """Write a page as a whole; `UsageError` where the file cannot be written."""
    try:
        write_atomic(file, text, flush=False)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="name a file that can be written") from None


def send_trace(project: Project, trace_id: TraceId, url: str) -> int:
    """Send a run to an OpenTelemetry collector; gives how many spans it took.

    Raises `UsageError` where the collector cannot be reached or refuses, or the extra is not installed.
    """
    told = {"service.name": "setpoint", "service.version": version("setpoint"), "schema_url": SCHEMA_URL}
    headers = inherited((otlp.HEADERS,)).get(otlp.HEADERS, "")
    return otlp.send(url, spans(project.log.replay(trace_id)), trace_id, told, headers)


def send_finished(project: Project, trace_id: TraceId) -> None:
    """Send a run that has just ended where the settings want it; that it fails never changes the outcome."""
    url = project.settings.telemetry.otlp
    if not url:
        return
    try:
        send_trace(project, trace_id, url)
    except Exception as error:  # noqa: BLE001 - a boundary: the run is over, and nothing here changes how it ended
        again = f"setpoint admin export {trace_id} --otlp {url}"
        _LOG.warning("the run was not sent: %s; send it again with: %s", _said(error), again)


def _said(error: Exception) -> str:
    if not isinstance(error, SetpointError):
        return f"{type(error).__name__}: {error}"
    return f"{error.message} ({error.hint})" if error.hint else error.message
