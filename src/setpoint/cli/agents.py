"""`setpoint agents`: who can be driven from here, and whether it works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say

if TYPE_CHECKING:
    from setpoint.wiring import Trial

app = typer.Typer(help="See which agents can be driven from here, and try one.")

AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.callback(invoke_without_command=True)
def agents(called: typer.Context, as_json: AsJson = False) -> None:
    """List every agent that Setpoint knows: installed, version, login, what can be seen of its work."""
    if called.invoked_subcommand:
        return
    from rich.table import Table

    from setpoint import wiring
    from setpoint.cli.screen import Screen

    rows = wiring.agent_rows(wiring.open_project(Path.cwd()))
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("agent", "version", "speaks", "login", "tells", "sandbox"):
        table.add_column(name, overflow="fold")
    for row in rows:
        version = row.version or ("installed" if row.installed else "-")
        cells = (row.name, version, row.protocol, row.login, row.tells, row.sandbox)
        table.add_row(*cells, style="green" if row.installed else "dim")
    console = Screen(soft_wrap=True)
    console.print(table)
    # Below the table: a sentence in a column of a narrow terminal cannot be read.
    for row in rows:
        if row.note:
            console.print(f"{row.name}: {row.note}", markup=False, highlight=False)


@app.command(name="test")
def trial(
    name: Annotated[str, typer.Argument(help="The agent's name: see `setpoint agents`.")],
    as_json: AsJson = False,
) -> int:
    """Have an agent mend one line in a repository of its own; Setpoint measures whether it did.

    This calls the agent's model and may cost some cents. The exit code is that of a run: 0 verified, 3 the
    agent cannot be used or broke, 11 its change was not verified.
    """
    from setpoint import wiring
    from setpoint.cli.live import EXIT

    seen = wiring.try_agent(wiring.open_project(Path.cwd()), name)
    if as_json:
        typer.echo(seen.model_dump_json(indent=2))
    else:
        say(_told(seen))
    return EXIT[seen.ending]


def _told(trial: Trial) -> str:
    asks_none = trial.scope == "none"
    tokens = "none: it calls no model" if asks_none else "unknown"
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
        "time": f"{trial.agent_s:.1f} s of the agent, {trial.duration_s:.1f} s in all",
    }
    return "\n".join(f"{key + ':':<10}{value}" for key, value in rows.items())
