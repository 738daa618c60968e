"""The runner with which the tests of scripts are judged: found from a commit, before a tree is measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from setpoint.checks.cover.script_reach import scripts_within
from setpoint.checks.cover.scripts import ScriptCover
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.program import MENDS, found_program
from setpoint.checks.discovery.project import layout_at
from setpoint.checks.run import Group
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.model.cover import CoverGoals
from setpoint.presets import presets
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.git.git import head

RUNNERS = ("vitest", "jest", "node_test")
"""Runners of scripts, the first that a project uses judges."""


def covering_scripts(groups: Iterable[Group], goals: CoverGoals, files: Iterable[str]) -> Iterator[Group]:
    """Make the check of covered scripts, by the runner among the groups; none where no script is named."""
    wanted = scripts_within(goals.paths, tuple(files)) if goals.paths else ()
    if not wanted:
        return
    checks = [check for group in groups for check in group.checks]
    suites = [each for each in checks if isinstance(each, PackageSuite) and each.name in RUNNERS]
    for suite in suites[:1]:
        yield Group(checks=(ScriptCover(suite=suite, goals=goals, files=wanted),), identity=None)


async def script_suite(
    root: Path, place: Path, settings: Settings, artifacts: Artifacts, cache: Path
) -> PackageSuite | str:
    """Find the runner of scripts that a tree uses; says why there is none."""
    return await found_suite(root, place, settings, artifacts, cache, RUNNERS)


async def found_suite(
    root: Path, place: Path, settings: Settings, artifacts: Artifacts, cache: Path, runners: tuple[str, ...]
) -> PackageSuite | str:
    """Find the first of some runners that a tree at `place`, a copy of the user's at `root`, uses."""
    checks = settings.checks
    layout = await layout_at(place, await head(place))
    used = [
        name
        for name in runners
        if checks.tool(name).use is True or (checks.tool(name).use == "auto" and name in layout.suites)
    ]
    if not used:
        if runners != RUNNERS:
            return f"no tests were found that {runners[0]} runs"
        return (
            "no script of package.json runs vitest, jest or node --test, by which tests could be judged; "
            "switch one on, for example checks.vitest = true"
        )
    name = used[0]
    preset, interpreter = presets()[name], await find_interpreter(root, checks)
    program = await found_program(preset, interpreter, interpreter, root, layout.package_folders)
    if program is None:
        return f"{name} is not installed; {MENDS[preset.via]}"
    if program.fault:
        return f"{name} cannot be used: {program.fault}"
    found = layout.suites.get(name)
    return PackageSuite(
        name=name,
        preset=preset,
        program=program,
        project=interpreter,
        root=root,
        folders=found.folders if found else ("",),
        cache=str(cache / name.partition("_")[0]),
        artifacts=artifacts,
        timeout_s=checks.timeout_s,
        asked=checks.tool(name),
    )
