"""What makes an agent's commands run as the checks do: variables, programs in its work copy, and commands.

The interpreter of the checks imports the measured code before anything installed. An agent gets that through
small programs of its own, `python` and the scripts beside it, and not through PYTHONPATH: an agent that is
itself written in Python would else import the code of the project.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.linked_packages import FOLDER as PACKAGES
from setpoint.checks.discovery.linked_packages import link_packages
from setpoint.checks.discovery.own_commands.variables import with_own
from setpoint.checks.discovery.project import Project
from setpoint.presets import presets
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import inherited
from setpoint.system.files.agent_folder import FOLDER, PROGRAMS, show_files
from setpoint.system.processes import DEFAULT_KEEP
from setpoint.system.processes.fresh_home import toolchains

_NOT_FOR_AGENTS = ("PYTHONPATH", "PYTHONPYCACHEPREFIX", "GIT_CEILING_DIRECTORIES")
"""Variables of the checks that agents get in another way."""
_HEAD_BYTES = 300
_PROGRAM = """\
#!/bin/sh
# {name} as the checks run it: with their Python, on the files of this work copy.
top=$(cd "${{0%/*}}/../.." && pwd)
PYTHONPATH={path}${{PYTHONPATH:+":$PYTHONPATH"}} exec {program} "$@"
"""


def variables(project: Project) -> dict[str, str]:
    """Return the variables for an agent's commands; `{workdir}` stands for the work copy.

    `PATH` holds the folders that come before all others.
    """
    interpreter = project.interpreter
    first = [f"{{workdir}}/{FOLDER}/{PROGRAMS}"]
    if (Path(interpreter.prefix) / "pyvenv.cfg").is_file():
        # Of a Python of the system the folder holds everything else too, also another node than the user's.
        first.append(str(Path(interpreter.path).parent))
    theirs = environment(replace(interpreter, passed=()), project.root, ()).items()
    others = {name: value for name, value in theirs if name not in (*DEFAULT_KEEP, *_NOT_FOR_AGENTS)}
    call = project.layout.python_call
    of_tests = [(name, text) for name, text in call.variables if name not in _NOT_FOR_AGENTS] if call else []
    asked = with_own(of_tests, others, Path("{workdir}"))
    return {**toolchains(), **inherited(project.to_agents.variables), **asked, "PATH": ":".join(first)}


def equip(project: Project, workdir: Path, more: Mapping[str, str]) -> None:
    """Put programs, `more` of them, and installed packages into a work copy, where git does not see them."""
    layout = project.layout
    with contextlib.suppress(OSError):  # an agent that is in the way gets none
        show_files(workdir, PROGRAMS, {**programs(project), **more}, only=True, program=True)
    folders = [each for each in layout.package_folders if not (workdir / each / PACKAGES).exists()]
    link_packages(project.root, workdir, folders, layout.committed_packages)


def programs(project: Project) -> dict[str, str]:
    """Return the programs of a work copy: the interpreter and the scripts that belong to it, by name."""
    interpreter, imports = project.interpreter, project.layout.imports
    path = ":".join(f'"$top/{folder}"' if folder else '"$top"' for folder in imports)
    pythons = ("python", "python3", f"python{interpreter.version.rpartition('.')[0]}")
    # The path may be that of a small program that chooses the interpreter (pyenv): scripts are not beside it.
    folder = Path(interpreter.prefix) / "bin"
    found = {name: str(folder / name) for name in _scripts(folder)} | dict.fromkeys(pythons, interpreter.path)
    return {
        name: _PROGRAM.format(name=name, path=path, program=shlex.quote(program))
        for name, program in found.items()
    }


def commands(project: Project, checks: ChecksSettings) -> tuple[str, ...]:
    """Return commands that run the tests in a work copy with these programs and variables."""
    return (*_of_python(project, checks), *_of_packages(project))


def _of_python(project: Project, checks: ChecksSettings) -> Iterator[str]:
    if "pytest" in project.chosen:
        words = ["python", "-m", "pytest", "-q"]
        # A part of the tests is to be run without a share of coverage that the whole has to reach.
        words += ["--no-cov"] if project.interpreter.has("pytest-cov") else []
        own = project.layout.python_call
        command = shlex.join((*words, *(own.options if own else ()), *checks.pytest_args))
        command = f"{own.before} && {command}" if own and own.before else command
        roots = project.layout.test_roots
        yield from (f"cd {shlex.quote(root.folder)} && {command}" for root in roots) if roots else (command,)
    elif "unittest" in project.chosen:
        folder = project.layout.tests[0].rpartition("/")[0].partition("/")[0] if project.layout.tests else ""
        yield shlex.join(("python", "-m", "unittest", *(("discover", "-s", folder) if folder else ())))


def _of_packages(project: Project) -> Iterator[str]:
    for name, found in project.layout.suites.items():
        if name not in project.chosen:
            continue
        for folder in found.folders:
            own = next((each.shown for each in found.calls.get(folder, ())), "")
            if command := own or presets()[name].command:
                yield f"cd {shlex.quote(folder)} && {command}" if folder else command


def _scripts(folder: Path) -> Iterator[str]:
    """Name the scripts in the folder of an interpreter that it runs itself."""
    own = f"{folder}/python".encode()
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        if each.is_file() and os.access(each, os.X_OK):
            with each.open("rb") as file:
                head = file.read(_HEAD_BYTES)
            if head.startswith(b"#!") and own in head:
                yield each.name
