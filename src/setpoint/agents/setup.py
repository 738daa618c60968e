"""Install what an agent lacks: npm packages at pinned versions, in Setpoint's own folder, never globally."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.agents.own_programs import PARTIAL, OwnPrograms
from setpoint.agents.probing import environment_of, major_of, node_version
from setpoint.errors import NoUsableAgent
from setpoint.model.value import Value
from setpoint.settings import whole_environment
from setpoint.system.processes import DEFAULT_KEEP, NETWORK_KEEP, Command, clean_environment, run

INSTALL_S = 1800.0
"""Seconds that npm may take for one package; agents bring some hundred megabytes."""
_TAIL = 600


class Step(Value):
    """A package to install."""

    package: str
    """`NAME@VERSION`."""
    why: str
    beside: tuple[str, ...] = ()
    """Other packages in the same folder, of the same version, without scripts of their own."""


class SetupPlan(Value):
    """What is missing for an agent, and where it will lie."""

    agent: str
    title: str
    folder: str
    steps: tuple[Step, ...] = ()
    blocked: str = ""
    """Why Setpoint cannot install what is missing."""
    hint: str = ""


async def plan_setup(launch: Launch, node: str, own: OwnPrograms) -> SetupPlan:
    """Find out what is missing; nothing is installed. `node` is the package of the pinned Node.js."""
    about = SetupPlan(agent=launch.name, title=launch.title or launch.name, folder=str(own.folder))
    path = environment_of(launch).get("PATH", "")
    program = launch.argv[0]
    if not launch.npm:
        found = shutil.which(program, path=path) is not None
        hint = launch.install or f"correct the command under [agent.{launch.name}]"
        missing = {"blocked": f"{program} is not on PATH", "hint": hint}
        return about if found else about.model_copy(update=missing)
    ours = own.program(launch.npm, program)
    steps = []
    if not own.has(launch.npm) and (ours is not None or shutil.which(program, path=path) is None):
        front = f", the adapter in front of {launch.behind}" if launch.behind else ""
        steps.append(Step(package=launch.npm, why=f"{program}{front}"))
    needed = max(launch.min_node or 0, (launch.npm_node or 0) if steps or ours is not None else 0)
    version = await node_version(launch) if needed else ""
    if needed and major_of(version) < needed and not own.has(node):
        there = f"the one on PATH is {version.removeprefix('v')}" if version else "there is none on PATH"
        steps.insert(0, Step(package=node, why=f"Node.js {needed} or newer; {there}"))
    if steps and shutil.which("npm", path=path) is None:
        hint = "install Node.js with npm; or use an agent that needs neither (`setpoint agents` lists them)"
        missing = {"blocked": "npm, which would install it, is not on PATH", "hint": hint}
        return about.model_copy(update=missing)
    return about.model_copy(update={"steps": tuple(steps)})


async def install(step: Step, own: OwnPrograms) -> Path:
    """Install a package and return its folder; raises `NoUsableAgent` with npm's last words if it cannot.

    It is filled beside its place and then moved there, so that a half-filled folder is never used.
    """
    place = own.place(step.package)
    name, _, version = step.package.rpartition("@")
    partial = place.with_name(f"{place.name}{PARTIAL}{uuid.uuid4().hex[:8]}")
    partial.mkdir(parents=True, mode=0o700)
    try:
        # npm runs the installation script of this package alone; older ones run every script.
        versions = dict.fromkeys((name, *step.beside), version)
        manifest = {"private": True, "dependencies": versions, "allowScripts": {name: True}}
        (partial / "package.json").write_text(json.dumps(manifest), "utf-8")
        done = await run(
            Command(
                argv=("npm", "install", "--no-audit", "--no-fund", "--loglevel=error"),
                cwd=partial,
                environment=_environment(),
                timeout_s=INSTALL_S,
                merge_stderr=True,
            )
        )
        if not done.ok:
            said = " ".join(done.text.split())[-_TAIL:]
            raise NoUsableAgent(
                f"npm did not install {step.package} ({done.ending}): {said}",
                hint="check the network and the registry of npm (npm config get registry), and try again",
            )
        if not place.exists():
            partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return place


def _environment() -> dict[str, str]:
    """Return what npm gets: the user's configuration of npm, and no other secrets.

    Its Node.js stays the user's, too: npm finds its global configuration beside it.
    """
    whole = whole_environment()
    npm = {key: value for key, value in whole.items() if key.lower().startswith("npm_config_")}
    return clean_environment(npm, keep=DEFAULT_KEEP + NETWORK_KEEP)
