"""Following a run while it works: Rich in a terminal, plain lines elsewhere, JSON where asked for."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from setpoint import wiring
from setpoint.cli.lines import line, measured_line
from setpoint.domain.evaluation import Stage
from setpoint.domain.events import AgentStarted, Event, PhaseEntered
from setpoint.domain.evidence import CheckResult
from setpoint.domain.run import Ending, RunOrder, RunOutcome
from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from rich.status import Status

POLL_S = 0.15

EXIT = {
    Ending.VERIFIED: ExitCode.OK,
    Ending.STOPPED: ExitCode.STOPPED,
    Ending.ESCALATED: ExitCode.WAITING,
    Ending.BROKEN_AGENT: ExitCode.NO_AGENT,
    Ending.CANCELLED: ExitCode.CANCELLED,
}
"""Exit code by ending."""


def follow(project: wiring.Project, order: RunOrder, *, as_json: bool, everything: bool = False) -> int:
    """Drive a run and show what happens; gives the exit code. With JSON, progress goes to stderr."""
    console = Console(stderr=as_json, highlight=False, soft_wrap=True)
    shown = _Shown(project, order, console, everything=everything)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="watch") as pool:
        done = threading.Event()
        watching = pool.submit(shown.watch, done)
        try:
            outcome = wiring.drive(project, order, shown.told)
        finally:
            done.set()
            watching.result()
    if as_json:
        sys.stdout.write(json.dumps(summary(project, order, outcome), indent=2) + "\n")
    else:
        _closing(console, project, order, outcome)
    return EXIT[outcome.ending]


def summary(project: wiring.Project, order: RunOrder, outcome: RunOutcome) -> dict[str, object]:
    """Give the outcome and where its files lie, as documented in docs/reference/json.md."""
    folder = project.run_folder(order.trace_id)
    return {
        **outcome.model_dump(mode="json"),
        "mark": outcome.mark,
        "exit_code": int(EXIT[outcome.ending]),
        "story": str(order.story.id),
        "report": str(folder / "report.html"),
        "folder": str(folder),
    }


def _closing(console: Console, project: wiring.Project, order: RunOrder, outcome: RunOutcome) -> None:
    folder = project.run_folder(order.trace_id)
    if outcome.branch:
        console.print(
            f"branch:  {outcome.branch}   (git diff {order.base[:10]}...{outcome.branch})", markup=False
        )
    else:
        console.print("branch:  none: no state was better than the base", markup=False)
    if outcome.halt is not None and outcome.halt.go_on:
        console.print(f"next:    {outcome.halt.go_on}", markup=False)
    console.print(f"report:  {folder / 'report.html'}", markup=False)
    console.print(f"details: setpoint show {order.trace_id}", markup=False)


class _Shown:
    """Polls the event log from a thread of its own and prints what is new."""

    def __init__(
        self, project: wiring.Project, order: RunOrder, console: Console, *, everything: bool
    ) -> None:
        self._log, self._trace_id = project.log, order.trace_id
        self._console, self._everything = console, everything
        self._seq = max((event.seq for event in self._log.replay(order.trace_id)), default=0)

    def watch(self, done: threading.Event) -> None:
        """Show events until the run is done and all of them are shown."""
        if not self._console.is_terminal:
            while not done.wait(POLL_S):
                self._show(None)
            self._show(None)
            return
        with self._console.status("starting") as status:
            while not done.wait(POLL_S):
                self._show(status)
            self._show(status)

    def told(self, stage: Stage, result: CheckResult) -> None:
        """Show the result of a check while those beside it still run: raw, not yet compared with the base."""
        self._console.print(f"         {stage}: {escape(measured_line(result))}", style="dim")

    def _show(self, status: Status | None) -> None:
        for event in self._log.replay(self._trace_id, after=self._seq):
            self._seq = event.seq
            self._print(event)
            if status is not None and isinstance(event.body, PhaseEntered | AgentStarted):
                status.update(escape(line(event.body).text))

    def _print(self, event: Event) -> None:
        shown = line(event.body)
        if shown.detail and not self._everything:
            return
        clock = event.at.astimezone().strftime("%H:%M:%S")
        self._console.print(f"[dim]{clock}[/dim] {escape(shown.text)}", style=shown.style or None)
