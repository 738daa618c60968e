"""`setpoint forge`: work with people at GitHub or Forgejo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say, say_of

app = typer.Typer(
    no_args_is_help=True,
    help="Turn labelled issues into pull requests, and reviews into rework.",
)
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def watch(
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is left that needs no person.")
    ] = False,
) -> None:
    """Look at the forge, run the stories that people ordered there, and show results, until Ctrl-C."""
    import asyncio

    from setpoint.app.forge.flow import work_with_forge
    from setpoint.wiring.project import open_project

    asyncio.run(work_with_forge(open_project(Path.cwd()), say_of, until_idle=until_idle))


@app.command()
def sync() -> None:
    """Look at the forge once, act on what is new, and show results; this starts no run."""
    import asyncio

    from setpoint.app.forge.flow import sync_once
    from setpoint.wiring.project import open_project

    record = asyncio.run(sync_once(open_project(Path.cwd()), say_of))
    say(f"{len(record.stories)} issues are stories, {len(record.open_pulls())} pull requests are open")


@app.command()
def status(as_json: Json = False) -> None:
    """Show the issues that became stories, their pull requests, and what was ignored."""
    from setpoint.app.forge.standing import forge_standing
    from setpoint.wiring.project import open_project

    found = forge_standing(open_project(Path.cwd()))
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
        return
    for each in found.issues:
        pull = f"pull request {each.pull} ({each.state}) {each.url}" if each.pull else "no pull request yet"
        say(f"issue {each.issue}: {each.story}: {pull.rstrip()}")
        if each.waiting:
            say(f"    {each.waiting} remarks wait for the next rework")
    if not found.issues:
        say("no issue is a story yet; hint: put the label on an issue, then: setpoint forge watch")
    if found.unsettled:
        say(f"{found.unsettled} messages are stored and not worked on; hint: setpoint forge watch")
    for line in found.ignored:
        say(f"ignored: {line}")
