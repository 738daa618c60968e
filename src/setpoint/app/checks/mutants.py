"""Mutants of the user's tree, asked for from the command line."""

from __future__ import annotations

import asyncio
import re

from setpoint.checks.mutation.tree import Wanted
from setpoint.checks.mutation.tree import mutate as judge
from setpoint.errors import UsageError
from setpoint.model.mutation import MutationReport
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks

_LINES = re.compile(r"(\d+)(?:-(\d+))?")


def measure_mutants(
    project: Project, paths: tuple[str, ...], lines: str = "", *, budget_s: float | None = None, jobs: int = 0
) -> MutationReport:
    """Judge the mutants of files, of lines (`10` or `10-40`) of one file, or of what the tree changes."""
    wanted = Wanted(
        paths=paths,
        lines=_span(lines) if lines else None,
        budget_s=budget_s or project.settings.checks.mutation_budget_s,
        jobs=jobs,
    )
    return asyncio.run(_held(project, wanted))


async def _held(project: Project, wanted: Wanted) -> MutationReport:
    """Judge them as the settings ask for checks: mutants are code that nobody has read."""
    async with held_checks(project, project.settings):
        return await judge(project.folders, project.settings, wanted)


def _span(lines: str) -> range:
    found = _LINES.fullmatch(lines)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not 0 < first <= last:
        raise UsageError(f"--lines {lines!r} names no lines", hint="for example: --lines 10-40")
    return range(first, last + 1)
