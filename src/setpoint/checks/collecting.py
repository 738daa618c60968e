"""Trying whether a project's tests start: they are collected as the checks would run them, and not run."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.package_suites import fits
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.unstartable import unstartable, unstartable_script
from setpoint.checks.measurement import furnish
from setpoint.checks.plan import Plan
from setpoint.checks.results import tail
from setpoint.checks.suites.outside_pattern import outside_pattern
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite, suite_of
from setpoint.checks.suites.pytest import run_once
from setpoint.checks.tools.custom import argv_of
from setpoint.model.evidence import OWN_TESTS
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.model.wording import counted, shortened
from setpoint.ports import Measured
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts

COLLECT_S = 12.0
"""Seconds within which a runner has to list its tests, here where they are not run."""
_STORY = Story(id=StoryId("doctor"), title="Whether the tests start")
_NO_TESTS = 5
_MOST_NAMED = 3
_MOST_WORDS = 300


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What a runner of tests answered when it was asked which tests there are."""

    name: str
    """Of the check."""
    found: str = ""
    """What it collected, in words."""
    problem: str = ""
    """What is wrong, with a hint; empty where nothing is."""
    needed: bool = False
    """Whether no test at all can run for that."""


async def collect(
    project: Project, place: Measured, settings: Settings, artifacts: Artifacts
) -> tuple[Collected, ...]:
    """Collect the tests of every runner of a project that is checked out."""
    await furnish(project, Path(place.copy.path))
    with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
        scratch = Path(folder)
        plan = Plan(
            project=project,
            settings=settings,
            artifacts=artifacts,
            story=_STORY,
            scratch=scratch,
            cache=scratch / "tools",
            shared=scratch / "shared",
        )
        return await _collected(plan, place)


def commands_that_cannot_start(project: Project, place: Path, settings: Settings) -> dict[str, str]:
    """Say why commands of the settings and of the project's people cannot start, by what names them."""
    path = environment(project.interpreter, place, project.layout.imports)["PATH"]
    found = {
        f"check.{name}": unstartable(argv_of(asked, project.interpreter), path, place)
        for name, asked in settings.check.items()
    }
    for own in project.layout.own:
        here = f"{place / own.folder}/node_modules/.bin:{place}/node_modules/.bin:{path}"
        typed = (own.shown,) if own.opaque else (own.shown, own.script)  # a condition may look for programs
        scripts = (unstartable_script(script, here) for script in typed)
        found[own.reason] = next(filter(None, scripts), "")
    return {name: why for name, why in found.items() if why}


async def _collected(plan: Plan, place: Measured) -> tuple[Collected, ...]:
    names: tuple[Literal["pytest", "unittest"], ...] = ("pytest", "unittest")
    python = [_python(plan, name, place) for name in names if name in plan.project.chosen]
    others = [_listed(plan, name, place) for name in RUNNERS if name in plan.project.chosen]
    return tuple(await asyncio.gather(*python, *others))


async def _python(plan: Plan, name: Literal["pytest", "unittest"], place: Measured) -> Collected:
    if why := plan.cannot_test(name):
        return Collected(name=name, problem=why, needed=True)
    runner, tree = plan.runner(None, name), Path(place.copy.path)
    words = ("--collect-only", *(("--no-cov",) if runner.interpreter.has("pytest-cov") else ()))
    only_collect = {"SETPOINT_REPORT_COLLECT": "1"}  # unittest has no such option
    runner = replace(runner, timeout_s=COLLECT_S, args=(*runner.args, *words), variables=only_collect)
    shown = f"{runner.interpreter.path} -m {name} --collect-only"
    done, suite, broken = await run_once(runner, place, None)
    if done.timed_out:
        return Collected(name=name, problem=f"{name} still collects after {COLLECT_S:g} s; hint: {shown}")
    empty = suite.exit not in (0, _NO_TESTS) and not (suite.uncollected or suite.collected)
    if broken or suite.internal_error or empty:
        why = broken or suite.internal_error.strip().rpartition("\n")[2] or f"{done.ending}{tail(done)}"
        return Collected(name=name, problem=f"{_one_line(why)}; hint: {shown}", needed=True)
    files = {test.partition("::")[0] for test in suite.collected}
    found = f"{counted(len(suite.collected), 'test')} in {counted(len(files), 'file')}"
    problem = _uncollected(suite.uncollected) or outside_pattern(suite, tree, plan.project.layout)
    if not suite.collected and not problem:
        problem = f"{name} collects no test; hint: add one, or give a run --accept 'COMMAND'"
    return Collected(
        name=name, found=found, problem=problem, needed=bool(suite.uncollected) and not suite.collected
    )


def _uncollected(errors: dict[str, str]) -> str:
    if not errors:
        return ""
    named = "; ".join(f"{file}: {why}" for file, why in list(errors.items())[:_MOST_NAMED])
    first = next(iter(errors))
    said = f"{counted(len(errors), 'file')} cannot be collected in a copy of the last commit: {named}"
    return f"{_one_line(said)}; hint: python -m pytest --collect-only {first}"


async def _listed(plan: Plan, name: str, place: Measured) -> Collected:
    """Ask another runner for its files, where it can list them; its version was asked before."""
    suite = suite_of(name, plan.project, plan.settings.checks, plan.artifacts, plan.cache)
    if suite is None:
        return Collected(name=name, problem=plan.unusable(name), needed=True)
    if not suite.preset.lists or name == OWN_TESTS:
        return Collected(name=name, found=suite.program.version and f"version {suite.program.version}")
    asked = (_listed_in(suite, Path(place.copy.path), folder) for folder in suite.folders)
    answers = await asyncio.gather(*asked)
    problem = next((why for _, why in answers if why), "")
    count = sum(count for count, _ in answers)
    if not count and not problem:
        alike = next((file for file in plan.project.layout.files if fits(file, suite.preset)), "")
        though = f", though {alike} looks like one" if alike else ""
        problem = f"{name} finds no file of tests{though}; hint: npx {_listing(suite)}"
    return Collected(name=name, found=counted(count, "file") + " of tests", problem=problem)


async def _listed_in(suite: PackageSuite, tree: Path, folder: str) -> tuple[int, str]:
    """Count the files of tests in a package, or say why the runner does not list them."""
    with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
        start = replace(suite.start(tree, folder, Path(scratch)), timeout_s=COLLECT_S)
        start = replace(start, preset=start.preset.model_copy(update={"argv": start.preset.lists}))
        done = await start.call(start.argv())
    where = f" in {folder}" if folder else ""
    if done.timed_out:
        return 0, f"{suite.name} still lists after {COLLECT_S:g} s{where}; hint: npx {_listing(suite)}"
    if not done.ok:
        said = _one_line(f"{done.ending}{tail(done)}")
        return 0, f"{suite.name} does not list its files{where}: {said}; hint: npx {_listing(suite)}"
    return sum(bool(line.strip()) for line in done.text.splitlines()), ""


def _listing(suite: PackageSuite) -> str:
    return " ".join((suite.preset.program, *suite.preset.lists))


def _one_line(text: str) -> str:
    return shortened(" ".join(text.split()), _MOST_WORDS)
