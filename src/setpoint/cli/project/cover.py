"""`setpoint cover`: write tests for files until they reach the coverage goals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def cover(
    paths: Annotated[list[str], typer.Argument(help="Files or folders to write tests for.")],
    agent: Annotated[
        str,
        typer.Option("--agent", "-a", help="Agent that writes the tests (list them with `setpoint agents`)."),
    ] = "generator",
    beside: Annotated[
        list[str] | None,
        typer.Option("--with", help="Another agent, or pynguin, that writes tests in parallel; repeatable."),
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(min=0, max=1, help="Goal: share of lines and branches covered.")
    ] = None,
    success: Annotated[
        float | None, typer.Option(min=0, max=1, help="Goal: share of tests that pass.")
    ] = None,
    quality: Annotated[float | None, typer.Option(min=0, max=1, help="Goal: weighted quality.")] = None,
    mutation: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Goal: share of mutants killed; without it, only measured."),
    ] = None,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Raise the goals for simple code, lower them for complex code.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=1, help="Seconds of test generation per iteration.")
    ] = None,
    max_iterations: Annotated[int, typer.Option(min=1, max=10, help="Maximum number of iterations.")] = 3,
    base: Annotated[str, typer.Option(help="Commit to start from.")] = "HEAD",
    on_limit: Annotated[
        str, typer.Option(help="What to do at a limit: manual (ask a person), error or skip.")
    ] = "error",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Write tests for files until they reach the coverage goals.

    The result is a branch with individually evaluated tests.
    """
    from setpoint.app.cover.order import cover_order
    from setpoint.cli.render.live import follow

    goals = {
        "coverage": coverage,
        "success": success,
        "quality": quality,
        "mutation": mutation,
        "adaptive": adaptive or None,
        "budget_s": budget,
        "strategies": beside or None,
    }
    flags: dict[str, Any] = {
        "agents": {"maker": agent},
        "limits": {"max_iterations": max_iterations},
        "escalation": {"on_limit": on_limit},
        "cover": {name: value for name, value in goals.items() if value is not None},
    }
    project, order = cover_order(Path.cwd(), tuple(paths), flags, base)
    return follow(project, order, as_json=as_json, everything=everything)
