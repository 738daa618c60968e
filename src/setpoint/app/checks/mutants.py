"""Mutants of the user's tree, asked for from the command line."""

from __future__ import annotations

import asyncio
import re

from setpoint.app.checks.mutation_tools import demand, stryker_for
from setpoint.checks.cover.compiled_mutants import TOOLS, compiled_mutants
from setpoint.checks.cover.script_mutants import script_mutants
from setpoint.checks.mutation.check import is_source
from setpoint.checks.mutation.tree import Wanted, relative
from setpoint.checks.mutation.tree import mutate as judge
from setpoint.checks.parsing import is_script, suffix_of
from setpoint.errors import UsageError
from setpoint.model.mutation import MutationReport
from setpoint.system.git.git import ask
from setpoint.system.processes import without_network
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks

_LINES = re.compile(r"(\d+)(?:-(\d+))?")


def measure_mutants(
    project: Project,
    paths: tuple[str, ...],
    lines: str = "",
    *,
    budget_s: float | None = None,
    jobs: int = 0,
    install: bool = False,
) -> MutationReport:
    """Judge the mutants of files, of lines (`10` or `10-40`) of one file, or of what the tree changes.

    With `install` Stryker is installed in Setpoint's own folder, where scripts are judged and it is missing.
    """
    wanted = Wanted(
        paths=paths,
        lines=_span(lines) if lines else None,
        budget_s=budget_s or project.settings.checks.mutation_budget_s,
        jobs=jobs,
    )
    return asyncio.run(_held(project, wanted, install=install))


async def _held(project: Project, wanted: Wanted, *, install: bool) -> MutationReport:
    """Judge them as the settings ask for checks: mutants are code that nobody has read."""
    files = await _files(project, wanted.paths)
    folders, settings = project.folders, project.settings
    suffix = "" if any(map(is_source, files)) else next(filter(None, map(suffix_of, files)), "")
    stryker = await stryker_for(files, install=install) if is_script(suffix) else None
    if suffix in TOOLS:
        demand(TOOLS[suffix], files)
    async with held_checks(project, settings), without_network():
        if stryker is not None:
            return await script_mutants(folders, settings, wanted, stryker)
        if suffix in TOOLS:
            return await compiled_mutants(folders, settings, wanted, suffix)
        return await judge(folders, settings, wanted)


async def _files(project: Project, paths: tuple[str, ...]) -> list[str]:
    """Return the files that are named, or all that differ from the commit, so far as git knows them."""
    if paths:
        named = (relative(project.root, path) for path in paths)
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *named)
        listed = await ask(project.root, "--literal-pathspecs", *words)
        known = [file for file in listed.stdout.decode("utf-8", "surrogateescape").split("\0") if file]
        if not known:
            raise UsageError(
                f"{', '.join(paths)}: git knows no file there", hint="name files or folders of the repository"
            )
        return known
    changed = await ask(project.root, "diff", "--name-only", "-z", "HEAD")
    others = await ask(project.root, "ls-files", "-z", "--others", "--exclude-standard")
    told = (changed.stdout + others.stdout).decode("utf-8", "surrogateescape")
    return [file for file in told.split("\0") if file]


def _span(lines: str) -> range:
    found = _LINES.fullmatch(lines)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not 0 < first <= last:
        raise UsageError(f"--lines {lines!r} names no lines", hint="for example: --lines 10-40")
    return range(first, last + 1)
