"""`setpoint hook`: check the work of your own agent when it ends its turn, and commits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.app.hooks.install import FileChange

app = typer.Typer(
    no_args_is_help=True, help="Check the work of your own agent after each turn, and before commits."
)
# Exit code 2 means "continue" to some agents, so no wrong use may end a hook with it.
_LENIENT = {"ignore_unknown_options": True, "allow_extra_args": True}
Agent = Annotated[str, typer.Argument(metavar="AGENT", help="The agent that calls: claude, codex ...")]


@app.command(context_settings=_LENIENT)
def stop(agent: Agent = "claude") -> int:
    """Answer an agent that wants to end its turn; reads its message from standard input.

    It always exits with 0: whatever goes wrong in Setpoint, the agent may stop.
    """
    from setpoint.cli.project.hook_calls import answered_stop

    typer.echo(answered_stop(agent))
    return ExitCode.OK


@app.command(context_settings=_LENIENT)
def prompt(agent: Agent = "claude") -> int:
    """Remember the tree at a prompt of the user: an agent calls this; always exits with 0.

    The answer tells the user where the check of the turn before did not end.
    """
    from setpoint.cli.project.hook_calls import answered_prompt

    typer.echo(answered_prompt(agent))
    return ExitCode.OK


For = Annotated[str, typer.Argument(metavar="FOR", help="claude, codex, gemini, cursor, or git.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Write without asking, for scripts.")]


@app.command()
def install(name: For, yes: Yes = False) -> int:
    """Show which lines make an agent, or git, call Setpoint, and write them after a question."""
    from setpoint.app.hooks.install import apply, installation, next_step
    from setpoint.wiring.project import open_project

    changes = installation(open_project(Path.cwd()), name)
    if not changes:
        say(f"the hooks for {name} are installed already")
        return ExitCode.OK
    if not _agreed(changes, yes=yes):
        return ExitCode.CANCELLED
    apply(Path.cwd(), name, changes, install=True)
    say(f"installed for {name}\nnext: {next_step(name)}\nundo: setpoint hook remove {name}")
    return ExitCode.OK


@app.command()
def remove(name: For, yes: Yes = False) -> int:
    """Show what removing the hooks changes, and write it after a question; other hooks stay."""
    from setpoint.app.hooks.install import apply, removal

    changes = removal(Path.cwd(), name)
    if not changes:
        say(f"no hooks for {name} are installed")
        return ExitCode.OK
    if not _agreed(changes, yes=yes):
        return ExitCode.CANCELLED
    apply(Path.cwd(), name, changes, install=False)
    say(f"removed for {name}")
    return ExitCode.OK


@app.command()
def log(
    most: Annotated[int, typer.Option("--most", min=1, help="How many of the newest checks.")] = 20,
) -> int:
    """List the newest checks of agents' turns; a check verifies nothing."""
    from setpoint.app.hooks.record import recorded
    from setpoint.cli.render.event_lines import line
    from setpoint.wiring.project import open_project

    events = recorded(open_project(Path.cwd()), most)
    for each in events:
        say(f"{each.at:%Y-%m-%d %H:%M:%S}Z  {line(each.body).text}")
    if not events:
        say("no checks yet; hint: setpoint hook install claude")
    return ExitCode.OK


def _agreed(changes: tuple[FileChange, ...], *, yes: bool) -> bool:
    for each in changes:
        say(each.diff, nl=False)
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("nothing was written: nobody is at a terminal to agree", hint="repeat it with --yes")
    return typer.confirm("Write this?")


@app.command(name="git", context_settings=_LENIENT, hidden=True)
def git_(
    name: Annotated[str, typer.Argument(help="pre-commit or pre-push.")],
    remote: Annotated[str, typer.Argument(help="The remote that git pushes to.")] = "",
) -> int:
    """Check the tree before git commits or pushes it: git calls this; exit 1 stops git."""
    from setpoint.app.hooks.before_git import check_before
    from setpoint.cli.project.hook_calls import sent
    from setpoint.cli.render.check_text import check_text

    refs = sent().decode("utf-8", "replace")
    code, text = check_before(name, remote, refs, Path.cwd(), lambda seen, fast: check_text(seen, fast=fast))
    say(text, err=True)
    return code
