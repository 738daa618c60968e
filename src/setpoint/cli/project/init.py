"""`setpoint init`: make a repository ready for runs."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.project.new_settings import Choices
    from setpoint.wiring.project import Project


def init(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, and take the defaults.")] = False,
) -> None:
    """Write a commented settings file, with what tests need and git ignores; your tree stays clean."""
    from setpoint.app.project.new_settings import FILE, Choices, stated_in, write_settings
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    stated = stated_in(project)
    asks = stated is None and not yes and sys.stdin.isatty() and sys.stdout.isatty()
    choices = _asked(project) if asks else Choices()
    made = write_settings(project, choices)
    say(f"state:    {project.state} (ignored by git)")
    if stated is not None:
        say(f"settings: {stated} exists and was not changed")
    else:
        say(
            f"settings: {project.root / FILE} ({'not yet committed' if choices.shared else 'ignored by git'})"
        )
    if made.needs:
        say(f"needs:    {made.needs}")
    if made.written and choices.shared:
        say(f"next:     git add {FILE} && git commit -m 'Add settings of Setpoint'")
    if made.written:
        say("next:     setpoint doctor")


def _asked(project: Project) -> Choices:
    """Ask a person for what most projects set."""
    from setpoint.app.project.doctor import agent_rows
    from setpoint.app.project.new_settings import Choices

    usual = Choices()
    known = [
        row.name for row in agent_rows(project) if row.installed and row.name not in ("generator", "rules")
    ]
    names = ", ".join((usual.maker, *known))

    def agent(text: str) -> str:
        if text not in (usual.maker, *known):
            raise typer.BadParameter(f"'{text}' is none of {names}; `setpoint agents` lists others")
        return text

    return Choices(
        maker=typer.prompt(f"Agent that makes the changes ({names})", usual.maker, value_proc=agent),
        most_usd=typer.prompt("Most US dollars for one run, 0 for no limit", usual.most_usd, value_proc=_usd),
        shared=typer.confirm("Commit these settings, for everybody in the project?", default=usual.shared),
    )


def _usd(text: str) -> Decimal:
    from pydantic import ValidationError

    from setpoint.model.config.limits import Limits

    try:
        return Limits.model_validate({"max_cost_usd": text}).max_cost_usd
    except ValidationError:
        raise typer.BadParameter(f"'{text}' is not an amount of dollars, such as 2.50") from None
