"""`setpoint agents`: list the agents that Setpoint can use, and test one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.runs.agent_trial import Trial

app = typer.Typer(help="List the agents that Setpoint can use, and test one.")

AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.callback(invoke_without_command=True)
def agents(called: typer.Context, as_json: AsJson = False) -> None:
    """List every agent: installation, version, login, and what Setpoint can observe of its work."""
    if called.invoked_subcommand:
        return
    from rich.table import Table

    from setpoint.app.project.doctor import agent_rows
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    rows = agent_rows(open_project(Path.cwd()))
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("agent", "version", "protocol", "login", "reports", "sandbox"):
        table.add_column(name, overflow="fold")
    for row in rows:
        version = row.version or ("installed" if row.installed else "-")
        cells = (row.name, version, row.protocol, row.login, row.tells, row.sandbox)
        table.add_row(*cells, style="green" if row.installed else "dim")
    console = Screen(soft_wrap=True)
    console.print(table)
    # Below the table: a narrow column would make a sentence unreadable.
    for row in rows:
        if row.note:
            console.print(f"{row.name}: {row.note}", markup=False, highlight=False)


@app.command(name="test")
def trial(
    name: Annotated[str, typer.Argument(help="Name of the agent (list them with `setpoint agents`).")],
    as_json: AsJson = False,
) -> int:
    """Let an agent fix one line in a new repository, and measure the result.

    This calls the agent's model and may cost some cents. The exit code is that of a run: 0 if the change is
    verified, 3 if the agent cannot be used or crashes, 11 if the change is not verified.
    """
    from setpoint.app.runs.agent_trial import try_agent
    from setpoint.app.runs.exit_codes import EXIT
    from setpoint.wiring.project import open_project

    seen = try_agent(open_project(Path.cwd()), name)
    if as_json:
        typer.echo(seen.model_dump_json(indent=2))
    else:
        say(_told(seen))
    return EXIT[seen.ending]


def _told(trial: Trial) -> str:
    asks_none = trial.scope == "none"
    tokens = "none: calls no model" if asks_none else "unknown"
    if trial.input_tokens is not None and trial.output_tokens is not None:
        tokens = f"{trial.input_tokens} in, {trial.output_tokens} out (of each {trial.scope})"
    tools = f" ({', '.join(trial.tools)})" if trial.tools else ""
    rows = {
        "agent": f"{trial.agent} {trial.version}".strip(),
        "verified": "yes" if trial.verified else f"no: {trial.reason}",
        "attempts": str(trial.attempts),
        "calls": f"{trial.tool_calls}, {trial.tool_errors} failed{tools}",
        "tokens": tokens,
        "cost": "$0.00" if asks_none else "unknown" if trial.cost_usd is None else f"${trial.cost_usd}",
        "time": f"{trial.agent_s:.1f} s for the agent, {trial.duration_s:.1f} s in total",
    }
    return "\n".join(f"{key + ':':<10}{value}" for key, value in rows.items())
