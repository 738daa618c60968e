"""What is to be measured in a project, with a reason for each check, and whose code the tests would run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.domain.ids import Commit
from setpoint.evaluators.inside import PROBE
from setpoint.evaluators.interpreter import PROBE_S, Interpreter, environment
from setpoint.evaluators.layout import CONFIGURATION, Layout, read_layout
from setpoint.evaluators.presets import presets
from setpoint.processes import Command, run
from setpoint.processes.git import contents, files_at
from setpoint.settings import ChecksSettings

_ORIGINS = TypeAdapter(dict[str, str | None])


@dataclass(frozen=True, kw_only=True)
class Project:
    """All that is known of a project before a tree of it is measured."""

    interpreter: Interpreter
    own: Interpreter
    """Setpoint's, for static tools that the project does not bring."""
    layout: Layout
    chosen: Mapping[str, str]
    """Checks that are made, with the reason for each."""
    leak: str = ""
    """Why the tests would not run the measured code; empty where they do."""

    def holder(self, tool: str) -> Interpreter | None:
        """Give the interpreter that holds a static tool, the project's own first."""
        return next((each for each in (self.interpreter, self.own) if each.has(tool)), None)


async def layout_at(root: Path | str, base: Commit) -> Layout:
    """Read the layout of a project from a commit."""
    files = await files_at(root, base)
    texts = await contents(root, base, [name for name in CONFIGURATION if name in files])
    return read_layout(files, {name: text.decode("utf-8", "replace") for name, text in texts.items()})


def choose(
    checks: ChecksSettings, layout: Layout, interpreter: Interpreter, own: Interpreter
) -> dict[str, str]:
    """Choose the checks, each with the reason that `setpoint doctor` shows."""
    chosen = {"parse": "always", "integrity": "always"}
    tests = _tests(checks, layout)
    if tests:
        chosen["pytest"] = tests
        if checks.coverage is True:
            chosen["coverage"] = "setting checks.coverage"
        elif checks.coverage == "auto" and interpreter.has("coverage"):
            chosen["coverage"] = f"coverage {interpreter.modules['coverage']} is installed beside pytest"
        if checks.mutation:
            chosen["mutation"] = "setting checks.mutation"
    wanted = {"ruff": checks.ruff, "mypy": checks.mypy, "bandit": checks.bandit}
    for name, preset in presets().items():
        if wanted[name] is True:
            chosen[name] = f"setting checks.{name}"
        elif wanted[name] == "auto" and (
            reason := _automatic(name, preset.chosen, layout, (interpreter, own))
        ):
            chosen[name] = reason
    return chosen


async def found_leak(root: Path, place: Path, interpreter: Interpreter, layout: Layout) -> tuple[Layout, str]:
    """Find out whether the tests would import the project's packages from anywhere but the measured tree.

    Where the project keeps its packages in a folder of its own, that folder is added to the layout's imports;
    what still comes from elsewhere is told as a reason with its mend.
    """
    outside: dict[str, Path] = {}
    for _ in range(2):
        origins = await _origins(place, interpreter, layout)
        outside = {name: origin for name, origin in origins.items() if not origin.is_relative_to(place)}
        if not outside:
            return layout, ""
        folders = {_folder(name, layout) for name in outside}
        if folders <= set(layout.imports):
            break
        layout = replace(layout, imports=(*sorted(folders - set(layout.imports)), *layout.imports))
    name, origin = next(iter(outside.items()))
    whose = "your own tree" if origin.is_relative_to(root) else "an installed copy"
    reason = f"the tests would import {name!r} from {whose} ({origin}), not from the tree that is measured; "
    return layout, reason + "uninstall it, or install it editable the plain way (a .pth file, no import hook)"


async def _origins(place: Path, interpreter: Interpreter, layout: Layout) -> dict[str, Path]:
    names = {package.rpartition("/")[2].removesuffix(".py") for package in layout.packages}
    wanted = sorted(name for name in names if name.isidentifier() and name not in sys.stdlib_module_names)
    if not wanted:
        return {}
    argv = (interpreter.path, str(PROBE), "packages", *wanted)
    variables = environment(interpreter, place, layout.imports)
    done = await run(Command(argv=argv, cwd=place, environment=variables, timeout_s=PROBE_S))
    try:
        answer = _ORIGINS.validate_json(done.stdout) if done.ok else {}
    except ValidationError:
        return {}  # an interpreter that prints at start; the tests themselves will show what it breaks
    places = {name: Path(origin) for name in wanted if (origin := answer.get(name))}
    return {name: place for name, place in places.items() if place.is_absolute()}


def _folder(name: str, layout: Layout) -> str:
    named = [p for p in layout.packages if p.rpartition("/")[2].removesuffix(".py") == name]
    return named[0].rpartition("/")[0]


def _tests(checks: ChecksSettings, layout: Layout) -> str:
    if checks.pytest is True:
        return "setting checks.pytest"
    if checks.pytest is False:
        return ""
    if layout.tests:
        count = len(layout.tests)
        return f"{count} file{'s' if count > 1 else ''} of tests, for example {layout.tests[0]}"
    return f"pytest is configured in {layout.configured['pytest']}" if layout.pytest_config else ""


def _automatic(name: str, when: str, layout: Layout, holders: tuple[Interpreter, Interpreter]) -> str:
    project, own = holders
    if when == "configured":
        file = layout.configured.get(name)
        return f"{name} is configured in {file}" if file else ""
    if project.has(name):
        return f"{name} {project.modules[name]} is installed in the project's environment"
    return f"{name} {own.modules[name]} is installed beside Setpoint" if own.has(name) else ""
