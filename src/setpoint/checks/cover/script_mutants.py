"""Mutants of scripts in the user's current tree, in a place of its own: for `setpoint lab mutate`."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.cover.script_reach import is_script_source
from setpoint.checks.cover.script_suite import script_suite
from setpoint.checks.cover.stryker import StrykerRun, lend, read_report
from setpoint.checks.discovery.linked_packages import FOLDER, link_packages
from setpoint.checks.discovery.project import layout_at
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.mutation.check import GREEN_FIRST
from setpoint.checks.mutation.tree import Wanted, lines_wanted, standing_copy
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.runner import passed
from setpoint.errors import UsageError, WorkspaceError
from setpoint.model.ids import Commit
from setpoint.model.mutation import MutationReport
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.processes import Command, run

_PROGRAM = Path("node_modules/@stryker-mutator/core/bin/stryker.js")


async def script_mutants(
    folders: ProjectFolders, settings: Settings, wanted: Wanted, stryker: Path
) -> MutationReport:
    """Judge the mutants of scripts by Stryker, which lies in the folder `stryker`; the tree is not touched.

    Raises `UsageError` where nothing there can be mutated, `WorkspaceError` where Stryker gives no report.
    """
    async with standing_copy(folders) as (place, commit):
        spans = await _spans(folders.root, place, commit, wanted)
        cache = folders.copies / "scratch" / "tools"
        artifacts = Artifacts(folders.state / "artifacts")
        suite = await script_suite(folders.root, place, settings, artifacts, cache)
        if isinstance(suite, str):
            raise UsageError(f"mutants cannot be judged: {suite}", hint="see `setpoint doctor`")
        layout = await layout_at(place, commit)
        link_packages(folders.root, place, layout.package_folders, layout.committed_packages)
        return await _in_packages(suite, place, spans, wanted, stryker)


async def _spans(root: Path, place: Path, commit: Commit, wanted: Wanted) -> tuple[str, ...]:
    """Return what is mutated, as `FILE` or `FILE:FIRST-LAST` from the root."""
    lines = await lines_wanted(root, place, commit, wanted, is_script_source)
    spans: list[str] = []
    for file, only in sorted(lines.items()):
        if isinstance(only, range):
            spans.append(f"{file}:{only.start}-{only.stop - 1}")
        else:
            spans += [f"{file}:{line}-{line}" for line in sorted(only)] or [file]
    return tuple(spans)


async def _in_packages(
    suite: PackageSuite, place: Path, spans: Sequence[str], wanted: Wanted, stryker: Path
) -> MutationReport:
    """Judge each package by its own tests, with what is left of the time."""
    end, reports = time.monotonic() + wanted.budget_s, []
    for folder, held in by_package(suite, spans).items():
        left = replace(wanted, budget_s=max(1.0, end - time.monotonic()))
        within = [span.removeprefix(f"{folder}/") for span in held]
        reports.append(under(folder, await _judged(suite, place, folder, within, left, stryker)))
    return added_up(reports)


def by_package(suite: PackageSuite, paths: Iterable[str]) -> dict[str, list[str]]:
    """Sort paths by the package whose tests judge them; raises `UsageError` where there is none."""
    found: dict[str, list[str]] = {}
    for path in paths:
        holders = [each for each in suite.folders if not each or path.startswith(f"{each}/")]
        if holders:
            found.setdefault(max(holders, key=len), []).append(path)
    if not found:
        raise UsageError(f"no package whose tests {suite.name} runs holds {next(iter(paths))}")
    return found


def under(folder: str, report: MutationReport) -> MutationReport:
    """Name files from the root of the tree."""
    if not folder:
        return report
    moved = (
        each.model_copy(
            update={
                "file": f"{folder}/{each.file}",
                "test": f"{folder}/{each.test}" if each.test else "",
            }
        )
        for each in report.mutants
    )
    return report.model_copy(update={"mutants": tuple(moved)})


def added_up(reports: Sequence[MutationReport]) -> MutationReport:
    """Add up the reports of packages."""
    return MutationReport(
        mutants=tuple(each for report in reports for each in report.mutants),
        made=sum(report.made for report in reports),
        same=sum(report.same for report in reports),
        tests=sum(report.tests for report in reports),
        reason="; ".join(report.reason for report in reports if report.reason),
    )


async def _test_files(suite: PackageSuite, place: Path, folder: str) -> tuple[str, ...]:
    """Run the tests of a package once, and return their files: failing tests judge nothing."""
    once = await suite.once(place, folder, None)
    report = once.report
    passing = [test for test in report.outcomes if passed(report, test)] if report else []
    why = once.broken
    if report is not None and report.red:
        why = f"{next(iter(report.red))} fails on the original"
    if why or not passing:
        why = why or f"{suite.name} runs no test that passes; checks.{suite.name}.args can name files"
        raise WorkspaceError(f"no mutant could be judged: {why}", hint=GREEN_FIRST)
    within = f"{folder}/" if folder else ""
    return tuple(sorted({test.partition("::")[0].removeprefix(within) for test in passing}))


async def _judged(
    suite: PackageSuite, place: Path, folder: str, spans: list[str], wanted: Wanted, stryker: Path
) -> MutationReport:
    here = place / folder
    tests = await _test_files(suite, place, folder)
    await asyncio.to_thread(lend, stryker / FOLDER, here / FOLDER)
    with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as temp:
        scratch = Path(temp).resolve()
        report, config = scratch / "report.json", here / ".setpoint-stryker.json"
        asked = StrykerRun(
            runner=suite.name,
            mutate=tuple(spans),
            report=report,
            jobs=wanted.jobs or os.cpu_count() or 1,
            tests=tests,
            args=suite.asked.args,
        )
        config.write_text(asked.configuration(), "utf-8")
        started = suite.start(place, folder, scratch)
        node = shutil.which("node", path=started.variables["PATH"]) or "node"
        done = await run(
            Command(
                argv=(node, str(stryker / _PROGRAM), "run", config.name),
                cwd=here,
                environment=started.variables,
                timeout_s=wanted.budget_s,
                merge_stderr=True,
                writes=(place, scratch),
            )
        )
        if done.timed_out:
            raise WorkspaceError(
                f"Stryker did not end within {wanted.budget_s:g} s, and reports at its end alone",
                hint="give more time with --budget, or name fewer files or lines",
            )
        try:
            return read_report(report.read_bytes())
        except (OSError, BadReport) as error:
            said = str(error) if isinstance(error, BadReport) else results.tail(done)
            raise WorkspaceError(
                f"no mutant could be judged: Stryker {done.ending}: {said}",
                hint=GREEN_FIRST,
            ) from None
