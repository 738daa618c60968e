"""`setpoint run`: drive work from a wish to a verified change, or work off the whole board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Reviews = Annotated[
    list[str] | None,
    typer.Option(help="A kind of review: code, spec, security, product; may be given again."),
]


def run(
    called: typer.Context,
    what: Annotated[
        str, typer.Argument(help="What is wanted, in a sentence, or a story by its id or path.")
    ] = "",
    auto: Annotated[bool, typer.Option("--auto", help="Work off the board, most urgent first.")] = False,
    jobs: Annotated[int | None, typer.Option(help="With --auto: stories at once.")] = None,
    max_stories: Annotated[int | None, typer.Option(help="With --auto: stories taken up at most.")] = None,
    agent: Annotated[str, typer.Option("--agent", "-a", help="Who does it: see `setpoint agents`.")] = "",
    agents: Annotated[str, typer.Option(help="Several who try it, as a,b,c: the best goes on.")] = "",
    attempts: Annotated[int | None, typer.Option(help="How many tries: the best goes on.")] = None,
    reviewer: Annotated[str, typer.Option(help="Who reviews it.")] = "",
    review: Reviews = None,
    base: Annotated[str, typer.Option(help="The commit to start from.")] = "HEAD",
    accept: Annotated[
        list[str] | None, typer.Option(help="A command that must exit 0; may be given again.")
    ] = None,
    max_iterations: Annotated[int | None, typer.Option(help="Full passes at most (10 is the cap).")] = None,
    max_cost: Annotated[str, typer.Option(help="US dollars at most.")] = "",
    max_minutes: Annotated[float | None, typer.Option(help="Minutes at most.")] = None,
    preset: Annotated[str, typer.Option(help="Limits: default or classic.")] = "",
    known_red: Annotated[str, typer.Option(help="Tests that fail already: auto, fix or tolerate.")] = "",
    integrity: Annotated[str, typer.Option(help="Existing tests are read-only, append-only or free.")] = "",
    on_limit: Annotated[str, typer.Option(help="At a limit: manual (ask a person), error or skip.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Drive an agent until the work is verified or a guard stops it; the result is a branch with evidence."""
    from setpoint import wiring
    from setpoint.cli.auto import work_off
    from setpoint.cli.live import follow

    _either(what, auto=auto)
    flags = {
        "agents": _makers(agent, agents, attempts) | _given({"reviewer": reviewer, "reviews": review}),
        "limits": _limits(max_iterations, max_cost, max_minutes),
        "preset": preset,
        "known_red": known_red,
        "integrity": _given({"mode": integrity}),
        "escalation": _given({"on_limit": on_limit}),
        "board": _given({"jobs": jobs, "max_stories": max_stories}),
    }
    project = wiring.open_project(Path.cwd(), _given(flags))
    wiring.notice_deliveries(project)
    if auto:
        own = {"--auto", "--jobs", "--max-stories", "--json"}
        return work_off(project, _words(called, leaving=own), as_json=as_json)
    story = wiring.story(project, what, tuple(accept or ()))
    order = wiring.order(project, story, base)
    return follow(project, order, as_json=as_json, everything=everything)


def _either(what: str, *, auto: bool) -> None:
    from setpoint.errors import UsageError

    if auto == bool(what):
        message = "a wish and --auto exclude each other" if auto else "neither a wish nor --auto is given"
        raise UsageError(message, mend='setpoint run "what you want", or: setpoint run --auto')


def _makers(agent: str, agents: str, attempts: int | None) -> dict[str, Any]:
    from setpoint.errors import UsageError

    names = [name.strip() for name in agents.split(",") if name.strip()]
    if names and agent:
        raise UsageError("--agent and --agents exclude each other", mend="name all of them with --agents")
    # One who is asked for goes before several of the settings.
    candidates = names or ([] if agent else None)
    return _given({"maker": agent, "candidates": candidates, "attempts": attempts})


def _limits(iterations: int | None, cost: str, minutes: float | None) -> dict[str, Any]:
    seconds = minutes * 60 if minutes is not None else None
    return _given({"max_iterations": iterations, "max_cost_usd": cost, "max_wall_s": seconds})


def _given(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value not in ("", None, {})}


def _words(called: typer.Context, leaving: set[str]) -> tuple[str, ...]:
    """Give the flags that were typed as words again, for the processes that work on one story each."""
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
