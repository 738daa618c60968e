"""What the project's own test command asks for beside tests that pass: the one thing its exit code adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand, command
from setpoint.checks.discovery.own_commands.python_call import calls_python
from setpoint.model.shell import Part, parts

_IN_SCRIPT = re.compile(
    r"--cov-fail-under|--fail-under|--check-coverage|check-coverage|--coverage\.thresholds"
)
SETTINGS = re.compile(r"(?:package\.json|jest\.config\.\w+|vitest\.config\.\w+|\.(?:nyc|c8)rc(?:\.\w+)?)$")
"""Files at the root with settings of test runners for scripts."""
_THRESHOLD = re.compile(r"coverageThreshold|\bthresholds\b|check-?coverage", re.IGNORECASE)
_PYTEST_COV, _COVERAGE = "--cov-fail-under", "fail_under"


def gate_of(own: Iterable[OwnCommand], texts: Mapping[str, str], configured: Mapping[str, str]) -> str:
    """Name what makes the own command of the root fail though its tests pass; empty where nothing does.

    `texts` holds the project's settings by path, `configured` the file that configures a tool.
    """
    typed = root_command(own)
    script = typed.script if typed else ""
    if found := _IN_SCRIPT.search(script):
        return f"{found[0]} in `{typed.shown if typed else ''}`"
    pytest = texts.get(configured.get("pytest", ""), "")
    if _PYTEST_COV in pytest:
        return f"{_PYTEST_COV} in {configured['pytest']}"
    coverage = texts.get(configured.get("coverage", ""), "")
    if _COVERAGE in coverage and ("--cov" in pytest or "cov" in script):
        return f"{_COVERAGE} in {configured['coverage']}"
    if typed is None:
        return ""
    for file, text in texts.items():
        if SETTINGS.match(file) and (found := _THRESHOLD.search(text)):
            return f"{found[0]} in {file}"
    return f"what `{typed.shown}` runs after its tests" if _goes_on(typed) else ""


def root_command(own: Iterable[OwnCommand]) -> OwnCommand | None:
    """Return what people type at the root to test; none where that is unknown or never run."""
    first = next((each for each in own if each.kind is Kind.TEST and not each.folder), None)
    return first if first and not first.excluded and first.testing else None


def bare_pytest(file: str) -> OwnCommand:
    """Return the command of a project that names none and configures pytest in `file`."""
    return command(Kind.TEST, "pytest", file, "python -m pytest")


def _goes_on(typed: OwnCommand) -> bool:
    """Whether a command does more after pytest or unittest, which no reader of its tests sees."""
    if typed.whole:
        return True  # what it does is not known
    steps = [each for each in parts(typed.script if typed.opaque else typed.testing) if not _told(each)]
    called = [at for at, step in enumerate(steps) if calls_python(step)]
    return bool(called) and called[-1] + 1 < len(steps)


def _told(step: Part) -> bool:
    """Whether a step only tells something: what a threshold makes of it is known from its options."""
    return step.words[:1] == ("echo",) or (step.words[:1] == ("coverage",) and "run" not in step.words)
