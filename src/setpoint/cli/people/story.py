"""`setpoint story`: write stories, list the board, change keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.model.stories.board import Card
    from setpoint.wiring.project import Project

app = typer.Typer(
    name="story", no_args_is_help=True, help="Write stories; show the board with the next action of each."
)

_JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def new(
    request: Annotated[str, typer.Argument(help="The request: a title, and any details below it.")],
    priority: Annotated[int | None, typer.Option(help="Higher is more urgent; default 100.")] = None,
    accept: Annotated[
        list[str] | None, typer.Option(help="Acceptance command that must exit 0; repeatable.")
    ] = None,
    backlog: Annotated[bool, typer.Option("--backlog", help="Keep the story in the backlog.")] = False,
    as_json: _JSON = False,
) -> None:
    """Write a story file; the same request gives the same file."""
    from setpoint.app.runs.board import add_story
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    story, path = add_story(
        project,
        request,
        priority=priority,
        acceptance=list(accept or ()) or None,
        status="backlog" if backlog else None,
    )
    say(json.dumps({"id": story.id, "path": str(path)}, indent=2) if as_json else f"{story.id}: {path}")


@app.command()
def check(
    which: Annotated[
        list[str] | None, typer.Argument(help="Stories, by id, file name or path; default: all.")
    ] = None,
) -> int:
    """Check story files without running anything; exit code 1 where one cannot be run as it is written."""
    from setpoint.app.runs.board import story_path
    from setpoint.app.runs.story_files import check_stories
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    only = [Path(each) if Path(each).is_file() else story_path(project, each) for each in which or ()]
    found = check_stories(project, only)
    faults = [fault.replace("; hint: ", "\n  hint: ") for fault in found.values() if fault]
    say("\n".join([*faults, f"checked: {len(found)}, wrong: {len(faults)}"]))
    return int(bool(faults))


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(help="Markdown file with a section for each story, or YAML file with a list.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")] = False,
) -> None:
    """Write a file for each story of one file, all or none; stories that exist are not changed."""
    from setpoint.app.runs.story_files import import_stories
    from setpoint.wiring.project import open_project

    fates = import_stories(open_project(Path.cwd()), file, dry_run=dry_run)
    for each, fate in fates:
        say(f"{fate:<11}{each.story.id}: {each.path if fate == 'new' else each.story.title}")
    new, said = [fate for _, fate in fates].count("new"), "would be written" if dry_run else "written"
    say(f"{said}: {new} of {len(fates)}; what exists stays as it is")


@app.command("list")
def list_(
    as_json: _JSON = False,
    all_: Annotated[bool, typer.Option("--all", help="Include completed stories.")] = False,
) -> None:
    """List the stories by column, each with its next action and the reason."""
    from setpoint.app.runs.overlaps import cards_with_overlaps
    from setpoint.model.stories.story import Status
    from setpoint.wiring.project import open_project

    every = cards_with_overlaps(open_project(Path.cwd()))
    cards = [each for each in every if all_ or each.status != "done"]
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in cards], indent=2))
        return
    if cards:
        columns = list(Status)
        _table(sorted(cards, key=lambda each: columns.index(each.status)))
    else:
        say('no open stories; hint: setpoint story new "what you want"')
    for each in every:
        for other in each.overlaps:
            if each.id < other.story:
                say(f"overlap: {each.id} and {other.story} conflict in {', '.join(other.files)}")


def _table(cards: list[Card]) -> None:
    from rich.table import Table

    from setpoint.cli.render.console import Screen

    table = Table(box=None, pad_edge=False)
    for name in ("story", "status", "priority", "refinement", "next", "why"):
        table.add_column(name, no_wrap=name in ("story", "status"), overflow="fold")
    for each in cards:
        edited = " (edited since its run began)" if each.edited else ""
        why = f"{each.action.reason}{edited}"
        table.add_row(each.id, each.status, str(each.priority), _count(each), each.action.shown, why)
    Screen(soft_wrap=True, markup=False).print(table)


@app.command("next")
def next_(as_json: _JSON = False) -> None:
    """Show the most urgent next action with its reason."""
    from setpoint.app.runs.board import list_cards
    from setpoint.wiring.project import open_project

    cards = list_cards(open_project(Path.cwd()))
    first = next((each for each in cards if each.action.priority > 0), None)
    if as_json:
        typer.echo(json.dumps(first.model_dump(mode="json") if first else None, indent=2))
    elif first is None:
        say("nothing to do")
    else:
        action = first.action
        say(f"{first.id}: {action.shown} (priority {action.priority}): {action.reason}")


@app.command()
def show(
    which: Annotated[str, typer.Argument(help="Story id or file name.")], as_json: _JSON = False
) -> None:
    """Show one story: its status, its runs and every bounce."""
    from setpoint.app.runs.board import runs_of_story, story_path
    from setpoint.app.runs.overlaps import cards_with_overlaps
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    path = str(story_path(project, which))
    card = next(each for each in cards_with_overlaps(project) if each.path == path)
    if as_json:
        runs: list[dict[str, Any]] = []
        for run, standing in runs_of_story(project, card.id):
            refinements = [each.model_dump(mode="json") for each in standing.refinements]
            runs.append({**run.model_dump(mode="json"), "refinements": refinements})
        typer.echo(json.dumps({**card.model_dump(mode="json"), "runs": runs}, indent=2))
        return
    say(f"{card.id}: {card.title}\nfile:       {card.path}\nstatus:     {card.status}")
    say(f"priority:   {card.priority}\nrefinement: {_count(card) or '0'}")
    for name, value in (("branch", card.branch), ("error", card.fault or card.last_error)):
        if value:
            say(f"{name + ':':<12}{value}")
    for other in card.overlaps:
        say(f"overlap:    conflicts with {other.story} in {', '.join(other.files)}")
    if card.edited:
        say(f"edited:     since the start of {card.run}, which used the earlier text")
    say(f"next:       {card.action.shown}: {card.action.reason}")
    if not card.fault:
        _history(project, card)


def _history(project: Project, card: Card) -> None:
    from setpoint.app.runs.board import runs_of_story

    for run, standing in runs_of_story(project, card.id):
        ended = f"{run.ending}: {run.reason}" if run.ending else str(run.state)
        say(f"\n{run.trace_id} ({run.started_at:%Y-%m-%d %H:%M}Z): {ended}")
        say(f"  done: {', '.join(standing.complete) or 'nothing'}")
        for entry, reason in zip(standing.refinements, standing.reasons, strict=True):
            count = f"{entry.iteration}/{standing.limit}"
            say(f"  {count} {entry.started_at} to {entry.agent_type} ({entry.result})")
            say(f"      {entry.review_feedback}\n      {reason}")


@app.command("set")
def set_(
    which: Annotated[str, typer.Argument(help="Story id or file name.")],
    assignments: Annotated[
        list[str], typer.Argument(help="key=value with the value in YAML; key= removes the key.")
    ],
) -> None:
    """Change keys of a story's front matter; the rest of the file is not changed."""
    from setpoint.app.runs.board import find_card, set_keys
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    file = set_keys(project, which, tuple(assignments))
    card = find_card(project, file.path.name)
    say(f"{card.id}: {card.status}; next: {card.action.shown}: {card.action.reason}")


def _count(card: Card) -> str:
    limit = card.refinement_limit
    return f"{card.refinement_count}/{limit}" if limit is not None and card.refinement_count else ""
