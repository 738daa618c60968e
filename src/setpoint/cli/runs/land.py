"""`setpoint land`: combine delivered stories one after the other, and bring what passes into one branch."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.stories.policy.landing import Landing


def land(
    stories: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of stories; default: all that delivered and have not landed."),
    ] = None,
    into: Annotated[str, typer.Option(help="Fast-forward this local branch after each story.")] = "",
    branch: Annotated[str, typer.Option(help="Name of the new branch; default: landing-1 and so on.")] = "",
    push: Annotated[
        bool, typer.Option("--push", help="Push the branch to forge.remote after each story, never by force.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Merge on trial; measure and change nothing.")
    ] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="End the open landing; what landed stays.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Land delivered stories one by one, each measured as it is merged; exit 1 if one did not land."""
    from setpoint.app.landing import lane
    from setpoint.wiring.project import open_project

    if into and branch:
        raise UsageError("--into and --branch exclude each other", hint="leave one out")
    project, only = open_project(Path.cwd()), tuple(stories or ())
    try:
        if dry_run:
            came = lane.planned(project, only, into, push=push)
            say("on trial; nothing is measured, and nothing is changed:", err=as_json)
        elif cancel:
            came = lane.cancel(project)
        else:
            told = partial(say, err=as_json)
            came = lane.land_once(project, only, into=into, branch=branch, push=push, say=told)
    except KeyboardInterrupt:
        hint = "`setpoint land` continues, `setpoint land --cancel` ends it"
        say(f"setpoint: interrupted; hint: {hint}", err=True)
        return ExitCode.INTERRUPTED
    if came is None:
        say(
            "[]" if as_json else "nothing waits to land; hint: `setpoint story list --all` shows what is done"
        )
        return ExitCode.OK
    _show(came, trial=dry_run, as_json=as_json)
    return _exit_code(came)


def _exit_code(came: Landing) -> ExitCode:
    landed = len(came.landed) == len(came.began.queue)
    return ExitCode.OK if landed and (came.ended is None or came.ended.proved) else ExitCode.FINDINGS


def _show(came: Landing, *, trial: bool, as_json: bool) -> None:
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.landing_lines import closing_lines, planned_lines

    if as_json:
        say(json.dumps({**came.model_dump(mode="json"), "exit_code": int(_exit_code(came))}, indent=2))
        return
    console = Screen(highlight=False, soft_wrap=True)
    for line in planned_lines(came) if trial else closing_lines(came):
        console.print(line.text, style=line.style or None, markup=False)
