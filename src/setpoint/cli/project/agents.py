"""`setpoint agents`: list the agents that Setpoint can use, install what one lacks, and test one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.project.agent_setup import SetupPlan
    from setpoint.app.runs.agent_trial import Trial

app = typer.Typer(help="List the agents that Setpoint can use; set one up and test it.")

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
    from setpoint.app.runs.agent_trial import settings_here, try_agent
    from setpoint.app.runs.exit_codes import exit_code

    seen = try_agent(settings_here(Path.cwd()), name)
    if as_json:
        typer.echo(seen.model_dump_json(indent=2))
    else:
        say(_told(seen))
    return exit_code(seen.ending, seen.branch)


@app.command()
def setup(
    name: Annotated[str, typer.Argument(help="Name of the agent (list them with `setpoint agents`).")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Install without asking, for scripts.")] = False,
    test: Annotated[bool, typer.Option(help="Test the agent afterwards, which calls its model.")] = True,
) -> int:
    """Install what an agent lacks (its adapter, the right Node.js), then test it.

    The packages have pinned versions and go into Setpoint's own folder, with npm; nothing is installed
    globally. The exit code is that of `setpoint agents test`.
    """
    from setpoint.app.project.agent_setup import planned_setup, set_up
    from setpoint.app.runs.agent_trial import settings_here, try_agent
    from setpoint.app.runs.exit_codes import exit_code
    from setpoint.errors import ExitCode

    plan = planned_setup(name)
    if plan.blocked:
        say(f"{plan.title}: {plan.blocked}; hint: {plan.hint}", err=True)
        return ExitCode.NO_AGENT
    if not plan.steps:
        say(f"{plan.title}: nothing is missing")
    else:
        say(_planned(plan))
        if not yes and not _agreed():
            return ExitCode.USAGE
        set_up(plan, lambda step: say(f"installing {step.package} ..."))
    if not test:
        say(f"next: setpoint agents test {name}")
        return ExitCode.OK
    say(f"testing {name}: it makes one tiny change in a repository of its own ...")
    seen = try_agent(settings_here(Path.cwd()), name)
    say(_told(seen))
    if seen.verified:
        say(f'next: setpoint run "what you want" --agent {name}')
    return exit_code(seen.ending, seen.branch)


@app.command()
def mcp(
    approve: Annotated[str, typer.Option(help="Let agents use this server as HEAD names it.")] = "",
    revoke: Annotated[str, typer.Option(help="Take an approval away.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the servers of tools (MCP) that files of the project name; approve one by name.

    A server starts a program on your machine, so no agent gets one that you did not approve. An approval
    holds for this repository and for the command as it is; if the command changes, approve it again.
    """
    from setpoint.app.project.tool_servers import approve_server, revoke_server, server_rows
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if approve:
        server = approve_server(project, approve)
        say(f"approved for this repository: {server.name} ({server.source}): {server.words}")
        return
    if revoke:
        revoke_server(project, revoke)
        say(f"no longer approved: {revoke}")
        return
    rows = server_rows(project)
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    for row in rows:
        say(f"{'approved' if row.approved else 'not approved':<13} {row.name} ({row.source}): {row.words}")
    if not rows:
        say("no file of the newest commit names a server")
    elif not all(row.approved for row in rows):
        say("hint: setpoint agents mcp --approve NAME")


def _planned(plan: SetupPlan) -> str:
    lines = [f"{plan.title}: this is missing, and npm would install it into {plan.folder}:"]
    lines += [f"  {step.package:<46} {step.why}" for step in plan.steps]
    return "\n".join([*lines, "Nothing is installed globally; delete that folder to undo it."])


def _agreed() -> bool:
    """Ask the person at the terminal; without one nothing is installed."""
    from setpoint.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("nothing was installed: no terminal to ask at", hint="add --yes")
    return typer.confirm("Install it?")


def _told(trial: Trial) -> str:
    asks_none = trial.scope == "none"
    tokens = "none: calls no model" if asks_none else "unknown"
    if trial.input_tokens is not None and trial.output_tokens is not None:
        tokens = f"{trial.input_tokens} in, {trial.output_tokens} out (of each {trial.scope})"
    tools = f" ({', '.join(trial.tools)})" if trial.tools else ""
    rows = {
        "agent": f"{trial.agent} {trial.version}".strip(),
        "verified": "yes" if trial.verified else f"no: {trial.reason}",
        **({"hint": trial.hint} if trial.hint else {}),
    }
    rest = {
        "attempts": str(trial.attempts),
        "calls": f"{trial.tool_calls}, {trial.tool_errors} failed{tools}",
        "tokens": tokens,
        "cost": "$0.00" if asks_none else "not told" if trial.cost_usd is None else f"${trial.cost_usd}",
        "time": f"{trial.agent_s:.1f} s for the agent, {trial.duration_s:.1f} s in total",
    }
    if trial.attempts or not trial.fault:
        rows |= rest
    return "\n".join(f"{key + ':':<10}{value}" for key, value in rows.items())
