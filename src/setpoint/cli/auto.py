"""Showing how the board is worked off: a line for each event of each story, and a summary."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.markup import escape

from setpoint import wiring
from setpoint.cli.screen import Screen
from setpoint.domain.ids import StoryId
from setpoint.errors import ExitCode


def work_off(project: wiring.Project, flags: tuple[str, ...], *, as_json: bool) -> int:
    """Work off the board and show what happens; gives the exit code. With JSON, progress goes to stderr."""
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)

    def say(story: StoryId, text: str) -> None:
        console.print(f"[bold]{escape(f'[{story}]')}[/bold] {escape(text)}")

    outcome = wiring.work_off(project, project.settings.board, flags, say)
    if as_json:
        told = {**outcome.model_dump(mode="json"), "exit_code": int(outcome.exit_code)}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        _summary(console, outcome)
    return outcome.exit_code


def _summary(console: Console, outcome: wiring.BoardOutcome) -> None:
    if not outcome.worked:
        console.print("nothing on the board that needs no person", markup=False)
    for each in outcome.worked:
        good = each.exit_code == ExitCode.OK
        text = f"{each.story}: {each.status}" + (f", {each.reason}" if each.reason and not good else "")
        branch = f" (branch {each.branch})" if each.branch else ""
        console.print(f"{text}{branch}", style="green" if good else "yellow", markup=False)
    if outcome.stopped:
        console.print(f"stopped: {outcome.stopped}", style="yellow", markup=False)
    for card in outcome.left:
        console.print(f"left: {card.id}: {card.action.shown}: {card.action.reason}", markup=False)
