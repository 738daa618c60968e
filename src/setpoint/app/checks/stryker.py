"""Stryker, which judges mutants of scripts: in Setpoint's own folder, installed with consent."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from setpoint.agents.own_programs import OwnPrograms
from setpoint.agents.setup import Step
from setpoint.agents.setup import install as install_package
from setpoint.checks.cover.stryker import PACKAGES
from setpoint.checks.parsing import is_script, suffix_of
from setpoint.errors import UsageError

VERSION = "9.6.1"
_SIZE = "some 110 MB"
_OTHERS = {
    ".rs": "run `cargo mutants` (https://mutants.rs) yourself",
    ".go": "run `gremlins unleash` or `go-mutesting` yourself",
}


async def stryker_for(files: Sequence[str], *, install: bool) -> Path:
    """Return the folder that holds Stryker; raises `UsageError` where there is none or it cannot judge."""
    scripts = [file for file in files if is_script(suffix_of(file))]
    if not scripts:
        suffix = next(suffix_of(file) for file in files if suffix_of(file))
        raise UsageError(
            f"{files[0]}: mutants are judged in Python, JavaScript and TypeScript alone", hint=_OTHERS[suffix]
        )
    own, package = OwnPrograms(), f"{PACKAGES[0]}@{VERSION}"
    if not all((own.place(package) / "node_modules" / each).is_dir() for each in PACKAGES):
        if not install:
            raise UsageError(
                f"{scripts[0]}: Stryker {VERSION}, which judges mutants of scripts, is not installed",
                hint=f"setpoint mutate --install ... installs it with npm in {own.folder} ({_SIZE}); "
                "your package stays as it is",
            )
        shutil.rmtree(own.place(package), ignore_errors=True)  # one without all of its packages
        await _install(package, own)
    return own.place(package)


async def _install(package: str, own: OwnPrograms) -> None:
    await install_package(Step(package=package, why="mutants of scripts", beside=PACKAGES[1:]), own)
