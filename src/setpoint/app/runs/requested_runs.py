"""Runs that a person's own agent asks for: only where the settings allow it, few, and with little money."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from setpoint.app.project.person import require_person
from setpoint.app.runs.board import story_folder
from setpoint.app.runs.child_command import verb_command
from setpoint.errors import UsageError
from setpoint.model.changes.redaction import without_secrets
from setpoint.model.config.mcp import McpSettings
from setpoint.model.events.own_agents import TRACE, RunRequested
from setpoint.model.ids import TraceId, sortable
from setpoint.model.wording import counted
from setpoint.system.files.locks import locked_file
from setpoint.system.processes.detached import DetachedProcess
from setpoint.wiring.project import Project, run_list

MOST_REQUEST = 20_000
WAIT_S = 60.0
"""Seconds for which is waited until a run is recorded."""
POLL_S = 0.2
_LISTED = 10


class RequestedRun(NamedTuple):
    """A run that was started in the background."""

    trace_id: TraceId | None
    """None where it is not recorded yet."""
    process: int
    max_cost_usd: Decimal
    left_today: int
    """How many more may be started now."""


def request_run(
    project: Project, terms: McpSettings, request: str, client: str, waited: Callable[[], None]
) -> RequestedRun:
    """Start a run in a process of its own, which continues when this process ends.

    `request` is a sentence or the id of a story; `waited` is called repeatedly until the run is recorded.
    Raises `UsageError` where agents may not start runs, below a run, or where today's number is used up.
    """
    require_person(project)
    if not terms.start_runs:
        raise UsageError(
            "agents may not start runs in this repository",
            hint="a person sets `start_runs = true` under [mcp] in setpoint.toml and restarts the server, "
            "or runs `setpoint run` in a terminal",
        )
    wanted = _request(project, request)
    cost = min(terms.max_cost_usd, project.settings.limits.max_cost_usd or terms.max_cost_usd)
    left = _count(project, terms, RunRequested(request=wanted, client=client, max_cost_usd=cost))
    began = sortable("requested", datetime.now(UTC))
    command = verb_command(project.root, "run", f"--max-cost={cost}", "--", wanted)
    output = project.state / "mcp" / f"{began}.txt"
    known = {run.trace_id for run in run_list(project, _LISTED)}
    process = DetachedProcess(command.argv, command.cwd, command.environment or {}, output)
    return RequestedRun(_recorded(project, process, known, waited), process.pid, cost, left)


def _request(project: Project, request: str) -> str:
    wanted = request.strip()
    if not wanted or len(wanted) > MOST_REQUEST:
        message = f"a request has 1 to {MOST_REQUEST} characters, this one has {len(wanted)}"
        raise UsageError(message, hint="say in one sentence what you want, or name a story by its id")
    if story_folder(project).find(wanted) is None and (wanted.endswith(".md") or "\0" in wanted):
        raise UsageError("a run is requested by a sentence or the id of a story, not by a file")
    return wanted


def _count(project: Project, terms: McpSettings, body: RunRequested) -> int:
    """Record the request, and return how many more are allowed; `UsageError` where none is."""
    with locked_file(project.state / "locks" / "mcp.lock"):
        since = datetime.now(UTC) - timedelta(days=1)
        recent = [each for each in project.log.replay(TRACE) if each.at > since]
        if len(recent) >= terms.max_runs_per_day:
            again = min(each.at for each in recent) + timedelta(days=1)
            raise UsageError(
                f"agents have started {counted(len(recent), 'run')} within 24 hours (mcp.max_runs_per_day); "
                f"the next one may start at {again:%Y-%m-%d %H:%M} UTC",
                hint="a person can start one at any time: `setpoint run`",
            )
        project.log.append(TRACE, sortable("request", datetime.now(UTC)), (without_secrets(body),))
    return terms.max_runs_per_day - len(recent) - 1


def _recorded(
    project: Project, process: DetachedProcess, known: Collection[TraceId], waited: Callable[[], None]
) -> TraceId | None:
    """Wait until the process has recorded its run; `UsageError` where it ends before that."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        code = process.exit_code()
        fresh = [run for run in run_list(project, _LISTED) if run.trace_id not in known]
        mine = [run.trace_id for run in fresh if code is not None or run.process == process.pid]
        if mine:
            return mine[0]
        if code is not None:
            said = process.end_of_output().strip() or f"exit code {code}"
            raise UsageError(f"the run has ended at once: {said}", hint="`setpoint status` lists the runs")
        waited()
        time.sleep(POLL_S)
    return None
