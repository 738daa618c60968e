"""Programs that `setpoint agents setup` installed in Setpoint's own folder, and agents that start there."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.system.files.data_folder import data_folder
from setpoint.system.processes import clean_environment

PARTIAL = ".partial-"
"""In the name of a folder that is being filled, or was when its installation broke."""
_CPU = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


class OwnPrograms:
    """Installed npm packages, each with its version in a folder of its own."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use the packages in a folder, by default in that of the user."""
        self.folder = folder or data_folder() / "packages"

    def place(self, package: str) -> Path:
        """Name the folder of a package; `package` is `NAME@VERSION`."""
        return self.folder / package.replace("/", "+")

    def has(self, package: str) -> bool:
        """Whether exactly this version was installed."""
        return self.place(package).is_dir()

    def program(self, package: str, name: str) -> Path | None:
        """Return a program of an installed package; another version where the named one is not installed."""
        others = sorted(self._others(package), key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in (self.place(package), *others):
            if (found := folder / "node_modules" / ".bin" / name).exists():
                return found
        return None

    def node(self, package: str) -> Path | None:
        """Return the Node.js that was installed; none where there is none."""
        return self.program(package, "node")

    def _others(self, package: str) -> Iterable[Path]:
        name = self.place(package).name.rpartition("@")[0]
        return (each for each in self.folder.glob(f"{name}@*") if PARTIAL not in each.name)


def node_package(version: str) -> str:
    """Return the npm package that holds Node.js of a version for this machine."""
    cpu = platform.machine().lower()
    return f"node-{sys.platform}-{_CPU.get(cpu, cpu)}@{version}"


def located(launch: Launch, node: str, own: OwnPrograms) -> Launch:
    """Return an agent that starts from Setpoint's own folder, if it was set up there.

    Where a Node.js was installed, it runs the programs of agents that are scripts for it, by its path: the
    PATH of the agent stays that of the user, so that the tools that the agent calls are the user's.
    """
    if launch.protocol == "model" or not launch.npm or "/" in launch.argv[0]:
        return launch
    found = own.program(launch.npm, launch.argv[0])
    interpreter = own.node(node)
    program = found or _on_path(launch)
    if interpreter is not None and program is not None and is_node_script(program):
        return started_by(launch, (str(interpreter), str(program.resolve())))
    return launch if found is None else started_by(launch, (str(found),))


def _on_path(launch: Launch) -> Path | None:
    found = shutil.which(launch.argv[0], path=clean_environment(launch.environment).get("PATH"))
    return Path(found) if found else None


def started_by(launch: Launch, first: tuple[str, ...]) -> Launch:
    """Return an agent whose commands begin with other words than the name of its program."""
    program = launch.argv[0]

    def moved(argv: tuple[str, ...]) -> tuple[str, ...]:
        return (*first, *argv[1:]) if argv[:1] == (program,) else argv

    return launch.model_copy(
        update={
            "argv": moved(launch.argv),
            "resume_argv": moved(launch.resume_argv),
            "login_argv": moved(launch.login_argv),
            "version_argv": moved(launch.version_argv),
            "interpreted": len(first) > 1,
        }
    )


def is_node_script(program: Path) -> bool:
    """Whether a program is a script that Node.js runs."""
    try:
        with program.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"node" in first
