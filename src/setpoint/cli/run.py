"""`setpoint run`: drive work from a wish to a verified change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def run(
    what: Annotated[str, typer.Argument(help="What is wanted, in a sentence, or the path of a story file.")],
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="Who makes the change; see `setpoint agents`.")
    ] = "",
    reviewer: Annotated[str, typer.Option(help="Who reviews it.")] = "",
    review: Annotated[
        list[str] | None,
        typer.Option(help="A kind of review: code, spec, security, product; may be given again."),
    ] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Drive an agent until the work is verified or a guard stops it; the result is a branch with evidence."""
    from setpoint import wiring
    from setpoint.cli.live import follow

    limits: dict[str, Any] = {
        "max_iterations": max_iterations,
        "max_cost_usd": max_cost or None,
        "max_wall_s": max_minutes * 60 if max_minutes is not None else None,
    }
    flags = _given(
        {
            "agents": _given({"maker": agent, "reviewer": reviewer, "reviews": review}),
            "limits": _given(limits),
            "preset": preset,
            "known_red": known_red,
            "integrity": _given({"mode": integrity}),
        }
    )
    project = wiring.open_project(Path.cwd(), flags)
    story = wiring.story(project, what, tuple(accept or ()))
    order = wiring.order(project, story, base)
    return follow(project, order, as_json=as_json, everything=everything)


def _given(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value not in ("", None, {})}
