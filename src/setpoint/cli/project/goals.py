"""`setpoint lab goals`: how far the working tree is from each goal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from setpoint.app.checks.goals_today import GoalToday


def goals(
    as_json: Annotated[bool, typer.Option("--json", help="Print the goals as JSON.")] = False,
) -> int:
    """Measure the working tree by each goal, and propose goals that the project's own runs would bear.

    The whole tree counts as changed, because there is nothing to compare it with.
    """
    from setpoint.app.checks.goals_today import goals_today
    from setpoint.cli.render.styles import written
    from setpoint.wiring.project import open_project

    today = goals_today(open_project(Path.cwd()))
    if as_json:
        written(json.dumps([_told(each) for each in today], indent=1))
    else:
        _show(today)
    return ExitCode.OK


def _told(each: GoalToday) -> dict[str, object]:
    return {
        **each.goal.model_dump(mode="json"),
        "mode": str(each.mode),
        "proposal": each.proposal._asdict() if each.proposal else None,
    }


def _show(today: tuple[GoalToday, ...]) -> None:
    from rich.table import Table

    from setpoint.cli.render.console import Screen

    console = Screen(highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for heading in ("goal", "mode", "state", "today", "proposed"):
        table.add_column(heading)
    for each in today:
        proposal = each.proposal
        told = f"{proposal.target:g} (of {proposal.runs} verified runs)" if proposal else ""
        state = str(each.goal.state).replace("_", " ")
        table.add_row(each.goal.name, str(each.mode), state, each.goal.reason, told)
    console.print(table)
    for each in today:
        for instruction in each.goal.missing if each.mode != "off" else ():
            console.print(f"{each.goal.name}: {instruction}", markup=False)
    console.print('set one in setpoint.toml, for example: [goals] diff_coverage = "gate"', markup=False)
