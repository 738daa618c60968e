"""What a copy gets beside what git holds: carried files, and what the project's own build makes."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.discovery.own_commands.command import Kind
from setpoint.checks.discovery.project import Project
from setpoint.checks.needs.carried_files import carry
from setpoint.checks.suites.steps_before import run_before
from setpoint.model.config.local_needs import Needs

GENERATED = "generated"
"""What the build step is called among the checks."""


async def bring(project: Project, place: Path, needs: Needs) -> str:
    """Bring files to a copy, and run its build step; return what to say of that where it fails."""
    await carry(project.root, place, needs.files)
    variables = environment_of_tests(project.interpreter, place, project.layout)
    return await run_before(needs.build, needs.build, place, variables)


def build_of(project: Project, made: str) -> str:
    """Return the project's own command that may make a file, as typed in the root; empty for none."""
    own = [each for each in project.layout.own if each.kind is Kind.BUILD and not each.excluded]
    fitting = [each for each in own if made.startswith(f"{each.folder}/" if each.folder else "")]
    nearest = max(fitting, key=lambda each: len(each.folder), default=None)
    if nearest is None:
        return ""
    return f"cd {quote(nearest.folder)} && {nearest.shown}" if nearest.folder else nearest.shown
