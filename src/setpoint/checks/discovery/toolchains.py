"""What builds a project in each of its languages: the version at hand, and what keeps it from building.

Nothing is downloaded and nothing is installed to find out. The questions are asked in the measured tree, in
the environment that the checks get.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.discovery.package_suites import manifests
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.tool_start import start_fault
from setpoint.checks.discovery.workspaces import WITHOUT_WORK
from setpoint.model.wording import shortened
from setpoint.presets import presets
from setpoint.system.processes import Command, Completed, run

ASK_S = 60.0
"""Seconds within which a toolchain has to answer."""
_MOST_FOLDERS = 5
_MOST_WORDS = 200
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_WANTED_GO = re.compile(r"^go\s+(\S+)", re.MULTILINE)
_NOT_HERE = re.compile(r"disabled by GOPROXY=off|no matching package|offline mode")
"""How go and cargo say that a dependency is not on this machine."""
_INSTALLS = {
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install",
    "bun.lock": "bun install --frozen-lockfile",
    "bun.lockb": "bun install --frozen-lockfile",
}
"""The command that installs what a lock file names."""


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """A toolchain that a project needs."""

    name: str
    """As one types it: go, node, cargo."""
    version: str
    """As it states it; empty where it does not start."""
    problem: str = ""
    """What keeps the project from building, with what to do; empty where nothing does."""
    needed: bool = True
    """Whether a problem keeps tests from running."""


async def toolchains(project: Project, place: Path) -> tuple[Toolchain, ...]:
    """Look at the toolchains of all languages but Python for a project that is checked out at `place`."""
    layout = project.layout
    asked = (
        _go(project, place, _folders(layout, "go.mod")),
        _node(project, place, _folders(layout, "package.json")),
        _cargo(project, place, _folders(layout, "Cargo.toml")),
    )
    return tuple(each for each in await asyncio.gather(*asked) if each is not None)


def needs_python(project: Project) -> bool:
    """Whether a project holds anything that Python runs."""
    layout, known = project.layout, presets()
    tools = (known[name].language for name in project.chosen if name in known)
    named = {"pyproject.toml", "setup.py", "setup.cfg", "tox.ini"} & set(layout.files)
    return bool(named) or any(file.endswith(".py") for file in layout.files) or "python" in tools


async def _go(project: Project, place: Path, folders: tuple[str, ...]) -> Toolchain | None:
    if not folders:
        return None
    version = await _asked(project, place, "go", "version")
    if not version.ok:
        return Toolchain(name="go", version="", problem=start_fault(version), needed=_tested(project, "go"))
    stated = _VERSION.search(version.text)
    problem = ""
    for folder in folders:
        module = place / folder
        alone = WITHOUT_WORK if folder in project.layout.workspaces.unused else {}
        refused = await _asked(project, module, "go", "list", "-m", extra=alone)
        if not refused.ok:
            problem = _refused_by_go(module / "go.mod", stated[0] if stated else "", refused)
            break
        words = ("list", "-deps", "-test", "./...")
        listed = await _asked(project, module, "go", *words, extra={**alone, "GOPROXY": "off"})
        if not listed.ok and _NOT_HERE.search(listed.errors):
            problem = f"modules are missing{_in(folder)}: {_in_folder(folder, 'go mod download')}"
            break
        if not listed.ok and (entry := re.search(r"missing go\.sum entry.*", listed.errors)):
            problem = f"cannot build: {_line(entry[0])}; {_in_folder(folder, 'go mod tidy')}"
            break
    found = stated[0] if stated else version.text.strip()
    return Toolchain(name="go", version=found, problem=problem, needed=_tested(project, "go"))


def _refused_by_go(manifest: Path, have: str, refused: Completed) -> str:
    """Say that go rejects a `go.mod`, with the version it wants where that is a newer one."""
    text = manifest.read_text("utf-8", "replace") if manifest.is_file() else ""
    wanted = _WANTED_GO.search(text)
    if wanted and have and _numbers(wanted[1]) > _numbers(have):
        return f"cannot build: go.mod wants Go {wanted[1]}, you have {have}; install that version"
    lines = [line for line in refused.errors.splitlines() if line and not line.endswith(":")]
    return f"cannot build: go rejects go.mod: {_line(lines[0] if lines else refused.ending)}"


async def _node(project: Project, place: Path, folders: tuple[str, ...]) -> Toolchain | None:
    if not folders:
        return None
    version = await _asked(project, place, "node", "--version")
    alone = not needs_python(project)
    if not version.ok:
        needed = alone or _tested(project, "javascript")
        return Toolchain(name="node", version="", problem=start_fault(version), needed=needed)
    lacking = [folder for folder in folders if _lacks_packages(project.root, place, folder)]
    found = (each for name, each in project.layout.suites.items() if _is_script(name))
    suites = {folder for each in found for folder in each.folders}
    problem = ""
    if lacking:
        command = _in_folder(lacking[0], _installing(place, lacking[0]))
        problem = f"{FOLDER} is missing{_in(lacking[0])}: {command}"
    needed = any(folder in suites for folder in lacking) or (alone and "" in lacking)
    return Toolchain(name="node", version=version.text.strip().lstrip("v"), problem=problem, needed=needed)


def _lacks_packages(root: Path, place: Path, folder: str) -> bool:
    """Whether a package names dependencies and nothing is installed for it, in its folder or above."""
    try:
        manifest: Any = json.loads((place / folder / "package.json").read_bytes())
        wanted = bool(manifest.get("dependencies") or manifest.get("devDependencies"))
    except (OSError, ValueError, AttributeError):
        return False  # the project's own tools will say so, as errors
    parents = (Path(folder), *Path(folder).parents) if folder else (Path(),)
    return wanted and not any((root / each / FOLDER).is_dir() for each in parents)


def _installing(place: Path, folder: str) -> str:
    """Name the command that installs packages: by the lock file of the folder, else of the root."""
    for where in (place / folder, place):
        for lock, command in _INSTALLS.items():
            if (where / lock).is_file():
                return command
    return "npm install"


async def _cargo(project: Project, place: Path, folders: tuple[str, ...]) -> Toolchain | None:
    if not folders:
        return None
    version = await _asked(project, place, "cargo", "--version")
    needed = _tested(project, "rust")
    if not version.ok:
        return Toolchain(name="cargo", version="", problem=start_fault(version), needed=needed)
    stated = _VERSION.search(version.text)
    problem = ""
    outer = [each for each in folders if not any(_lies_in(each, other) for other in folders)]
    for folder in outer:
        words = ("metadata", "--offline", "--format-version", "1")
        done = await _asked(project, place / folder, "cargo", *words)
        if not done.ok:
            missing = _NOT_HERE.search(done.errors)
            fetch = f"crates are missing{_in(folder)}: {_in_folder(folder, 'cargo fetch')}"
            problem = fetch if missing else f"cannot build: {_line(_cause(done))}"
            break
    found = stated[0] if stated else version.text.strip()
    return Toolchain(name="cargo", version=found, problem=problem, needed=needed)


def _cause(done: Completed) -> str:
    """Take what cargo names last, which is the cause of what it names first."""
    lines = [line.strip() for line in done.errors.splitlines() if line.strip()]
    caused = [place for place, line in enumerate(lines) if line == "Caused by:"]
    return lines[caused[-1] + 1] if caused and caused[-1] + 1 < len(lines) else next(iter(lines), done.ending)


async def _asked(
    project: Project, where: Path, *argv: str, extra: Mapping[str, str] | None = None
) -> Completed:
    variables = {**environment(project.interpreter, where, ()), **(extra or {})}
    return await run(Command(argv=argv, cwd=where, environment=variables, timeout_s=ASK_S))


def _folders(layout: Layout, manifest: str) -> tuple[str, ...]:
    """Name the folders that hold a manifest, those nearest to the root first."""
    named = (file.rpartition("/") for file in manifests(layout.files))
    return tuple(folder for folder, _, name in named if name == manifest)[:_MOST_FOLDERS]


def _tested(project: Project, language: str) -> bool:
    """Whether tests of a language would be run."""
    return any(presets()[name].language == language for name in project.layout.suites)


def _is_script(name: str) -> bool:
    return presets()[name].language == "javascript"


def _in(folder: str) -> str:
    return f" in {folder}" if folder else ""


def _in_folder(folder: str, command: str) -> str:
    return f"(cd {folder} && {command})" if folder else command


def _lies_in(folder: str, other: str) -> bool:
    return folder != other and (not other or folder.startswith(f"{other}/"))


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.search(version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _line(text: str) -> str:
    return shortened(text.strip(), _MOST_WORDS)
