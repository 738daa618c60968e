"""Find out whether an agent is installed, without starting it, and what is missing."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.agents.model_api.provider import why_not
from setpoint.model.value import Value
from setpoint.settings import inherited
from setpoint.system.processes import Command, clean_environment, run

PROBE_S = 10.0
"""Seconds a program may take to print its version."""
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?\S*")
_DEPTH = 5


class Lack(StrEnum):
    """What an agent lacks before it can be started."""

    PROGRAM = "not_installed"
    ADAPTER = "adapter_missing"
    """The agent itself is installed, the program through which Setpoint talks to it is not."""
    NODE = "node_too_old"
    EXECUTABLE = "not_executable"
    """The program exists, and this user may not start it."""


class Probe(Value):
    """Facts about an agent that need no start."""

    name: str
    installed: bool
    path: str = ""
    """Where its program lies."""
    version: str = ""
    why_not: str = ""
    """What is missing, and how to fix it."""
    lack: Lack | None = None
    """What is missing, where it is known."""


async def probe(launch: Launch) -> Probe:
    """Look whether an agent is installed and in which version; never logs in, never starts a session."""
    if launch.protocol == "model":
        reason = why_not(launch)
        return Probe(name=launch.name, installed=not reason, version=launch.model, why_not=reason)
    environment = environment_of(launch)
    path = environment.get("PATH", "")
    found = shutil.which(launch.argv[0], path=path)
    if found is None:
        return _missing(launch, launch.argv[0], path)
    for program in launch.executables:
        if shutil.which(program, path=path) is None:
            return _missing(launch, program, path).model_copy(update={"path": found})
    too_old = await _too_old(launch, environment)
    if too_old:
        return Probe(name=launch.name, installed=False, path=found, why_not=too_old, lack=Lack.NODE)
    program = launch.argv[1] if launch.interpreted else found
    version = "" if launch.protocol == "command" and not launch.version_argv else _packaged(Path(program))
    if not version and (launch.version_argv or launch.protocol == "acp"):
        words = (found, program) if launch.interpreted else (found,)
        version = await stated_version(launch.version_argv or (*words, "--version"), environment)
    return Probe(name=launch.name, installed=True, path=program, version=version)


def environment_of(launch: Launch) -> dict[str, str]:
    """Return the variables that an agent would get."""
    return clean_environment(inherited(launch.pass_environment) | launch.environment)


async def node_version(launch: Launch) -> str:
    """Return the version of the Node.js on an agent's PATH; empty if there is none."""
    return await stated_version(("node", "--version"), environment_of(launch))


def major_of(version: str) -> int:
    """Return the major number of a version; 0 if it has none."""
    first = version.removeprefix("v").split(".")[0]
    return int(first) if first.isdecimal() else 0


async def stated_version(argv: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """Return the version that a command prints; empty if it prints none."""
    done = await run(Command(argv=argv, cwd=Path.cwd(), environment=environment, timeout_s=PROBE_S))
    match = _VERSION.search(done.text) if done.ok else None
    return match.group(0) if match else ""


def _missing(launch: Launch, program: str, path: str) -> Probe:
    refused = _not_executable(program, path)
    behind = shutil.which(launch.behind, path=path) if launch.behind and program == launch.argv[0] else None
    install = f"; install it: {launch.way_in}" if launch.way_in else ""
    if refused is not None:
        lack, reason = Lack.EXECUTABLE, f"{refused} may not be executed; allow it: chmod +x {refused}"
    elif behind is not None:
        told = f"{launch.title or launch.name} is installed ({behind}), and its adapter {program} is not"
        lack, reason = Lack.ADAPTER, f"{told}{install}"
    else:
        lack, reason = Lack.PROGRAM, f"{program} is not on PATH{install}"
    return Probe(name=launch.name, installed=False, why_not=reason, lack=lack)


def _not_executable(program: str, path: str) -> Path | None:
    """Return a file that would be the program if it could be executed."""
    places = (
        [Path(program)]
        if "/" in program
        else [Path(folder) / program for folder in path.split(":") if folder]
    )
    return next((place for place in places if place.is_file()), None)


async def _too_old(launch: Launch, environment: Mapping[str, str]) -> str:
    if launch.min_node is None or launch.interpreted:
        return ""
    version = await stated_version(("node", "--version"), environment)
    if major_of(version) >= launch.min_node:
        return ""
    needed = f"needs Node.js {launch.min_node} or newer; found {version.removeprefix('v') or 'none'}"
    return f"{needed}; install it: {launch.way_in}" if launch.npm else needed


def _packaged(program: Path) -> str:
    """Read the version of the npm package that a program belongs to, without a start of Node.js."""
    for folder in program.resolve().parents[:_DEPTH]:
        manifest = folder / "package.json"
        if folder.name == "node_modules":
            return ""
        if manifest.is_file():
            try:
                package = json.loads(manifest.read_text("utf-8"))
            except ValueError:
                return ""
            version = package.get("version", "") if isinstance(package, dict) and package.get("name") else ""
            if version:
                return str(version)
    return ""
