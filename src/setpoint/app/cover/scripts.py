"""Writing tests for JavaScript and TypeScript: what is needed, said before anything is started."""

from __future__ import annotations

from typing import Any

from setpoint.checks.cover.script_suite import script_suite
from setpoint.errors import UsageError
from setpoint.wiring.project import Project

_OF_PYTHON = ("generator", "mechanic", "rules", "pynguin")
"""Writers without a model; they know Python alone."""


def refuse_without_agent(flags: dict[str, Any], file: str) -> None:
    """Raise `UsageError` where nobody who is to write tests for a script can."""
    maker = flags.get("agents", {}).get("maker", "")
    if maker in _OF_PYTHON:
        raise UsageError(
            f"{file}: '{maker}' writes tests for Python alone",
            hint=f"name an agent with a model: setpoint cover {file} --agent NAME (see `setpoint agents`)",
        )
    asked = flags.get("cover", {})
    if others := asked.get("strategies"):
        raise UsageError(
            f"{file}: tests for scripts are written by one agent; {', '.join(others)} cannot write beside it",
            hint="leave out --with",
        )
    if asked.get("mutation") is not None:
        raise UsageError(
            f"{file}: a goal for mutants cannot be judged in a run that writes tests for scripts",
            hint="leave out --mutation, and use `setpoint lab mutate` afterwards",
        )


async def testable(project: Project, files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files where tests for them can be judged; raises `UsageError` where no runner is found."""
    cache = project.copies / "scratch" / "tools"
    found = await script_suite(project.root, project.root, project.settings, project.artifacts, cache)
    if isinstance(found, str):
        raise UsageError(f"what tests reach cannot be measured: {found}", hint="see `setpoint doctor`")
    return files
