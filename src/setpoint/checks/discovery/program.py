"""Finding the program of a tool: the project's own where it keeps it, else for Python one beside Setpoint."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.linked_packages import fingerprint
from setpoint.checks.discovery.tool_start import START_S, Starts, start_fault
from setpoint.presets import Preset, Via
from setpoint.system.processes import Command, run

_DISTRIBUTION = re.compile(r"^distributionUrl\s*=\s*(\S+)", re.MULTILINE)
MENDS = {
    Via.MODULE: "install it in the project's environment",
    Via.SCRIPT: "install it in the project's environment",
    Via.NODE: "install it in the project's node_modules",
    Via.PATH: "put it on PATH",
}
"""What to do where a tool is not installed."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program that was found."""

    argv: tuple[str, ...]
    """What starts it."""
    version: str
    """As it states it; empty where it states none."""
    place: str
    """Where it was found, for a reason a person reads."""
    identity: tuple[str, ...]
    """Changes whenever another program would be started."""
    fault: str = ""
    """Why it cannot be used, though it is there; empty where it was started and answered."""


def python_program(preset: Preset, project: Interpreter, own: Interpreter) -> Program | None:
    """Find a Python module or script, in the project's own environment first."""
    for holder, place in ((project, "in the project's environment"), (own, "beside Setpoint")):
        script = Path(holder.path).parent / preset.program
        if holder.has(preset.package) and (preset.via is Via.MODULE or script.is_file()):
            return Program(
                argv=(str(script),)
                if preset.via is Via.SCRIPT
                else (holder.path, "-I", "-m", preset.program),
                version=holder.modules[preset.package],
                place=place,
                identity=(holder.path, holder.fingerprint),
            )
    return None


async def found_program(
    preset: Preset,
    project: Interpreter,
    own: Interpreter,
    root: Path,
    folders: Sequence[str] = ("",),
    starts: Starts | None = None,
) -> Program | None:
    """Find the program of a tool for the project at `root`, and start it once; none if it is not installed.

    `folders` are those of the project with a `package.json`, in which packages may be installed. What
    `starts` remembers is not started again.
    """
    kept = starts or Starts()
    variables = environment(project, root, ())
    if preset.via in (Via.MODULE, Via.SCRIPT):
        program = python_program(preset, project, own)
        if program is None or kept.knows((*program.argv, *program.identity)):
            return program
        done = await run(_asking(program.argv, preset, root, variables))
        kept.took((*program.argv, *program.identity), done)
        return replace(program, fault=start_fault(done))
    if preset.via is Via.NODE:
        place = "in node_modules"
        bins = (root / folder / "node_modules" / ".bin" / preset.program for folder in ("", *folders))
        path = next((str(found) for found in bins if found.is_file()), None)
    else:
        wrapper = wrapped(preset, root)
        place = f"by {wrapper.name}" if wrapper else "on PATH"
        path = str(wrapper) if wrapper else shutil.which(preset.program, path=variables["PATH"])
    if path is None:
        return None
    stamp = Path(path).resolve().stat()
    done = await run(_asking((path,), preset, root, variables))
    packages = fingerprint(root, ("", *folders)) if preset.via is Via.NODE else ""
    said = (done.text.strip() or done.errors.strip()).splitlines() if done.ok else []
    return Program(
        argv=(path,),
        version=said[0][:80] if said and not said[0].startswith("usage: ") else "",
        place=place,
        identity=(path, str(stamp.st_size), str(stamp.st_mtime_ns), packages, *said[:1]),
        fault=start_fault(done),
    )


def wrapped(preset: Preset, root: Path) -> Path | None:
    """Return the project's script that starts the tool; none where it would download the tool first."""
    wrapper = preset.wrapper
    if wrapper is None or not os.access(root / wrapper.script, os.X_OK):
        return None
    settings = root / wrapper.settings
    text = settings.read_text("utf-8", "replace") if settings.is_file() else ""
    if (wanted := _DISTRIBUTION.search(text)) is None:
        return root / wrapper.script
    name = wanted[1].rpartition("/")[2].removesuffix(".zip").removesuffix(".tar.gz")
    name = name.removesuffix("-bin").removesuffix("-all")
    there = any((Path.home() / wrapper.kept).glob(f"{name}*/*"))
    return root / wrapper.script if there else None


def _asking(argv: tuple[str, ...], preset: Preset, root: Path, variables: dict[str, str]) -> Command:
    """Make the command with which a program tells its version, the cheapest way to start it."""
    return Command(argv=(*argv, *preset.version), cwd=root, environment=variables, timeout_s=START_S)
