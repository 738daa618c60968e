"""Show a run while it works: Rich in a terminal, plain lines elsewhere, JSON on request."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console

from setpoint.app.checks.measure import checks_now
from setpoint.app.people.gates import OpenGate, open_gate
from setpoint.app.runs.drive import drive_run
from setpoint.app.runs.exit_codes import exit_code
from setpoint.cli.render.check_lines import raw_line
from setpoint.cli.render.closing import print_closing
from setpoint.cli.render.console import Screen
from setpoint.cli.render.cover_summary import show_cover
from setpoint.cli.render.interrupts import interruptible
from setpoint.cli.render.keys import keyboard, pressed
from setpoint.cli.render.menu import menu
from setpoint.cli.render.presenter import Presenter
from setpoint.errors import ExitCode, RunWaiting
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.stories.story_writer import story_notices
from setpoint.wiring.project import Project

ShowResult = Callable[[Stage, CheckResult], None]
POLL_S = 0.15


def follow(project: Project, order: RunOrder, *, as_json: bool, everything: bool = False) -> int:
    """Drive a run, show its events, and return the exit code. With JSON, progress goes to stderr.

    At a gate, ask the person at the terminal; without one, leave the gate open.
    """
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)
    while True:
        try:
            with shown(project, order, console, everything=everything, closes=not as_json) as told:
                there = project._replace(attended=not as_json and attended(console, order))
                outcome = drive_run(there, order, told=told, runner=interruptible)
        except KeyboardInterrupt:
            return _interrupted(project, order)
        except RunWaiting:
            opened = open_gate(project, order.trace_id)
            if as_json or not attended(console, order):
                return _left_open(console, project, opened, as_json=as_json)
            if not menu(console, project, opened):
                return _left_open(console, project, opened, as_json=False)
        else:
            return closing(project, order, outcome, as_json=as_json)


def _interrupted(project: Project, order: RunOrder) -> int:
    """Say what an interrupted run has done and how to continue; return the exit code."""
    console = Screen(stderr=True, highlight=False, soft_wrap=True)
    if project.log.replay(order.trace_id):
        print_closing(console, project, order.trace_id)
    else:
        console.print("interrupted: nothing is recorded yet; run the same command again", style="yellow")
    return ExitCode.INTERRUPTED


def closing(project: Project, order: RunOrder, outcome: RunOutcome, *, as_json: bool) -> int:
    """Print the outcome of a run and the paths of its results; return the exit code."""
    if as_json:
        sys.stdout.write(json.dumps(summary(project, order, outcome), indent=2) + "\n")
    else:
        print_closing(Screen(highlight=False, soft_wrap=True), project, order.trace_id)
    for notice in story_notices(order):
        Screen(stderr=as_json, highlight=False, soft_wrap=True).print(f"story:   {notice}", markup=False)
    show_cover(project, order, as_json=as_json)
    return exit_code(outcome.ending, outcome.branch)


def attended(console: Console, order: RunOrder) -> bool:
    """Return whether a person at the terminal can answer a gate."""
    return order.escalation.prompt and console.is_terminal and sys.stdin.isatty()


def _left_open(console: Console, project: Project, opened: OpenGate, *, as_json: bool) -> int:
    """Print how to answer a gate that stays open; return the exit code."""
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
        print_closing(console, project, opened.trace_id)
    return ExitCode.WAITING


@contextmanager
def shown(
    project: Project, order: RunOrder, console: Console, *, everything: bool = False, closes: bool = False
) -> Iterator[ShowResult]:
    """Print the events of a run during the block; yield a callback for check results."""
    watcher = _Watcher(project, order, console, everything=everything, closes=closes)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="watch") as pool:
        done = threading.Event()
        watching = pool.submit(watcher.watch, done)
        try:
            yield watcher.told
        finally:
            done.set()
            watching.result()


def summary(project: Project, order: RunOrder, outcome: RunOutcome) -> dict[str, object]:
    """Return the outcome and the paths of its files, as documented in docs/reference/json.md."""
    folder = project.run_folder(order.trace_id)
    return {
        **outcome.model_dump(mode="json"),
        "mark": outcome.mark,
        "verdict": outcome.verdict,
        "exit_code": int(exit_code(outcome.ending, outcome.branch)),
        "story": str(order.story.id),
        "report": str(folder / "report.html"),
        "folder": str(folder),
    }


class _Watcher:
    """Polls the event log in a thread and shows new events."""

    def __init__(
        self, project: Project, order: RunOrder, console: Console, *, everything: bool, closes: bool
    ) -> None:
        self._project, self._log, self._trace_id = project, project.log, order.trace_id
        self._seq, self._mark = 0, ""
        self._presenter = Presenter(console, everything=everything, closes=closes)

    def watch(self, done: threading.Event) -> None:
        """Show events until the run is done and all of them are shown."""
        before = self._log.replay(self._trace_id)
        self._presenter.know(before)
        self._seq = before[-1].seq if before else 0
        board = keyboard(self._project, self._trace_id, self._presenter)
        with self._presenter, pressed(wanted=self._presenter.is_live) as read:
            while not done.is_set():
                self._presenter.keys = board.row if read else ()
                self._look()
                if read is None:
                    done.wait(POLL_S)
                else:
                    board.press(read(POLL_S))
            self._look()

    def told(self, stage: Stage, result: CheckResult) -> None:
        """Print the raw result of a check, where everything is shown; the line of the tree tells the rest."""
        if self._presenter.everything:
            self._presenter.print(" " * 8, f"{stage}: {raw_line(result)}", "dim", datetime.now(UTC))

    def _look(self) -> None:
        before, self._mark = self._mark, self._project.store.mark()
        if self._mark != before:
            for event in self._log.replay(self._trace_id, after=self._seq):
                self._seq = event.seq
                self._presenter.show(event)
        self._presenter.tick(datetime.now(UTC), checks_now())
