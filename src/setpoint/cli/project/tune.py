"""`setpoint lab tune`: weights and targets that the project's own runs suggest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.errors import ExitCode

if TYPE_CHECKING:
    from setpoint.app.project.tuning import Tuning


def tune(
    apply: Annotated[
        list[str] | None,
        typer.Option(
            help="Write this proposal into setpoint.toml: weights, or goals.METRIC. Can be repeated."
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Put the settings back as they were before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposals as JSON.")] = False,
) -> int:
    """Propose weights of metrics and targets of goals from what people did with the work of past runs.

    Nothing changes until you apply a proposal by name.
    """
    from setpoint.app.project import tuning
    from setpoint.cli.render.styles import written
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if undo:
        path, names = tuning.undo(project)
        typer.echo(f"{path}: {', '.join(names)} as before")
        return ExitCode.OK
    if apply:
        path = tuning.apply(project, tuple(apply))
        typer.echo(f"{path}: {', '.join(apply)} applied; `setpoint lab tune --undo` puts it back")
        return ExitCode.OK
    found = tuning.tuning(project)
    if as_json:
        told = {**found._asdict(), "proposals": [each._asdict() for each in found.proposals]}
        written(json.dumps(told, indent=1))
    else:
        _show(found)
    return ExitCode.OK


def _show(found: Tuning) -> None:
    from setpoint.cli.render.console import Screen

    console = Screen(highlight=False, soft_wrap=True)
    if found.why_none:
        console.print(f"nothing is proposed: {found.why_none}", markup=False)
        return
    console.print(f"from {found.good} runs merged as they were and {found.bad} edited or reverted:")
    for each in found.proposals:
        values = ", ".join(f"{name} = {value}" for name, value in each.values.items())
        console.print(f"{each.name}: {values}", markup=False)
        for line in each.evidence:
            console.print(f"  {line}", markup=False)
    console.print(f"hint: `setpoint lab tune --apply {found.proposals[0].name}` writes it into setpoint.toml")
