"""`setpoint status`: list runs with their state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.history.queries import RunSummary


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
    most: Annotated[int, typer.Option(help="Maximum number of finished runs.")] = 20,
    before: Annotated[str, typer.Option(metavar="RUN", help="List runs older than this one.")] = "",
    everything: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the whole id of each run.")
    ] = False,
) -> None:
    """Show what needs you, what runs, and the newest finished runs."""
    from setpoint.wiring.project import counts_now, open_list, open_project, run_list

    project = open_project(Path.cwd())
    rows = run_list(project, most, before)
    if as_json:
        typer.echo(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    if not rows and before:
        say(f"no run is older than {before}")
        return
    if not rows:
        say('no runs yet; hint: setpoint run "what you want"')
        return
    from setpoint.cli.render.console import Screen, print_line
    from setpoint.cli.render.styles import head, of_state

    left = () if before else open_list(project)
    known = {row.trace_id for row in left}
    done = [row for row in rows if row.trace_id not in known]
    first = sorted(left, key=lambda row: not row.needs_you)
    console = Screen(soft_wrap=True, highlight=False)
    for row in (*first, *done):
        state, name = str(row.ending or row.state), row.trace_id if everything else row.short_id
        print_line(console, f"{head(state)}  {row.title}  {name}", of_state(state))
        for text in _told(row):
            print_line(console, text, start="    ", whole=text.startswith("setpoint "))
    print_line(console, str(counts_now(project)), "bold")


def _told(row: RunSummary) -> Iterator[str]:
    """Yield what a person has to know of a run, and the command that follows."""
    figures = (
        row.tests,
        row.change,
        f"iteration {row.iteration} of {row.most_iterations}" * (row.iteration > 0),
    )
    if row.waits:
        yield f"{row.asker} asks: {row.asks}" if row.asker else row.asks
        yield f"setpoint answer show {row.trace_id}"
    elif row.needs_you:
        yield row.reason or f"in {row.phase or 'the beginning'}; no process works on it"
        yield f"setpoint resume {row.trace_id}" if row.ending is None else f"setpoint show {row.trace_id}"
        yield from [f"setpoint stop {row.trace_id}"] * (row.ending is None)
    else:
        doing = row.phase if row.ending is None else row.branch or row.reason
        yield " · ".join(each for each in (*figures, row.cost, doing) if each)
