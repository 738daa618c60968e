"""`setpoint reviewers`: how often each reviewer was right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from setpoint.app.views.reviewers import ReviewerRecord

_COLUMNS = ("reviewer", "model", "reviews", "missing", "right")


def reviewers(
    runs: Annotated[int, typer.Option(help="Number of the newest runs to count.", min=1)] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show for each reviewer and model what became of its blocking findings: acted on, upheld, or wrong."""
    from rich.table import Table

    from setpoint.app.views.reviewers import records_of
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    records = records_of(open_project(Path.cwd()), runs)
    if as_json:
        shown = [{**each.model_dump(), "share": each.share} for each in records]
        typer.echo(json.dumps(shown, indent=2))
        return
    console = Screen(soft_wrap=True)
    if not records:
        console.print("no review yet", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for name in _COLUMNS:
        table.add_column(name, no_wrap=True)
    for each in records:
        table.add_row(*_cells(each))
    console.print(table)


def _cells(each: ReviewerRecord) -> tuple[str, ...]:
    right = each.acted_on + each.upheld
    share = "-" if each.share is None else f"{each.share:.0%} of {right + each.withdrawn + each.dismissed}"
    return (each.reviewer, each.model or "-", str(each.reviews), str(each.missing), share)
