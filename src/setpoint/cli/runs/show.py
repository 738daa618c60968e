"""`setpoint show`: a run's verdict, iterations, change, raw output, and log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say, written
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from setpoint.model.events import Event
    from setpoint.model.ids import TraceId
    from setpoint.wiring.project import Project


def show(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[log | diff | output CHECK] [RUN]",
            help="Id of a run, its beginning or its end, or of a story; by default the newest run; "
            "before it what to show: "
            "every event, the change, or the raw output of a check.",
            autocompletion=lambda: ["log", "diff", "output"],
        ),
    ] = None,
    iteration: Annotated[
        int | None, typer.Option(help="With diff and output: this iteration; 0 is the base.", min=0)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every event as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event, too.")] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Show the run again as it was shown while it worked.")
    ] = False,
    speed: Annotated[float, typer.Option(min=0.1, max=1000.0, help="With --replay: times as fast.")] = 1.0,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what a terminal showed of the run as an asciicast."),
    ] = None,
) -> None:
    """Show the verdict of a run and what it rests on, its change, or its log."""
    from setpoint.wiring.project import find_run, open_project

    what, check, which = _wanted(list(words or ()))
    project = open_project(Path.cwd())
    found = find_run(project, which)
    if what == "output":
        _output(project, found.trace_id, check, iteration)
        return
    if what == "diff":
        _diff(project, found.trace_id, iteration or 0)
        return
    events = project.log.replay(found.trace_id)
    if as_json:
        typer.echo(json.dumps([event.model_dump(mode="json") for event in events], indent=1))
    elif replay or record is not None:
        _again(events, speed=speed if replay else None, record=record, everything=everything)
    else:
        _shown(project, found.trace_id, events, log=what == "log", everything=everything)


def _shown(
    project: Project, trace_id: TraceId, events: tuple[Event, ...], *, log: bool, everything: bool
) -> None:
    from setpoint.app.views.closing import iteration_rows
    from setpoint.app.views.export import model_use
    from setpoint.cli.render.closing import print_closing
    from setpoint.cli.render.console import Screen, print_line

    console = Screen(highlight=False, soft_wrap=True)
    if not log:
        print_closing(console, project, trace_id)
        console.print()
        for row in iteration_rows(events):
            print_line(console, row, start="  ")
        _notes(console, events)
    if log or everything:
        _timeline(console, events, everything=everything)
    for name, figures in model_use(project, trace_id).items():
        console.print(f"{name}: {figures}", markup=False)
    if not log and not everything:
        say("\n  more: setpoint show diff, show output CHECK, show log, finding list")


def _wanted(words: list[str]) -> tuple[str, str, str]:
    """Return what to show, of which check, and of which run."""
    what = words.pop(0) if words[:1] and words[0] in ("log", "diff", "output") else ""
    if what == "output" and not words:
        raise UsageError("no check is named", hint="for example: setpoint show output pytest")
    check = words.pop(0) if what == "output" else ""
    if len(words) > 1:
        raise UsageError(f"one run can be shown, not {' and '.join(words)}", hint="setpoint show RUN")
    return what, check, "".join(words)


def _output(project: Project, trace_id: TraceId, check: str, iteration: int | None) -> None:
    """Print what a check printed; standard error says by which command."""
    from setpoint.app.views.check_outputs import check_detail

    detail = check_detail(project, trace_id, check, iteration)
    for each in detail.outputs:
        code = "" if each.evidence.exit_code is None else f", exit code {each.evidence.exit_code}"
        place = f"iteration {detail.iteration}" if detail.iteration else "base"
        what = f"{place}, {each.stage}, {each.evidence.check}"
        say(f"{what}: {each.evidence.state}{code}: {' '.join(each.evidence.argv)}", err=True)
        if each.lacking:
            say(each.lacking, err=True)
        else:
            written(each.output)
    if not detail.outputs and detail.gate is not None:
        say(f"{check}: {detail.gate.state}: {detail.gate.reason}")


def _diff(project: Project, trace_id: TraceId, iteration: int) -> None:
    """Show a change; on a terminal git shows it, with its own colours and pager."""
    from setpoint.app.views.run_page import diff_of, git_diff

    if sys.stdout.isatty():
        subprocess.run(git_diff(project, trace_id, iteration), cwd=project.root, check=False)
    else:
        written(diff_of(project, trace_id, iteration), nl=False)


def _again(events: tuple[Event, ...], *, speed: float | None, record: Path | None, everything: bool) -> None:
    """Show a run once more, or write down what was shown of it."""
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.replay import recording, replay

    console = Screen(highlight=False, soft_wrap=True)

    if record is not None:
        lines = recording(events, width=console.width, height=console.height, everything=everything)
        record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        say(f"wrote {record}; hint: asciinema play {record}")
    if speed is not None:
        replay(console, events, speed=speed, everything=everything)


def _timeline(console: Console, events: tuple[Event, ...], *, everything: bool) -> None:
    from rich.markup import escape

    from setpoint.cli.render.event_lines import line

    console.rule("timeline", align="left")
    for event in events:
        shown = line(event.body)
        if not shown.detail or everything:
            clock = event.at.astimezone().strftime("%H:%M:%S")
            console.print(
                f"[dim]{event.seq:4} {clock}[/dim] {escape(shown.text + shown.more * everything)}",
                style=shown.style or None,
            )


def _notes(console: Console, events: tuple[Event, ...]) -> None:
    """List what the newest change shows, and the tests that it contradicts."""
    from rich.markup import escape

    from setpoint.model.events.run import IterationEvaluated

    seen = [event.body.evaluation for event in events if isinstance(event.body, IterationEvaluated)]
    if not seen:
        return
    if seen[-1].contradicted:
        console.print("tests of the base that the change contradicts", style="bold")
        for test in seen[-1].contradicted:
            console.print(f"  {test}", style="yellow", markup=False)
    if seen[-1].notes:
        console.print("notes for the reader (they decide nothing)", style="bold")
        for each in seen[-1].notes:
            place = f" [dim]{escape(each.place)}[/dim]" if each.file else ""
            console.print(f"  {each.rule}{place}: {escape(each.message)}")
