"""Make sure that the makers of a run can work, before it begins."""

from __future__ import annotations

from pathlib import Path

from setpoint.app.runs.ready_makers import pass_variables, require_makers, unpassed
from setpoint.cli.render.console import Screen
from setpoint.cli.render.live import attended
from setpoint.model.run import RunOrder
from setpoint.wiring.project import Project


def made_ready(project: Project, order: RunOrder, *, as_json: bool = False) -> tuple[Project, RunOrder]:
    """Offer the variables that an agent's own configuration names, then start each maker without a prompt.

    Only a person at the terminal is asked. Raises `NoUsableAgent` where no maker can work.
    """
    console = Screen(stderr=True, highlight=False, soft_wrap=True)
    for each in unpassed(project, order) if not as_json and attended(console, order) else ():
        console.print(each.told, markup=False)
        # A file of the repository may come from anybody, so that only an explicit yes counts.
        theirs = Path(each.where).is_relative_to(project.root)
        question = f"pass {', '.join(each.names)} to {each.agent}? [{'y/N' if theirs else 'Y/n'}]: "
        if console.input(question, markup=False).strip().lower() in ("y", "yes", *([] if theirs else [""])):
            project, told = pass_variables(project, each)
            console.print(f"{', '.join(each.names)}: {told}", markup=False)
    return project, require_makers(project, order)
