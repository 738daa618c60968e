"""`setpoint metrics`: the metrics of the last days, compared with the days before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say, written

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from setpoint.history.metrics.metrics import Metric, MetricsReport
    from setpoint.history.metrics.snapshots import Snapshot

_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {"better": "green", "worse": "yellow"}
_MOST_PARTS = 6
_PLAIN_WIDTH = 110
"""Least columns where no terminal folds the lines."""
_WIDEST = 30
DAYS = 7
"""Default window in days."""
ALLOWED_WITH = {"--snapshots": {"--days", "--json"}, "--prometheus": set[str](), "--html": set[str]()}
"""Options allowed together with an option that decides what is printed."""


def metrics(
    days: Annotated[
        int | None,
        typer.Option(min=1, max=3660, help="Length of the window in days, including today; default 7."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every metric, with its parts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    as_prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print 7, 30 and 90 days in the Prometheus text format.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write 7, 30 and 90 days as one HTML page.")
    ] = None,
    snapshot: Annotated[
        bool, typer.Option("--snapshot", help="Store this report and those of past days.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--snapshots", help="List the stored reports of the window instead.")
    ] = False,
) -> None:
    """Show in ten figures how the last days went, and whether it gets better."""
    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.views.metrics import (
        metric_snapshots,
        metrics_exposition,
        metrics_report,
        store_metrics,
        write_metrics_page,
    )
    from setpoint.wiring.project import open_project

    given = {"--days": days, "--all": everything, "--json": as_json, "--html": html, "--snapshot": snapshot}
    _refuse_ignored({**given, "--prometheus": as_prometheus, "--snapshots": history})
    days = days or DAYS
    project = open_project(Path.cwd())
    if history:
        _stored(metric_snapshots(project, days), as_json=as_json)
        return
    if as_prometheus:
        written(metrics_exposition(project), nl=False)
        return
    if html is not None:
        write_metrics_page(project, html)
        say(str(html), err=True)
        return
    notice_deliveries(project)
    made = metrics_report(project, days)
    name = store_metrics(project, made) if snapshot else ""
    if as_json:
        stored = {"snapshot": name} if name else {}
        typer.echo(json.dumps({**made.model_dump(mode="json"), **stored}, indent=2))
    else:
        _printed(made, name, everything=everything)


def _printed(made: MetricsReport, name: str, *, everything: bool) -> None:
    """Print a report, and the name under which it is stored."""
    from setpoint.cli.render.console import Screen
    from setpoint.history.metrics.summary import first_ten, getting_better
    from setpoint.model.loop_metric import Loop

    console = Screen(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = max(console.width, _PLAIN_WIDTH)
    console.print(f"Is this getting better? {getting_better(made)}\n", markup=False)
    ten = first_ten(made)
    rest = [each for each in made.metrics if each not in ten]
    parts = {f"last {made.days} days": ten}
    if everything:
        for loop in Loop:
            of = tuple(each for each in rest if each.loop == loop and each.value is not None)
            parts |= {"across runs" if loop is Loop.ACROSS else f"{loop} loop": of} if of else {}
    _table(console, parts, everything=everything)
    if everything:
        _unmeasured(console, made)
    else:
        console.print(f"\nthe other {len(rest)}: setpoint metrics --all", style="dim", markup=False)
    if name:
        console.print(f"stored as {name}", markup=False)


def _refuse_ignored(given: dict[str, object]) -> None:
    """Refuse options that would be ignored."""
    names = {name for name, value in given.items() if value}
    for way, along in ALLOWED_WITH.items():
        if way in names and (lost := sorted(names - along - {way})):
            raise typer.BadParameter(f"{', '.join(lost)} cannot be combined with {way}")


def _stored(listed: tuple[Snapshot, ...], *, as_json: bool) -> None:
    from rich.table import Table

    from setpoint.cli.render.console import Screen
    from setpoint.history.metrics.metrics import amount

    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in listed], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("stored for", "runs", "verified", "cost per run", "first pass"):
        table.add_column(name, justify="left" if name == "stored for" else "right", no_wrap=True)
    for each in listed:
        by_name = {metric.name: metric for metric in each.report.metrics}
        told = [by_name.get(name) for name in ("success_rate", "cost_per_run", "first_pass_approval_rate")]
        runs = told[0].n if told[0] else 0
        cells = [amount(metric.value, metric.unit) if metric else "-" for metric in told]
        table.add_row(each.occasion, str(runs), *cells)
    Screen(highlight=False, soft_wrap=True).print(table if listed else "no report is stored yet")


def _table(console: Console, parts: dict[str, tuple[Metric, ...]], *, everything: bool) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in (next(iter(parts)), "value", "n", "better if"):
        table.add_column(name, justify="right" if name in ("value", "n") else "left", no_wrap=True)
    table.add_column("against as many days before")
    if everything:
        table.add_column("by day", no_wrap=True)
    for place, (title, metrics) in enumerate(parts.items()):
        if place:
            table.add_row()
            table.add_row(title, style="bold")
        for metric in metrics:
            _add(table, metric, everything=everything, plain=not console.is_terminal)
    console.print(table)


def _add(table: Table, metric: Metric, *, everything: bool, plain: bool) -> None:
    """Add the row of a metric, and those of its parts where everything is shown."""
    from rich.text import Text

    from setpoint.history.metrics.metrics import amount
    from setpoint.history.metrics.summary import in_words, trend_in_words, value_in_words, verdict

    trend = Text(trend_in_words(metric), style=_STYLES.get(verdict(metric), "dim"))
    days = [sparkline([each.value for each in metric.by_day], plain=plain)] * everything
    table.add_row(in_words(metric), value_in_words(metric), str(metric.n), metric.better, trend, *days)
    parts = sorted((part for part in metric.parts if part.n and everything), key=lambda part: -part.n)
    for part in parts[:_MOST_PARTS]:
        cells = (Text(f"  {part.label}"), amount(part.value, metric.unit), str(part.n))
        table.add_row(*cells, style="dim")
    if hidden := len(parts[_MOST_PARTS:]):
        table.add_row(f"  and {hidden} more: see --json", style="dim")


def _unmeasured(console: Console, made: MetricsReport) -> None:
    from setpoint.history.metrics.summary import in_words

    console.print("\nnot measured", style="bold")
    for each in made.metrics:
        if each.value is None:
            console.print(f"  {in_words(each)}: {each.reason}", style="dim", markup=False)
    for failure in made.left_out:
        console.print(failure, style="yellow", markup=False)


def sparkline(values: list[float | None], *, plain: bool = False) -> str:
    """Draw values as bars from their least to their greatest, a gap for none; at most 30 of them, the newest.

    Plain output has no bars: it says the first and the last value instead.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:  # noqa: PLR2004 - one point does not make a line
        return ""
    if plain:
        return f"{known[0]:.3g} .. {known[-1]:.3g}"
    least, most = min(known), max(known)
    step = (most - least) or 1.0
    return "".join(
        " " if value is None else _BARS[round((value - least) / step * (len(_BARS) - 1))]
        for value in values[-_WIDEST:]
    )
