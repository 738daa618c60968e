"""`setpoint lab halting`: which policy decides when a loop stops, and how others do on logged runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.views.halting import AgentLog
    from setpoint.model.facts.group_means import Mean
    from setpoint.model.halting_replay import PolicyFigures
    from setpoint.model.halting_tables import ReplayTable

app = typer.Typer(no_args_is_help=True, help="Compare the policies that decide when a loop stops.")

Logs = Annotated[
    list[Path] | None,
    typer.Argument(help="CSV files of logged runs, also gzipped; without one, the project's own runs."),
]
Worth = Annotated[float, typer.Option(help="Worth of right work, in US dollars.", min=0)]
Wrong = Annotated[float, typer.Option(help="Cost of a wrong delivery, in US dollars.", min=0)]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
_COLUMNS = ("policy", "success", "wrong", "turns", "cost $", "utility $", "saved", "gain $", "at least")
_LEAST_WIDTH = 120
"""Columns that the table needs; a narrower terminal wraps its lines."""


@app.command()
def replay(
    logs: Logs = None,
    policy: Annotated[
        list[str] | None, typer.Option(help="Policy to show beside rules-v1; repeatable; all without it.")
    ] = None,
    worth: Worth = 10.0,
    wrong: Wrong = 5.0,
    agent: Annotated[str, typer.Option(help="Agent whose runs are used; without it, each one apart.")] = "",
    restarts: Annotated[
        bool, typer.Option("--restarts", help="Let policies restart, which few logs can answer.")
    ] = False,
    html: Annotated[Path | None, typer.Option(help="File for the tables and plots as one page.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what each halting policy would have reached on logged runs, compared with rules-v1."""
    from setpoint.app.views.halting import logged_runs, plugged_policies, replay_tables
    from setpoint.app.views.halting_page import write_halting_page
    from setpoint.model.halting import Economics

    economics = Economics(worth_usd=worth, wrong_usd=wrong)
    runs = logged_runs(logs or (), Path.cwd())
    plugged = plugged_policies(Path.cwd())
    tables = replay_tables(runs, policy or (), economics, agent=agent, restarts=restarts, plugged=plugged)
    if html is not None:
        write_halting_page(tables, html)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in tables], indent=2))
        return
    for each in tables:
        _printed(each)
    if html is not None:
        say(f"page: {html}")


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which policy decides, and how many runs of each agent a comparison still needs."""
    from setpoint.app.views.halting import halting_status

    found = halting_status(Path.cwd())
    if as_json:
        typer.echo(json.dumps(found.model_dump(mode="json"), indent=2))
        return
    say(f"{found.decides} decides")
    if not found.agents:
        say("own log: no finished run yet")
    for each in found.agents:
        say(_agent_line(each, found.needed))


def _agent_line(log: AgentLog, needed: int) -> str:
    lacking = f"{log.missing} more with a known outcome are needed" if log.missing else "enough"
    return (
        f"{log.agent}: {log.runs} runs, {log.labelled} can be replayed; outcome known of {log.outcomes}; "
        f"to compare policies ({needed}): {lacking}"
    )


def _printed(table: ReplayTable) -> None:
    from rich.table import Table

    from setpoint.cli.render.console import Screen

    console = Screen(highlight=False, soft_wrap=True)
    console.width = max(console.width, _LEAST_WIDTH)
    console.print(f"{table.agent}: {table.logged} runs, {table.labelled} of them labelled", markup=False)
    if table.refused:
        console.print(f"  not replayed: {table.refused}", markup=False)
        console.print(
            "  hint: `setpoint lab halting replay LOGS.csv` takes outcomes from a file", markup=False
        )
        return
    shown = Table(box=None, pad_edge=False)
    for name in _COLUMNS:
        shown.add_column(name, justify="left" if name == "policy" else "right", no_wrap=True)
    for each in table.figures:
        if not each.refused:
            shown.add_row(*_cells(each))
    console.print(shown)
    for each in table.figures:
        if each.refused:
            console.print(f"{each.policy}: not replayed: {each.refused}", markup=False)
    console.print(_below(table), markup=False)


def _below(table: ReplayTable) -> str:
    one = table.figures[0]
    told = [f"95 % intervals over {one.tasks} tasks; gain: utility less that of rules-v1 in the same runs"]
    if not table.restarts:
        told.append("no policy restarts here: where rules-v1 and halter-v1 would, they ask a person")
    if out := table.logged - table.labelled:
        told.append(f"{out} runs left out: whether they were right is not known")
    return "\n".join(told)


def _cells(figures: PolicyFigures) -> tuple[str, ...]:
    saved = "" if figures.saved_turns is None else f"{figures.saved_turns:.0%}"
    least = "" if figures.gain_at_least_usd is None else f"{figures.gain_at_least_usd:+.3f}"
    return (
        figures.policy,
        _mean(figures.success, "{:.3f}"),
        _mean(figures.wrong, "{:.3f}"),
        _mean(figures.turns, "{:.2f}"),
        _mean(figures.cost_usd, "{:.2f}"),
        _mean(figures.utility_usd, "{:.2f}"),
        saved,
        "" if figures.gain_usd is None else f"{figures.gain_usd.value:+.3f}",
        least,
    )


def _mean(mean: Mean | None, form: str) -> str:
    if mean is None:
        return ""
    if mean.low is None or mean.high is None:
        return form.format(mean.value)
    half = max(mean.high - mean.value, mean.value - mean.low)
    return f"{form.format(mean.value)} ±{form.format(half)}"
