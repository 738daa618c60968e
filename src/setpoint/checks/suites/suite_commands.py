"""What the checks call to run a project's tests, as data for an agent that tries edits in a copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from setpoint.checks.discovery.project import Project
from setpoint.checks.suites.package_suite import PackageSuite, suite_of
from setpoint.model.suite_command import SCRATCH, SELECTED, TREE, SuiteCommand
from setpoint.presets.check_settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

LENT = ("go_test", "vitest", "jest", "node_test", "mocha")
"""Runners that can run a part of the tests and say how each of them ended."""


def suite_commands(
    project: Project, checks: ChecksSettings, artifacts: Artifacts, cache: Path
) -> tuple[SuiteCommand, ...]:
    """Return each call of these runners; `cache` is the folder of the tools' own caches."""
    made = (suite_of(name, project, checks, artifacts, cache) for name in LENT if name in project.chosen)
    return tuple(each for suite in made if suite for each in _commands(suite))


def _commands(suite: PackageSuite) -> Iterator[SuiteCommand]:
    kept = suite.cache if suite.preset.caches else ""
    suite = replace(suite, cache=f"{SCRATCH}/cache")
    for folder in suite.folders:
        start = suite.start(Path(TREE), folder, Path(SCRATCH))
        for own in suite.calls.get(folder) or (None,):
            call = replace(start, own=own)
            yield SuiteCommand(
                runner=suite.name,
                folder=folder,
                every=call.argv(*(("./...",) if suite.name == "go_test" else ())),
                some=call.argv(SELECTED),
                report=str(start.report) if suite.preset.report else "",
                environment={**start.variables, "GIT_CEILING_DIRECTORIES": "/"},
                cache=kept,
            )
