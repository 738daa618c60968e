"""Mutants of scripts in the user's current tree, in a place of its own: for `setpoint mutate`."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.cover.script_reach import scripts_within
from setpoint.checks.cover.script_suite import script_suite
from setpoint.checks.cover.stryker import configuration, lend, read_report
from setpoint.checks.discovery.linked_packages import FOLDER, link_packages
from setpoint.checks.discovery.project import layout_at
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.mutation.tree import Wanted, standing_copy
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.errors import UsageError, WorkspaceError
from setpoint.model.mutation import MutationReport
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import changed_lines, files_at, head
from setpoint.system.processes import Command, run

_PROGRAM = Path("node_modules/@stryker-mutator/core/bin/stryker.js")


async def script_mutants(
    folders: ProjectFolders, settings: Settings, wanted: Wanted, stryker: Path
) -> MutationReport:
    """Judge the mutants of scripts by Stryker, which lies in the folder `stryker`; the tree is not touched.

    Raises `UsageError` where nothing there can be mutated, `WorkspaceError` where Stryker gives no report.
    """
    async with standing_copy(folders) as (place, commit):
        files = scripts_within(wanted.paths or ("",), await files_at(place, commit))
        if not wanted.paths:
            changed = await changed_lines(place, await head(folders.root), commit)
            spans = [f"{file}:{line}-{line}" for file in files for line in sorted(changed.get(file, ()))]
        elif wanted.lines is not None:
            spans = [f"{file}:{wanted.lines.start}-{wanted.lines.stop - 1}" for file in files]
        else:
            spans = list(files)
        if not spans:
            raise UsageError("no line of a script differs from the commit that is checked out")
        cache = folders.copies / "scratch" / "tools"
        artifacts = Artifacts(folders.state / "artifacts")
        suite = await script_suite(folders.root, place, settings, artifacts, cache)
        if isinstance(suite, str):
            raise UsageError(f"mutants cannot be judged: {suite}", hint="see `setpoint doctor`")
        layout = await layout_at(place, commit)
        link_packages(folders.root, place, layout.package_folders, layout.committed_packages)
        return await _judged(suite, place, spans, wanted, stryker)


async def _judged(
    suite: PackageSuite, place: Path, spans: list[str], wanted: Wanted, stryker: Path
) -> MutationReport:
    await asyncio.to_thread(lend, stryker / FOLDER, place / FOLDER)
    with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder).resolve()
        report, config = scratch / "report.json", place / ".setpoint-stryker.json"
        jobs = wanted.jobs or os.cpu_count() or 1
        config.write_text(configuration(suite.name, spans, report, jobs), "utf-8")
        started = suite.start(place, "", scratch)
        node = shutil.which("node", path=started.variables["PATH"]) or "node"
        done = await run(
            Command(
                argv=(node, str(stryker / _PROGRAM), "run", config.name),
                cwd=place,
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
                hint="see that the tests run and pass",
            ) from None
