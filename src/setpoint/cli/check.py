"""`setpoint check`: measure the tree as it stands, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.errors import ExitCode


def check(
    as_json: Annotated[bool, typer.Option("--json", help="Print the evaluation as JSON.")] = False,
) -> int:
    """Run every check on the working tree, uncommitted changes included; exit 1 where something is wrong."""
    from rich.console import Console

    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    evaluation = wiring.measure(project)
    wrong = bool(evaluation.failures or evaluation.blocking)
    broken = bool(evaluation.broken)
    if as_json:
        typer.echo(evaluation.model_dump_json(indent=2))
        return ExitCode.FINDINGS if wrong or broken else ExitCode.OK
    console = Console(highlight=False, soft_wrap=True)
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
    console.print(f"quality {score}; tree {evaluation.tree[:10]}", markup=False)
    return ExitCode.FINDINGS if wrong or broken else ExitCode.OK
