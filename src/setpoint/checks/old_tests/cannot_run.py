"""A base whose suite cannot run in the copy: no work can be judged there, so no agent is paid.

A source of the project that is broken is what a repair is about. A file or module that the copy lacks is not:
it lies in the user's tree and is ignored by git, or the project needs it and it is not installed.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from setpoint.checks.baseline import Measurements
from setpoint.checks.needs.carried_files import CACHES, NO_MODULE, asks_for, ignored_files
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import SUITES, Cause, CheckResult, CheckState, Failure, Fault
from setpoint.ports import Measured
from setpoint.system.git.ignore_rules import is_environment

_AT_LOAD = (Cause.IMPORT, Cause.ENVIRONMENT, Cause.SYNTAX)
_NEEDS = (
    "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini", "environment.yml", "requirements.txt",
    "requirements-dev.txt", "requirements/dev.txt", "dev-requirements.txt", "test-requirements.txt",
)  # fmt: skip
"""Files that name what a project needs to have installed."""


async def with_faults(made: Measurements, place: Measured, root: Path, request: str) -> Measurements:
    """Return the base's measurements with a fault for each suite that cannot run for what the copy lacks.

    Args:
        made: What the checks gave.
        place: The base, checked out.
        root: The user's own tree.
        request: The request: a module that it names is still to be written.

    """
    found: dict[str, str] = {}
    for result in made.results:
        if result.evidence.check in SUITES and (said := cannot_load(result)):
            why = await _ignored(said, root, Path(place.copy.path))
            why = why or await asyncio.to_thread(_uninstalled, result, said, Path(place.copy.path), request)
            found |= {result.evidence.check: why} if why else {}
    return made.model_copy(update={"results": tuple(_with(each, found) for each in made.results)})


def cannot_load(result: CheckResult) -> str:
    """Return what a suite says of which no test could be loaded; empty where one ran, or none was there."""
    report, evidence = result.tests, result.evidence
    if report is not None and any("::" in test and not out.red for test, out in report.outcomes.items()):
        return ""
    failures = report.failures if report is not None else ()
    if evidence.state is CheckState.ERROR and evidence.fault is None and not failures:
        return evidence.reason
    at_load = bool(failures) and all("::" not in each.test and each.cause in _AT_LOAD for each in failures)
    return "\n".join(f"{each.message}\n{each.detail}" for each in failures) if at_load else ""


async def _ignored(said: str, root: Path, place: Path) -> str:
    """Name an ignored file of the user's tree that the copy lacks and the suite asks for; empty for none."""
    for path in await ignored_files(root):
        if not (place / path).exists() and asks_for(said, path):
            return (
                f"`{path}` is in your tree, ignored by git, and missing in the copy in which tests run; "
                "track it with git, or let the project's build make it where the tests need it"
            )
    return ""


def _uninstalled(result: CheckResult, said: str, place: Path, request: str) -> str:
    """Name a package that the project needs and that is not installed; empty where it is to be written."""
    failures: Sequence[Failure] = result.tests.failures if result.tests else ()
    for module in dict.fromkeys(NO_MODULE.findall(said)):
        top = module.partition(".")[0]
        if _in_tree(place, top) or re.search(rf"\b{re.escape(top)}\b", request):
            continue
        by_code = any(f"'{module}'" in each.message and _from_code(each) for each in failures)
        if by_code or _stated(place, top):
            return f"`{module}` is not installed for the tests, and nothing in the copy provides it"
    return ""


def _from_code(failure: Failure) -> bool:
    """Whether a source outside of the tests asked for what is missing."""
    return bool(failure.file) and not is_test_path(failure.file)


def _in_tree(place: Path, top: str) -> bool:
    """Whether the copy itself has a module or package of a name."""
    for folder, inner, names in os.walk(place):
        inner[:] = [each for each in inner if each not in CACHES and not is_environment(Path(folder, each))]
        if f"{top}.py" in names or top in inner:
            return True
    return False


def _stated(place: Path, top: str) -> bool:
    """Whether a file of the project says that it needs a package."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(top).replace('_', '[-_.]')}(?![\w-])", re.IGNORECASE)
    return any(map(pattern.search, _texts(place)))


def _texts(place: Path) -> Iterable[str]:
    for name in _NEEDS:
        try:
            yield (place / name).read_text("utf-8", "replace")
        except OSError:
            continue


def _with(result: CheckResult, found: dict[str, str]) -> CheckResult:
    why = found.get(result.evidence.check)
    if why is None:
        return result
    update = {"state": CheckState.ERROR, "reason": why, "fault": Fault.ABSENT}
    return result.model_copy(update={"evidence": result.evidence.model_copy(update=update)})
