"""`setpoint run`: turn a request into a verified change, or work through the board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Reviews = Annotated[
    list[str] | None,
    typer.Option(help="Kind of review: code, spec, security or product; repeatable."),
]


def run(
    called: typer.Context,
    what: Annotated[
        str, typer.Argument(help="The request in one sentence, or the id or path of a story.")
    ] = "",
    auto: Annotated[bool, typer.Option("--auto", help="Work through the board by priority.")] = False,
    jobs: Annotated[int | None, typer.Option(help="With --auto: number of stories in parallel.")] = None,
    max_stories: Annotated[int | None, typer.Option(help="With --auto: maximum number of stories.")] = None,
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="Agent to use (list them with `setpoint agents`).")
    ] = "",
    agents: Annotated[
        str, typer.Option(help="Comma-separated agents to race; the best result continues.")
    ] = "",
    attempts: Annotated[
        int | None, typer.Option(help="Number of parallel attempts; the best result continues.")
    ] = None,
    reviewer: Annotated[str, typer.Option(help="Agent that reviews the change.")] = "",
    review: Reviews = None,
    base: Annotated[str, typer.Option(help="Commit to start from.")] = "HEAD",
    accept: Annotated[
        list[str] | None, typer.Option(help="Acceptance command that must exit 0; repeatable.")
    ] = None,
    hidden: Annotated[
        list[str] | None,
        typer.Option(
            help="File of tests that the maker must not read, kept outside the repository; FILE=PATH says "
            "where in the tree it is run; repeatable.",
            metavar="FILE",
        ),
    ] = None,
    may_change: Annotated[
        list[str] | None,
        typer.Option(
            help="File or folder that the work may change and whose tests it may contradict; repeatable.",
            metavar="PATH",
        ),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            help="Goal for one metric: METRIC=gate, =advice, =off, =0.8 or =base; repeatable.",
            metavar="METRIC=GOAL",
        ),
    ] = None,
    max_iterations: Annotated[
        int | None, typer.Option(help="Maximum number of iterations (at most 10).")
    ] = None,
    max_cost: Annotated[str, typer.Option(help="Cost limit in US dollars.")] = "",
    max_minutes: Annotated[float | None, typer.Option(help="Time limit in minutes.")] = None,
    preset: Annotated[str, typer.Option(help="Preset of limits: default or classic.")] = "",
    known_red: Annotated[str, typer.Option(help="Tests that fail at the base: auto, fix or tolerate.")] = "",
    kind: Annotated[
        str, typer.Option(help="Kind of work: behaviour, repair, refactor, tests, docs or chore.")
    ] = "",
    integrity: Annotated[
        str, typer.Option(help="Existing tests: both (run old and new) or read-only (edits are restored).")
    ] = "",
    on_limit: Annotated[
        str, typer.Option(help="What to do at a limit: manual (ask a person), error or skip.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Run an agent until its change is verified or a guard stops it.

    The result is a branch with evidence.
    """
    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.runs.options import RunOptions, given, settings_of
    from setpoint.app.runs.order import make_order, resolve_story
    from setpoint.cli.render.board_progress import drive_board
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.cli.render.live import follow
    from setpoint.cli.render.ready import made_ready
    from setpoint.wiring.project import open_project

    _either(what, auto=auto)
    options = RunOptions(
        agent=agent,
        agents=_names(agents, agent),
        attempts=attempts,
        reviewer=reviewer,
        reviews=review,
        max_iterations=max_iterations,
        max_cost_usd=max_cost,
        max_minutes=max_minutes,
        preset=preset,
        known_red=known_red,
        integrity=integrity,
        on_limit=on_limit,
    )
    board = given({"jobs": jobs, "max_stories": max_stories})
    project = open_project(Path.cwd(), given({**settings_of(options), "board": board}))
    notice_deliveries(project)
    if auto:
        own = {"--auto", "--jobs", "--max-stories", "--json"}
        return drive_board(project, _flag_arguments(called, leaving=own), as_json=as_json)
    if may_change:
        confirm(project)
    story = resolve_story(
        project, what, tuple(accept or ()), kind, tuple(may_change or ()), tuple(goal or ())
    )
    unread = tuple(str(Path.cwd() / Path(each).expanduser()) for each in hidden or ())
    story = story.model_copy(update={"accept_hidden": (*story.accept_hidden, *unread)})
    project, order = made_ready(project, make_order(project, story, base), as_json=as_json)
    return follow(project, order, as_json=as_json, everything=everything)


def _either(what: str, *, auto: bool) -> None:
    from setpoint.errors import UsageError

    if auto == bool(what):
        message = (
            "a request and --auto exclude each other" if auto else "neither a request nor --auto is given"
        )
        raise UsageError(message, hint='setpoint run "what you want", or: setpoint run --auto')


def _names(agents: str, agent: str) -> list[str]:
    from setpoint.errors import UsageError

    names = [name.strip() for name in agents.split(",") if name.strip()]
    if names and agent:
        raise UsageError("--agent and --agents exclude each other", hint="name all of them with --agents")
    return names


def _flag_arguments(called: typer.Context, leaving: set[str]) -> tuple[str, ...]:
    """Return the given flags as arguments for the process of each story."""
    words: list[str] = []
    for parameter in called.command.params:
        name, value = parameter.opts[0], called.params.get(str(parameter.name))
        if parameter.param_type_name != "option" or name in leaving or value in (None, "", parameter.default):
            continue
        if isinstance(value, bool):
            words.append(name)
        else:
            given = value if isinstance(value, list | tuple) else [value]
            words += [word for each in given for word in (name, str(each))]
    return tuple(words)
