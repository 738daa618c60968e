"""`setpoint work`: work through the board night after night, and report in the morning."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say, say_of
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from setpoint.app.runs.standing_worker import StandingWorker
    from setpoint.wiring.project import Project

app = typer.Typer(help="Work through the board within limits of money, hours and parallel runs.")


@app.callback(invoke_without_command=True)
def work(
    called: typer.Context,
    now: Annotated[
        bool, typer.Option("--now", help="End when nothing is left that needs no person, whatever the hour.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each line as a JSON object; with --now: the outcome.")
    ] = False,
) -> int:
    """Take up ready stories by priority within the limits of [board], until Ctrl-C; resume after a crash."""
    if called.invoked_subcommand:
        return 0
    import asyncio

    from setpoint.app.project.person import require_person
    from setpoint.app.runs.standing_worker import only_worker
    from setpoint.cli.render.board_progress import drive_board
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    require_person(project)
    with only_worker(project):
        if now:
            return drive_board(project, (), as_json=as_json)
        terms = project.settings.board
        hours = f", hours {terms.hours}" if terms.hours else ""
        show = _show_json if as_json else say_of
        if as_json:
            logging.basicConfig(handlers=[_JsonLines()])
        show("", f"working on the board of {project.root.name}{hours}; stop with Ctrl-C")
        worker = _worker(project, show)
        asyncio.run(worker.until_signalled())
        return 0


def _worker(project: Project, show: Callable[[str, str], None]) -> StandingWorker:
    """Return a worker alone, or one beside those of other machines where the settings name a database."""
    from setpoint.app.runs.standing_worker import StandingWorker

    if not project.settings.database:
        return StandingWorker(project, project.settings.board, (), show)
    from setpoint.app.runs.team_worker import TeamWorker, abilities

    labels, lacks = abilities(project)
    can = f"takes stories for: {', '.join(labels)}" if labels else "can take no story"
    show("", f"{can}; lacks {lacks}" if lacks else can)
    if not labels:
        raise UsageError("this machine lacks what every story needs", hint="setpoint doctor")
    return TeamWorker(project, project.settings.board, (), show, labels=labels)


def _show_json(story: str, text: str) -> None:
    from datetime import UTC, datetime

    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    say(json.dumps({"at": at, "story": story, "text": text}))


class _JsonLines(logging.Handler):
    """Prints what is logged like the other lines."""

    def emit(self, record: logging.LogRecord) -> None:
        _show_json("", record.getMessage())


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Show which workers live and what each works on; exit 1 if that of this clone does not live."""
    from setpoint.app.runs.worker_status import worker_status
    from setpoint.wiring.project import open_project

    told = worker_status(open_project(Path.cwd()))
    if as_json:
        typer.echo(told.model_dump_json(indent=2))
    for each in () if as_json else told.workers:
        stories = ", ".join(f"{held.story} since {_clock(held.since)}" for held in each.stories)
        place = f"{each.host}, process {each.process}{' (here)' * each.here}"
        say(f"{place}, since {_clock(each.since)}: {stories or 'no story'}")
    if not (told.here or as_json):
        say("no worker lives in this clone; hint: setpoint work", err=True)
    return 0 if told.here else 1


def _clock(at: datetime) -> str:
    return f"{at.astimezone():%m-%d %H:%M}"


@app.command()
def report(
    since: Annotated[
        str, typer.Option(metavar="TIME", help="Of all since this local time, for example 2026-01-31T18:00.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Show what waits for you, what ended how, what came, and what it cost; default: in the last shift."""
    from setpoint.app.views.night import report_since
    from setpoint.wiring.project import open_project

    told = report_since(open_project(Path.cwd()), since)
    if as_json:
        typer.echo(told.model_dump_json(indent=2))
        return
    say(f"{'' if since else 'shift of '}{told.shift}: {told.headline}")
    for line in told.lines:
        say(line)
