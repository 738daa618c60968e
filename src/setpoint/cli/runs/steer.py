"""`setpoint hint` and `setpoint pause`: act on a run while it works, from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunName = Annotated[str, typer.Argument(metavar="RUN", help="Run name or prefix.")]


def hint(
    which: RunName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the agent should know or do.")],
) -> None:
    """Tell the agent of a run something; it reads it behind its present tool call, or at its next prompt."""
    from setpoint.app.people.steering import give_hint
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.cli.render.styles import say
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    confirm(project)  # the agent reads a hint as the word of a person
    give_hint(project, which, text)
    say("recorded; `setpoint watch` shows when it reaches the agent")


def pause(
    which: RunName,
    end: Annotated[bool, typer.Option("--end", help="Let the run continue.")] = False,
) -> None:
    """Pause a run before its next step, or let it continue; the time in between does not count as work."""
    from setpoint.app.people.steering import continue_run, pause_run
    from setpoint.cli.render.styles import say
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if end:
        continue_run(project, which)
        say("the run continues")
    else:
        pause_run(project, which)
        say(f"the run holds before its next step; hint: setpoint pause {which} --end")
