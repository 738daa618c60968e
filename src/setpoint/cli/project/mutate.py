"""`setpoint lab mutate`: find small code changes that no test detects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from setpoint.model.mutation import Mutant, MutationReport


def mutate(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files or folders; default: the lines changed since the commit."),
    ] = None,
    lines: Annotated[str, typer.Option(help="Only these lines of one file, for example 10-40.")] = "",
    budget: Annotated[
        float | None, typer.Option(min=1, help="Time limit in seconds; default: checks.mutation_budget_s.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Parallel processes; 0: one per core.")] = 0,
    goal: Annotated[
        float | None, typer.Option(min=0, max=1, help="Exit 1 if the mutation score is lower.")
    ] = None,
    install: Annotated[
        bool,
        typer.Option("--install", help="Install Stryker for scripts into Setpoint's own folder, if missing."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every mutant as JSON.")] = False,
) -> int:
    """Report small code changes (mutants) that no test detects; the working tree is not changed."""
    from setpoint.app.checks.mutants import measure_mutants
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    report = measure_mutants(project, tuple(paths or ()), lines, budget_s=budget, jobs=jobs, install=install)
    if as_json:
        told = {"score": report.score, "counts": report.counts, **report.model_dump(mode="json")}
        typer.echo(json.dumps(told, indent=1))
    else:
        show(report)
    missed = goal is not None and (report.score is None or report.score < goal)
    return ExitCode.FINDINGS if missed else ExitCode.OK


def show(report: MutationReport) -> None:
    """Print each survivor, the lines that no test reaches, and the score."""
    from setpoint.cli.render.console import Screen

    console = Screen(highlight=False, soft_wrap=True)
    for each in report.survivors:
        console.print(f"{each.file}:{each.line}: {_looked(each)}", style="yellow", markup=False)
        console.print(f"  - {each.before}\n  + {each.after}", markup=False)
    unreached: dict[str, set[int]] = {}
    for each in report.mutants:
        if each.verdict == "uncovered":
            unreached.setdefault(each.file, set()).add(each.line)
    for file, numbers in sorted(unreached.items()):
        console.print(
            f"{file}: no test reaches lines {', '.join(map(str, sorted(numbers)))}", style="red", markup=False
        )
    counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
    counts = counts or "these lines hold no code that a mutant can change"
    score = "not measured" if report.score is None else f"{report.score:.1%}"
    console.print(f"mutation score {score}: {counts}", style="bold", markup=False)
    for note in _notes(report):
        console.print(note, style="dim", markup=False)


def _looked(survivor: Mutant) -> str:
    from setpoint.model.wording import counted

    if not survivor.tests:
        return "no test fails"
    if survivor.tests == 1:
        return "1 test passes" + "  (and takes the same path)" * survivor.same_path
    return f"{counted(survivor.tests, 'test')} pass" + "  (and take the same path)" * survivor.same_path


def _notes(report: MutationReport) -> list[str]:
    notes = [report.reason] if report.reason else []
    if report.made > len(report.mutants):
        notes.append(f"a random sample of {len(report.mutants)} out of {report.made} mutants")
    for what, tests in (("red", report.red), ("unsteady", report.unsteady)):
        if tests:
            notes.append(f"left out, {what}: {', '.join(tests[:5])}{' ...' if len(tests) > 5 else ''}")  # noqa: PLR2004 - as many as are named
    notes += [f"left out: {reason}" for reason in report.skipped_files]
    return notes
