"""`setpoint show`: a run's timeline, findings, evidence and decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from setpoint.model.events import Event


def show(
    which: Annotated[str, typer.Argument(help="Run name or prefix; default: the newest run.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print every event as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Show the run again as it was shown while it worked.")
    ] = False,
    speed: Annotated[float, typer.Option(min=0.1, max=1000.0, help="With --replay: times as fast.")] = 1.0,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what a terminal showed of the run as an asciicast."),
    ] = None,
) -> None:
    """Show the timeline, findings, evidence and decisions of a run."""
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    found = find_run(project, which)
    events = project.log.replay(found.trace_id)
    if as_json:
        typer.echo(json.dumps([event.model_dump(mode="json") for event in events], indent=1))
        return
    from setpoint.app.people.gates import open_gate
    from setpoint.app.views.export import kept_report, model_use
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.menu import show_gate

    console = Screen(highlight=False, soft_wrap=True)
    if replay or record is not None:
        _again(console, events, speed=speed if replay else None, record=record, everything=everything)
        return
    _timeline(console, events, everything=everything)
    _findings(console, events)
    _notes(console, events)
    _evidence(console, events)
    _decisions(console, events)
    for name, figures in model_use(project, found.trace_id).items():
        console.print(f"{name}: {figures}", markup=False)
    console.print(f"report: {kept_report(project, found.trace_id)}", markup=False)
    if found.waits:
        show_gate(console, open_gate(project, found.trace_id))


def _again(
    console: Console, events: tuple[Event, ...], *, speed: float | None, record: Path | None, everything: bool
) -> None:
    """Show a run once more, or write down what was shown of it."""
    from setpoint.cli.render.replay import recording, replay
    from setpoint.cli.render.styles import say

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
            console.print(f"[dim]{event.seq:4} {clock}[/dim] {escape(shown.text)}", style=shown.style or None)


def _findings(console: Console, events: tuple[Event, ...]) -> None:
    from rich.table import Table

    from setpoint.model.events.run import IterationEvaluated, ReviewCompleted

    table = Table(title="findings and failing tests", title_justify="left", box=None, pad_edge=False)
    for name in ("iteration", "severity", "source", "location", "message"):
        table.add_column(name, overflow="fold")
    for event in events:
        if isinstance(event.body, IterationEvaluated):
            evaluation, number = event.body.evaluation, str(event.body.iteration)
            for failure in evaluation.failures:
                place = f"{failure.file}:{failure.line}"
                table.add_row(
                    number,
                    failure.cause,
                    f"pytest ({evaluation.stage})",
                    place,
                    f"{failure.test}: {failure.message}",
                )
            found = evaluation.findings
        elif isinstance(event.body, ReviewCompleted):
            found, number = event.body.verdict.findings, str(event.body.iteration)
        else:
            continue
        for each in found:
            table.add_row(number, each.severity, each.source, f"{each.file}:{each.line}", each.message)
    if table.row_count:
        console.print(table, markup=False)


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


def _evidence(console: Console, events: tuple[Event, ...]) -> None:
    from rich.table import Table

    from setpoint.model.events.run import BaselineMeasured, IterationEvaluated

    table = Table(title="evidence", title_justify="left", box=None, pad_edge=False)
    for name in ("stage", "check", "state", "tree", "seconds", "exit", "counts", "output"):
        table.add_column(name, overflow="fold")
    for event in events:
        if not isinstance(event.body, BaselineMeasured | IterationEvaluated):
            continue
        evaluation = event.body.evaluation
        number = event.body.iteration if isinstance(event.body, IterationEvaluated) else 0
        for each in evaluation.evidence:
            counts = " ".join(f"{name}={count}" for name, count in each.counts.items())
            seconds = "cached" if each.cached else f"{each.duration_s:.2f}"
            code = "" if each.exit_code is None else str(each.exit_code)
            output = (each.output or "")[:10]
            table.add_row(
                f"{evaluation.stage} {number}",
                each.check,
                f"{each.state}: {each.against_base}" if each.against_base else each.state,
                each.tree[:10],
                seconds,
                code,
                counts,
                output,
            )
    if table.row_count:
        console.print(table, markup=False)


def _decisions(console: Console, events: tuple[Event, ...]) -> None:
    from setpoint.model.events.run import HaltingDecided
    from setpoint.model.facts.halting import shadow_line

    console.rule("decisions", align="left")
    for event in events:
        if isinstance(event.body, HaltingDecided):
            decision = event.body.decision
            console.print(
                f"iteration {event.body.iteration}: {decision.policy} {decision.action}: {decision.reason}",
                markup=False,
            )
            figures = "  ".join(
                f"{name}={value}" for name, value in decision.figures.items() if value is not None
            )
            console.print(f"  {figures}", style="dim", markup=False)
            if watched := shadow_line(decision):
                console.print(f"  {watched}", style="dim", markup=False)
            for gate in event.body.gates:
                reason = f": {gate.reason}" if gate.reason else ""
                console.print(
                    f"  gate {gate.name}: {gate.state}{reason}",
                    style="green" if gate.passed else "red",
                    markup=False,
                )
