"""`setpoint lab step`: run one phase, and show what comes next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.runs.step import StepOutcome
    from setpoint.errors import ExitCode
    from setpoint.model.run import RunOrder
    from setpoint.model.stories.board import Card
    from setpoint.wiring.project import Project


def step(
    which: Annotated[
        str,
        typer.Argument(help="A story by id or path, a run, or a request; default: the most urgent story."),
    ] = "",
    iteration: Annotated[
        bool, typer.Option("--iteration", help="Run all phases up to the next bounce instead of one phase.")
    ] = False,
    agent: Annotated[str, typer.Option("--agent", "-a", help="Agent to use in a new run.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done and what is next.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Run the next phase of a story and stop; completed phases are not repeated."""
    from setpoint.app.runs.step import take_step
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.live import shown
    from setpoint.stories.story_writer import story_notices
    from setpoint.wiring.project import open_project

    flags = {"agents": {"maker": agent}} if agent else None
    project = open_project(Path.cwd(), flags)
    project, order, card = _chosen(project, which, as_json=as_json)
    if order is None:
        return _nothing(card, as_json=as_json)
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)
    with shown(project, order, console, everything=everything):
        done = take_step(project, order, iteration=iteration)
    following = _card_of(project, order)
    code = _code(done)
    if as_json:
        told = {
            "run": order.trace_id,
            "story": order.story.id,
            "phases": done.phases,
            "next": following.action.model_dump(mode="json") if following else None,
            "outcome": done.outcome.model_dump(mode="json") if done.outcome else None,
            "exit_code": int(code),
        }
        typer.echo(json.dumps(told, indent=2))
        return code
    for notice in story_notices(order):
        console.print(f"story: {notice}", markup=False)
    if done.waits is not None:
        console.print(f"waits: {done.waits}", markup=False)
    console.print(f"done: {', '.join(done.phases) or 'nothing'}", markup=False)
    if following is not None:
        console.print(f"next: {following.action.shown}: {following.action.reason}", markup=False)
    return code


def _code(done: StepOutcome) -> ExitCode:
    from setpoint.app.runs.exit_codes import exit_code
    from setpoint.errors import ExitCode

    if done.outcome is not None:
        return exit_code(done.outcome.ending, done.outcome.branch)
    return ExitCode.WAITING if done.waits else ExitCode.OK


def _chosen(project: Project, which: str, *, as_json: bool) -> tuple[Project, RunOrder | None, Card | None]:
    """Return the order to work on, or the card of a story that cannot continue now."""
    from setpoint.app.runs.board import find_card, list_cards, story_folder
    from setpoint.app.runs.order import make_order, resolve_story
    from setpoint.cli.render.ready import made_ready
    from setpoint.wiring.project import find_run, recorded_order

    if which.startswith("run-") and story_folder(project).find(which) is None:
        run = find_run(project, which)
        return project, recorded_order(project, run.trace_id), None
    if which:
        story = resolve_story(project, which)
        path = story_folder(project).find(story.id)
        card = find_card(project, str(story.id)) if path is not None else None
    else:
        card = next(iter(list_cards(project)), None)
        if card is None:
            return project, None, None
        story = resolve_story(project, card.path)
    if card is None or card.action.kind == "start":
        project, order = made_ready(project, make_order(project, story), as_json=as_json)
        return project, order, card
    if not card.action.automatic or card.action.trace_id is None:
        return project, None, card
    return project, recorded_order(project, card.action.trace_id), card


def _card_of(project: Project, order: RunOrder) -> Card | None:
    from setpoint.app.runs.board import find_card, story_folder

    path = story_folder(project).find(order.story.id) if order.story_file else None
    return find_card(project, str(order.story.id)) if path is not None else None


def _nothing(card: Card | None, *, as_json: bool) -> int:
    """Print that nothing can be done without a person; return the exit code."""
    from setpoint.errors import ExitCode

    text = f"{card.id}: {card.action.shown}: {card.action.reason}" if card else "there are no stories yet"
    if as_json:
        following = card.action.model_dump(mode="json") if card else None
        told = {"run": card.run if card else None, "story": card.id if card else None}
        typer.echo(json.dumps({**told, "phases": [], "next": following, "outcome": None}, indent=2))
    else:
        say(f"nothing to do: {text}")
    kind = card.action.kind if card else "rest"
    return {"answer": ExitCode.WAITING, "look": ExitCode.STOPPED}.get(kind, ExitCode.OK)
