"""Writing tests for named files: the order of such a run, its report, and how the files did over time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from setpoint.app.cover.scripts import refuse_without_agent, testable
from setpoint.app.cover.trend import append_trend
from setpoint.app.runs.order import make_order
from setpoint.checks.cover.check import sources_within
from setpoint.checks.cover.script_reach import scripts_within
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.errors import UsageError
from setpoint.history.replay import history
from setpoint.history.reports.cover_report import CoverCourse, CoverTrend, Step, html, markdown
from setpoint.model.changes.slug import slug
from setpoint.model.cover import CoverReport
from setpoint.model.cover_quality import SOURCE, quality, weights_told
from setpoint.model.evaluation import Evaluation
from setpoint.model.events.run import BaselineMeasured, IterationEvaluated
from setpoint.model.ids import StoryId
from setpoint.model.proof import WorkKind
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.stories.story import KnownRed, Story
from setpoint.system.files.atomic import write_atomic
from setpoint.system.git.git import commit_of, files_at
from setpoint.wiring.agents import agents_of
from setpoint.wiring.ordered_settings import ordered_settings
from setpoint.wiring.project import Project, open_project
from setpoint.wiring.test_writers import check_strategies

_TREND = "cover-trend.jsonl"
_BODY = """Write tests for {files} until they reach {coverage:.0%} of the lines and branches, {success:.0%} of
all tests pass, and the quality ({weights}) is {quality:.0%}. Change nothing but tests.
"""


def cover_order(
    where: Path, paths: tuple[str, ...], flags: dict[str, Any], base: str = "HEAD"
) -> tuple[Project, RunOrder]:
    """Order tests for files and folders; raises `UsageError` where no Python source lies there."""
    project = open_project(where)
    files = asyncio.run(_files(project, where, paths, base, partial(refuse_without_agent, flags)))
    goals = {**flags.pop("cover", {}), "paths": list(files), "only_tests": True}
    if project.settings.checks.pytest == "auto" and files[0].endswith(".py"):
        # Without any test there is no evidence, so the new tests could not be verified.
        flags["checks"] = {**flags.get("checks", {}), "pytest": True}
    project = open_project(where, {"pipeline": "cover", **flags, "cover": goals})
    if project.settings.cover.mutation is not None and not project.settings.cover.mutation_s:
        raise UsageError(
            f"a mutation score of {project.settings.cover.mutation:.0%} is asked, and cover.mutation_s is 0: "
            "it would never be measured",
            hint="raise the setting cover.mutation_s, or remove the goal",
        )
    check_strategies(project, agents_of(project))
    return project, make_order(project, _story(project, paths), base)


async def _files(
    project: Project, where: Path, paths: tuple[str, ...], base: str, refuse: Callable[[str], None]
) -> tuple[str, ...]:
    commit = await commit_of(project.root, base)
    if commit is None:
        raise UsageError(
            f"'{base}' names no commit in {project.root}",
            hint="commit something first, or give another --base",
        )
    named = []
    for path in paths:
        try:
            named.append((where / path).resolve().relative_to(project.root.resolve()).as_posix())
        except ValueError:
            hint = "name a path of this repository"
            raise UsageError(f"{path}: lies outside {project.root}", hint=hint) from None
    files = await files_at(project.root, commit)
    found = sources_within(named, files)
    if not found and (scripts := scripts_within(named, files)):
        refuse(scripts[0])
        return await testable(project, scripts)
    if not found:
        raise UsageError(
            f"{', '.join(paths)}: no committed Python source (or script) outside the tests lies there",
            hint="name files or folders of the repository, and commit them first",
        )
    interpreter = await find_interpreter(project.root, project.settings.checks)
    if not interpreter.has("pytest"):
        raise UsageError(
            f"what tests reach cannot be measured: {interpreter.path} ({interpreter.reason}) holds no pytest",
            hint="install it there, or name the tests' interpreter in the setting checks.python",
        )
    return found


def _story(project: Project, paths: tuple[str, ...]) -> Story:
    goals = project.settings.cover
    shown = ", ".join(f"`{path}`" for path in paths)
    names = " ".join(path.removesuffix(".py") for path in paths)
    return Story(
        id=StoryId(slug(f"cover {names}" if names.strip("./ ") else "cover all")),
        title=f"Tests for {', '.join(paths)}",
        body=_BODY.format(
            files=shown,
            coverage=goals.coverage,
            success=goals.success,
            quality=goals.quality,
            weights=weights_told(goals.weights),
        ),
        integrity=project.settings.integrity.mode,
        known_red=KnownRed.TOLERATE,
        kind=WorkKind.TESTS,
    )


def cover_course(project: Project, ordered: RunOrder) -> CoverCourse:
    """Return what was measured of the files at the base and after each iteration of a run."""
    steps: list[Step] = []
    for event in project.log.replay(ordered.trace_id):
        body = event.body
        if isinstance(body, BaselineMeasured):
            steps += _step(project, 0, body.evaluation)
        elif isinstance(body, IterationEvaluated):
            steps += _step(project, body.iteration, body.evaluation)
    newest = {step.iteration: step for step in steps if step.iteration == 0 or step.report.mutants}
    newest = {**{step.iteration: step for step in steps}, **newest}
    return CoverCourse(trace_id=ordered.trace_id, steps=tuple(newest[number] for number in sorted(newest)))


def _step(project: Project, iteration: int, evaluation: Evaluation) -> list[Step]:
    evidence = evaluation.evidence_of(SOURCE)
    if evidence is None or evidence.output is None or not evidence.counts.get("files"):
        return []
    report = CoverReport.model_validate_json(project.artifacts.read(evidence.output))
    return [Step(iteration=iteration, report=report)]


def writes_tests(ordered: RunOrder) -> bool:
    """Whether a run was ordered by `setpoint cover`."""
    return ordered_settings(ordered).cover.only_tests


def write_cover_report(project: Project, ordered: RunOrder) -> tuple[CoverCourse, Path] | None:
    """Write the report of a run as Markdown, HTML and JSON, and add the run to the trend, once.

    Gives none for a run that has not come to its end.
    """
    outcome = history(project.log.replay(ordered.trace_id)).outcome
    if outcome is None:
        return None
    course = cover_course(project, ordered).model_copy(update={"delivered": outcome.best_iteration})
    folder = project.run_folder(ordered.trace_id)
    trend = _trend(project, course, outcome)
    write_atomic(folder / "cover.md", markdown(course, trend))
    write_atomic(folder / "cover.html", html(course, trend))
    write_atomic(folder / "cover.json", json.dumps(_told(course, trend), indent=1))
    return course, folder / "cover.md"


def _told(course: CoverCourse, trend: tuple[CoverTrend, ...]) -> dict[str, object]:
    return {
        "run": course.trace_id,
        "delivered": course.delivered,
        "gain": course.gain,
        "steps": [
            {
                "iteration": step.iteration,
                "coverage": step.report.coverage,
                "success": step.report.success,
                "quality": quality(step.report),
                "functions": step.report.functions,
                "methods": step.report.methods,
                **step.report.model_dump(mode="json"),
            }
            for step in course.steps
        ],
        "trend": [each.model_dump(mode="json") for each in trend],
    }


def _trend(project: Project, course: CoverCourse, outcome: RunOutcome) -> tuple[CoverTrend, ...]:
    """Add this run to the earlier ones, and give those that were about the same files."""
    best = next((step for step in course.steps if step.iteration == outcome.best_iteration), None)
    if best is None:
        return ()
    base = next((step for step in course.steps if step.iteration == 0), None)
    new = CoverTrend(
        run=course.trace_id,
        at=project.log.replay(course.trace_id)[-1].at,
        files=tuple(each.file for each in best.report.files),
        before=base.report.coverage if base else None,
        coverage=best.report.coverage,
        quality=quality(best.report),
        mutation=best.report.mutation,
        iterations=outcome.iterations,
    )
    return tuple(
        each for each in append_trend(project.state / _TREND, new) if set(new.files) & set(each.files)
    )
