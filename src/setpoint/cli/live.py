"""Following a run while it works: Rich in a terminal, plain lines elsewhere, JSON where asked for."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from setpoint import wiring
from setpoint.cli.cover_lines import show_cover
from setpoint.cli.lines import line, measured_line
from setpoint.cli.menu import menu, show_gate
from setpoint.cli.screen import Screen
from setpoint.domain.evaluation import Stage
from setpoint.domain.events import AgentStarted, Event, PhaseEntered
from setpoint.domain.evidence import CheckResult
from setpoint.domain.run import Ending, RunOrder, RunOutcome
from setpoint.errors import ExitCode, RunWaiting

if TYPE_CHECKING:
    from rich.status import Status

POLL_S = 0.15
MOST_ISSUES = 10

EXIT = {
    Ending.VERIFIED: ExitCode.OK,
    Ending.ACCEPTED: ExitCode.OK,
    Ending.STOPPED: ExitCode.STOPPED,
    Ending.ESCALATED: ExitCode.STOPPED,
    Ending.SKIPPED: ExitCode.CANCELLED,
    Ending.BROKEN_AGENT: ExitCode.NO_AGENT,
    Ending.CANCELLED: ExitCode.CANCELLED,
}
"""Exit code by ending."""


def follow(project: wiring.Project, order: RunOrder, *, as_json: bool, everything: bool = False) -> int:
    """Drive a run and show what happens; gives the exit code. With JSON, progress goes to stderr.

    Where a person has to decide, the one who sits here is asked; otherwise the question is left open.
    """
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)
    while True:
        try:
            with shown(project, order, console, everything=everything) as told:
                outcome = wiring.drive(project, order, told=told)
        except RunWaiting:
            opened = wiring.open_gate(project, order.trace_id)
            if as_json or not attended(console, order):
                return _left_open(console, project, opened, as_json=as_json)
            if not menu(console, project, opened):
                return _left_open(console, project, opened, as_json=False)
        else:
            return closing(project, order, outcome, as_json=as_json)


def closing(project: wiring.Project, order: RunOrder, outcome: RunOutcome, *, as_json: bool) -> int:
    """Show how a run ended and where its result lies; gives the exit code."""
    if as_json:
        sys.stdout.write(json.dumps(summary(project, order, outcome), indent=2) + "\n")
    else:
        _closing(Screen(highlight=False, soft_wrap=True), project, order, outcome)
    for remark in wiring.remarks(order):
        Screen(stderr=as_json, highlight=False, soft_wrap=True).print(f"story:   {remark}", markup=False)
    show_cover(project, order, as_json=as_json)
    return EXIT[outcome.ending]


def attended(console: Console, order: RunOrder) -> bool:
    """Whether a person sits here who can be asked."""
    return order.escalation.prompt and console.is_terminal and sys.stdin.isatty()


def _left_open(console: Console, project: wiring.Project, opened: wiring.OpenGate, *, as_json: bool) -> int:
    """Say how to answer a question that stays open; gives the exit code."""
    if as_json:
        folder = project.run_folder(opened.trace_id)
        told = {
            **opened.model_dump(mode="json"),
            "state": "waiting",
            "exit_code": int(ExitCode.WAITING),
            "report": str(folder / "report.html"),
            "folder": str(folder),
        }
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        show_gate(console, opened)
    return ExitCode.WAITING


@contextmanager
def shown(
    project: wiring.Project, order: RunOrder, console: Console, *, everything: bool = False
) -> Iterator[wiring.Told]:
    """Show what happens in a run for as long as the block lasts; gives what is told each result at once."""
    watcher = _Shown(project, order, console, everything=everything)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="watch") as pool:
        done = threading.Event()
        watching = pool.submit(watcher.watch, done)
        try:
            yield watcher.told
        finally:
            done.set()
            watching.result()


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
    for issue in outcome.known_issues[:MOST_ISSUES]:
        console.print(f"known:   {issue}", markup=False)
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
        print_event(self._console, event, everything=self._everything)


def print_event(console: Console, event: Event, *, everything: bool) -> None:
    """Print an event in one line with its time; details only where everything is wanted."""
    shown = line(event.body)
    if shown.detail and not everything:
        return
    clock = event.at.astimezone().strftime("%H:%M:%S")
    console.print(f"[dim]{clock}[/dim] {escape(shown.text)}", style=shown.style or None)
