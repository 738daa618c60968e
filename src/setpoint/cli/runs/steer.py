"""`setpoint hint` and `setpoint pause`: act on a run while it works, from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunName = Annotated[
    str,
    typer.Argument(metavar="[RUN]", help="Run id, start or end, or story id; default: the only open run."),
]


def hint(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] TEXT", help="What the agent should know or do; default run: the only open one."
        ),
    ],
) -> None:
    """Tell the agent of an open run something.

    The agent reads it behind its present tool call, or at its next prompt.
    """
    from setpoint.app.people.steering import give_hint
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.cli.render.styles import say
    from setpoint.errors import UsageError
    from setpoint.wiring.project import open_project

    if len(words) > 2:  # noqa: PLR2004 - a run and a text
        raise UsageError("more than a run and a text is given", hint='setpoint hint "use Decimal"')
    project = open_project(Path.cwd())
    confirm(project)  # the agent reads a hint as the word of a person
    give_hint(project, "".join(words[:-1]), words[-1])
    say("recorded; `setpoint watch` shows when it reaches the agent")


def pause(
    which: RunName = "",
    end: Annotated[bool, typer.Option("--end", help="Let the run continue.")] = False,
) -> None:
    """Hold a run before its next step, or let it continue.

    The time in between does not count as work.
    """
    from setpoint.app.people.steering import continue_run, pause_run
    from setpoint.cli.render.styles import say
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    if end:
        continue_run(project, which)
        say("the run continues")
    else:
        pause_run(project, which)
        say("the run holds before its next step; hint: setpoint pause --end")
