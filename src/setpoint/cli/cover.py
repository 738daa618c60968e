"""`setpoint cover`: tests for code that has too few, until they reach enough of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def cover(
    paths: Annotated[list[str], typer.Argument(help="Python files or folders that need tests.")],
    agent: Annotated[str, typer.Option("--agent", "-a", help="Who writes them.")] = "generator",
    beside: Annotated[
        list[str] | None, typer.Option("--with", help="Who else writes, at once: any agent, or pynguin.")
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(min=0, max=1, help="Lines and branches to be reached.")
    ] = None,
    success: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of tests that has to pass.")
    ] = None,
    quality: Annotated[float | None, typer.Option(min=0, max=1, help="The weighted quality.")] = None,
    mutation: Annotated[
        float | None, typer.Option(min=0, max=1, help="Mutants to be noticed; else only measured.")
    ] = None,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Ask more of simple code, less of complicated code.")
    ] = False,
    budget: Annotated[float | None, typer.Option(min=1, help="Seconds to search in one iteration.")] = None,
    max_iterations: Annotated[int, typer.Option(min=1, max=10, help="Design iterations at most.")] = 3,
    base: Annotated[str, typer.Option(help="The commit to start from.")] = "HEAD",
    on_limit: Annotated[
        str, typer.Option(help="At a limit: manual (ask a person), error or skip.")
    ] = "error",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--verbose", "-v", help="Show every event.")] = False,
) -> int:
    """Write tests until they reach enough; the result is a branch with tests that were judged one by one."""
    from setpoint import wiring
    from setpoint.cli.live import follow

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
    project, order = wiring.cover_order(Path.cwd(), tuple(paths), flags, base)
    return follow(project, order, as_json=as_json, everything=everything)
