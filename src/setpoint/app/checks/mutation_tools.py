"""Tools that judge mutants: Stryker in Setpoint's own folder, installed with consent; others on PATH."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from setpoint.agents.own_programs import OwnPrograms
from setpoint.agents.setup import Step
from setpoint.agents.setup import install as install_package
from setpoint.checks.cover.compiled_mutants import CompiledTool
from setpoint.checks.cover.stryker import PACKAGES
from setpoint.checks.parsing import is_script, suffix_of
from setpoint.errors import UsageError

VERSION = "9.6.1"
_SIZE = "some 110 MB"


async def stryker_for(files: Sequence[str], *, install: bool) -> Path:
    """Return the folder that holds Stryker; raises `UsageError` where there is none."""
    scripts = [file for file in files if is_script(suffix_of(file))]
    own, package = OwnPrograms(), f"{PACKAGES[0]}@{VERSION}"
    if not all((own.place(package) / "node_modules" / each).is_dir() for each in PACKAGES):
        if not install:
            raise UsageError(
                f"{scripts[0]}: Stryker {VERSION}, which judges mutants of scripts, is not installed",
                hint=f"setpoint lab mutate --install ... installs it with npm in {own.folder} ({_SIZE}); "
                "your package stays as it is",
            )
        shutil.rmtree(own.place(package), ignore_errors=True)  # one without all of its packages
        await _install(package, own)
    return own.place(package)


def demand(tool: CompiledTool, files: Sequence[str]) -> None:
    """Raise `UsageError` where the tool of a compiled language is not installed: Setpoint installs none."""
    if shutil.which(tool.program) is None:
        first = next(file for file in files if suffix_of(file))
        raise UsageError(
            f"{first}: {tool.program}, which judges mutants of {tool.language}, is not on PATH",
            hint=f"install it: {tool.install}",
        )


async def _install(package: str, own: OwnPrograms) -> None:
    await install_package(Step(package=package, why="mutants of scripts", beside=PACKAGES[1:]), own)
