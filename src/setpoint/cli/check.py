"""`setpoint check`: measure the tree as it stands, once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import CheckResult
from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from rich.console import Console


def check(
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Of the tests only those that the changes can reach: quick, no verdict."),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Take nothing from an earlier check.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the evaluation as JSON.")] = False,
) -> int:
    """Run every check on the working tree, uncommitted changes included; exit 1 where something is wrong."""
    from rich.console import Console

    from setpoint import wiring
    from setpoint.cli.lines import measured_line

    project = wiring.open_project(Path.cwd())
    console = Console(highlight=False, soft_wrap=True, stderr=as_json)

    def told(_: Stage, result: CheckResult) -> None:
        if console.is_terminal:
            console.print(f"... {measured_line(result)}", style="dim", markup=False)

    evaluation = wiring.measure(project, told, fast=fast, fresh=fresh)
    wrong = bool(evaluation.failures or evaluation.blocking)
    broken = bool(evaluation.broken)
    if as_json:
        typer.echo(evaluation.model_dump_json(indent=2))
        return ExitCode.FINDINGS if wrong or broken else ExitCode.OK
    _show(console, evaluation, fast=fast)
    return ExitCode.FINDINGS if wrong or broken else ExitCode.OK


def _show(console: Console, evaluation: Evaluation, *, fast: bool) -> None:
    for each in evaluation.evidence:
        counts = " ".join(f"{name}={count}" for name, count in each.counts.items())
        style = {"pass": "green", "fail": "red", "error": "bold red", "flaky": "yellow"}.get(
            each.state, "dim"
        )
        console.print(
            f"{each.check:12} {each.state:12} {counts} {each.reason}".rstrip(), style=style, markup=False
        )
    for failure in evaluation.failures:
        console.print(
            f"  {failure.test}: {failure.cause}: {failure.message} ({failure.file}:{failure.line})",
            markup=False,
        )
    for finding in evaluation.findings:
        place = f"{finding.file}:{finding.line}"
        console.print(
            f"  {finding.severity} {place} {finding.source} {finding.rule}: {finding.message}", markup=False
        )
    measured = evaluation.quality.measured
    console.print(" ".join(f"{name}={value:.4g}" for name, value in measured.items()), markup=False)
    score = "not measured" if evaluation.score is None else f"{evaluation.score:.2f}"
    same = "; unchanged since an earlier check" if all(each.cached for each in evaluation.evidence) else ""
    console.print(f"quality {score}; tree {evaluation.tree[:10]}{same}", markup=False)
    if fast:
        console.print(
            "fast: of the tests only those that the changes can reach; no verdict: that is `setpoint check`",
            style="yellow",
            markup=False,
        )
