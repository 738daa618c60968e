"""`setpoint admin pipeline`: show a pipeline, or check your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say

app = typer.Typer(no_args_is_help=True, help="Show a pipeline, or check your own.")

Name = Annotated[
    str,
    typer.Argument(help="A built-in pipeline or the path of a TOML file; default: the project's pipeline."),
]


@app.command()
def show(
    name: Name = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the pipeline as JSON.")] = False,
) -> None:
    """Show the phases of a pipeline as a run executes them."""
    from rich.table import Table

    from setpoint.app.runs.order import find_pipeline
    from setpoint.app.runs.role_assignment import agent_names
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    pipeline = find_pipeline(project, name)
    if as_json:
        say(pipeline.model_dump_json(indent=2))
        return
    console = Screen(soft_wrap=True)
    console.print(f"[bold]{pipeline.name}[/bold]: {pipeline.description}", highlight=False)
    table = Table(box=None, pad_edge=False)
    for title in ("phase", "kind", "role or stage", "prompts"):
        table.add_column(title, overflow="fold")
    for phase in pipeline.phases:
        what = phase.role or phase.stage or ""
        reviews = f" ({', '.join(phase.reviews)})" if phase.reviews else ""
        prompts = ", ".join(sorted(set(phase.prompts.values())))
        table.add_row(phase.name, phase.kind, f"{what}{reviews}", prompts)
    console.print(table)
    players = {phase.name: agent_names(project.settings.agents, phase) for phase in pipeline.phases}
    told = "; ".join(f"{name} by {player}" for name, player in players.items() if player)
    console.print(f"agents: {told}", highlight=False, markup=False)


@app.command()
def check(name: Name = "") -> None:
    """Check a pipeline: its keys, the order of its phases, and every prompt with its variables."""
    from setpoint.app.runs.order import check_prompts, find_pipeline
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    pipeline = find_pipeline(project, name)
    count = check_prompts(project, pipeline)
    say(f"{pipeline.name}: {len(pipeline.phases)} phases and {count} prompts are valid")
