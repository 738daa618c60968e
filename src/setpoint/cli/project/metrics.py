"""`setpoint metrics`: the metrics of the last days, compared with the days before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say, written

if TYPE_CHECKING:
    from rich.console import Console

    from setpoint.history.metrics.metrics import Metric, MetricsReport
    from setpoint.history.metrics.snapshots import Snapshot

_BARS = "▁▂▃▄▅▆▇█"
_ARROWS = {"up": "↑", "down": "↓", "same": "→", "": ""}
_MOST_PARTS = 6
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
    """Show metrics of the last days with sample sizes and trends."""
    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.views.metrics import (
        metric_snapshots,
        metrics_exposition,
        metrics_report,
        store_metrics,
        write_metrics_page,
    )
    from setpoint.wiring.project import open_project

    given = {"--days": days, "--json": as_json, "--html": html, "--snapshot": snapshot}
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
        _printed(made, name)


def _printed(made: MetricsReport, name: str) -> None:
    """Print a report, and the name under which it is stored."""
    from setpoint.cli.render.console import Screen

    console = Screen(highlight=False, soft_wrap=True)
    console.print(f"{made.since} to {made.until} (UTC), against the {made.days} days before", markup=False)
    for loop in dict.fromkeys(each.loop for each in made.metrics):
        _table(console, made, loop)
    _unmeasured(console, made)
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


def _table(console: Console, made: MetricsReport, loop: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from setpoint.history.metrics.metrics import amount

    shown = [each for each in made.metrics if each.loop == loop and each.value is not None]
    if not shown:
        return
    table = Table(title=f"{loop} loop" if loop != "across" else "across runs", title_justify="left", box=None)
    for name in ("metric", "value", "n", "trend", "by day"):
        table.add_column(name, justify="right" if name in ("value", "n") else "left", no_wrap=True)
    fancy = console.is_terminal
    for metric in shown:
        days = sparkline([each.value for each in metric.by_day], plain=not fancy)
        trend = Text(_trend(metric, plain=not fancy), style=_style(metric))
        table.add_row(metric.name, amount(metric.value, metric.unit), str(metric.n), trend, days)
        most = sorted(metric.parts, key=lambda part: -part.n)[_MOST_PARTS - 1 :]
        hidden = {part.label for part in most[1:]}
        for part in metric.parts:
            if part.n and part.label not in hidden:
                row = (Text(f"  {part.label}"), amount(part.value, metric.unit), str(part.n), "", "")
                table.add_row(*row, style="dim")
        if hidden:
            table.add_row(f"  and {len(hidden)} more: see --json", style="dim")
    console.print(table)


def _unmeasured(console: Console, made: MetricsReport) -> None:
    reasons: dict[str, list[str]] = {}
    for each in made.metrics:
        if each.value is None:
            reasons.setdefault(each.reason, []).append(each.name)
    if reasons:
        console.print("not measured", style="italic")
    for reason, names in reasons.items():
        console.print(f"  {', '.join(names)}: {reason}", style="dim", markup=False)
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


def _trend(metric: Metric, *, plain: bool) -> str:
    if not metric.trend:
        return ""
    from setpoint.history.metrics.metrics import amount

    before = f" from {amount(metric.previous, metric.unit)} (n {metric.previous_n})"
    return (metric.trend if plain else _ARROWS[metric.trend]) + before


def _style(metric: Metric) -> str:
    if metric.trend in ("", "same") or not metric.better:
        return ""
    return "green" if (metric.trend == "up") == (metric.better == "higher") else "yellow"
