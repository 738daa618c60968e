"""The project's own command for lint or types, where no reader knows its tool: judged by its exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.project import OWN_CHECKS, Project
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, run

_CATEGORIES = {"own_lint": Category.STYLE, "own_types": Category.TYPES}
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_DETAIL = 900


@dataclass(frozen=True, kw_only=True)
class OwnCheck:
    """Runs the command as it is typed; all that it finds is one finding, which the base may have too."""

    name: str
    command: OwnCommand
    project: Interpreter
    imports: tuple[str, ...]
    artifacts: Artifacts
    timeout_s: float

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what it says of a tree, as far as it can be known without a run."""
        return (self.name, self.command.script, self.project.fingerprint, *self.imports)

    async def run(self, measured: Measured) -> CheckResult:
        """Run it on a tree; one that cannot be started is not measured."""
        tree = Path(measured.copy.path)
        variables = environment(self.project, tree, self.imports)
        variables["PATH"] = f"{tree / 'node_modules/.bin'}:{variables['PATH']}"
        argv = ("sh", "-c", self.command.script)
        done = await run(
            Command(argv=argv, cwd=tree, environment=variables, timeout_s=self.timeout_s, merge_stderr=True)
        )
        shown = self.command.reason
        ran = results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=shown
        )
        if done.timed_out or done.exit_code is None or done.exit_code in results.NOT_STARTED:
            return ran.gave(CheckState.NOT_MEASURED, f"{shown}: {done.ending}{results.tail(done)}")
        if done.exit_code == 0:
            return ran.gave(CheckState.PASS)
        found = Finding(
            source=self.name,
            rule="exit-code",
            severity=Severity.ERROR,
            category=_CATEGORIES[self.name],
            message=f"{shown} ends with exit code {done.exit_code}",
            detail=_COLOURS.sub("", done.text).replace(f"{tree}/", "")[-_DETAIL:],
        )
        return ran.gave(CheckState.FAIL, findings=(found,))


def own_checks(project: Project, artifacts: Artifacts, timeout_s: float) -> Iterator[OwnCheck]:
    """Make the chosen ones."""
    for own in project.layout.own:
        name = f"own_{own.kind}"
        if name in OWN_CHECKS and name in project.chosen and not own.folder:
            yield OwnCheck(
                name=name,
                command=own,
                project=project.interpreter,
                imports=project.layout.imports,
                artifacts=artifacts,
                timeout_s=timeout_s,
            )
