"""`setpoint step`: do one thing, and say what comes next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say

if TYPE_CHECKING:
    from setpoint.domain.board import Card
    from setpoint.domain.run import RunOrder
    from setpoint.wiring import Project


def step(
    which: Annotated[
        str,
        typer.Argument(
            help="A story by id or path, a run, or a wish; what is most urgent where none is given."
        ),
    ] = "",
    iteration: Annotated[
        bool, typer.Option("--iteration", help="Do all phases up to the next bounce, not one phase.")
    ] = False,
    agent: Annotated[str, typer.Option("--agent", "-a", help="Who makes the change, in a new run.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done and what is next.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Do the next phase of a story and stop; nothing that is done is done again."""
    from setpoint import wiring
    from setpoint.cli.live import EXIT, shown
    from setpoint.cli.screen import Screen
    from setpoint.errors import ExitCode

    flags = {"agents": {"maker": agent}} if agent else None
    project = wiring.open_project(Path.cwd(), flags)
    order, card = _chosen(project, which)
    if order is None:
        return _nothing(card, as_json=as_json)
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)
    with shown(project, order, console, everything=everything):
        done = wiring.step(project, order, iteration=iteration)
    following = _card_of(project, order)
    code = EXIT[done.outcome.ending] if done.outcome else ExitCode.WAITING if done.waits else ExitCode.OK
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
    for remark in wiring.remarks(order):
        console.print(f"story: {remark}", markup=False)
    if done.waits is not None:
        console.print(f"waits: {done.waits}", markup=False)
    console.print(f"done: {', '.join(done.phases) or 'nothing'}", markup=False)
    if following is not None:
        console.print(f"next: {following.action.shown}: {following.action.reason}", markup=False)
    return code


def _chosen(project: Project, which: str) -> tuple[RunOrder | None, Card | None]:
    """Find what is to be worked on: the order, or the story of which nothing can be done now."""
    from setpoint import wiring

    if which.startswith("run-") and wiring.shelf(project).find(which) is None:
        run = wiring.find_run(project, which)
        return wiring.recorded_order(project, run.trace_id), None
    if which:
        story = wiring.story(project, which)
        path = wiring.shelf(project).find(story.id)
        card = wiring.card(project, str(story.id)) if path is not None else None
    else:
        card = next(iter(wiring.cards(project)), None)
        if card is None:
            return None, None
        story = wiring.story(project, card.path)
    if card is None or card.action.kind == "start":
        return wiring.order(project, story), card
    if not card.action.automatic or card.action.trace_id is None:
        return None, card
    return wiring.recorded_order(project, card.action.trace_id), card


def _card_of(project: Project, order: RunOrder) -> Card | None:
    from setpoint import wiring

    path = wiring.shelf(project).find(order.story.id) if order.story_file else None
    return wiring.card(project, str(order.story.id)) if path is not None else None


def _nothing(card: Card | None, *, as_json: bool) -> int:
    """Say that nothing can be done without a person, and give the exit code."""
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
