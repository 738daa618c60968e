"""Show progress on the board: a line for each event of each story, and a summary."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape

from setpoint.app.landing.standing import landing_standing
from setpoint.app.runs.worker_pool import BoardOutcome, work_through
from setpoint.cli.render.console import Screen
from setpoint.cli.render.presenter import has_live_part
from setpoint.cli.render.room import MOST_ROWS
from setpoint.errors import ExitCode
from setpoint.model.ids import StoryId
from setpoint.wiring.project import Project


def drive_board(project: Project, flags: tuple[str, ...], *, as_json: bool) -> int:
    """Work through the board, show progress, and return the exit code. With JSON, progress goes to stderr."""
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)

    block, newest, live = console.status("looking at the board"), dict[StoryId, str](), has_live_part(console)

    def say(story: StoryId, text: str) -> None:
        newest[story] = f"[bold]{escape(f'[{story}]')}[/bold] {escape(text)}"
        if live:  # a row for each story, in place of all the lines of its run
            block.update("\n".join(list(newest.values())[-MOST_ROWS:]))
        else:
            console.print(newest[story])

    begun = datetime.now(UTC)
    with block if live else nullcontext():
        outcome = work_through(project, project.settings.board, flags, say)
    if as_json:
        told = {**outcome.model_dump(mode="json"), "exit_code": int(outcome.exit_code)}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        _summary(console, outcome)
        for line in landing_standing(project, begun).lines:
            console.print(line, style="bold" if line.startswith("land:") else None, markup=False)
    return outcome.exit_code


def _summary(console: Console, outcome: BoardOutcome) -> None:
    if not outcome.worked:
        console.print("no story on the board can continue without a person", markup=False)
    for each in outcome.worked:
        good = each.exit_code == ExitCode.OK
        text = f"{each.story}: {each.status}" + (f", {each.reason}" if each.reason and not good else "")
        branch = f" (branch {each.branch})" if each.branch else ""
        console.print(f"{text}{branch}", style="green" if good else "yellow", markup=False)
    if outcome.stopped:
        console.print(f"stopped: {outcome.stopped}", style="yellow", markup=False)
    for card in outcome.left:
        console.print(f"left: {card.id}: {card.action.shown}: {card.action.reason}", markup=False)
