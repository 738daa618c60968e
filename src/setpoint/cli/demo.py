"""`setpoint demo`: the main job on a small project with two bugs, with no key and no network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.styles import say
from setpoint.errors import UsageError

WISH = "make the failing tests pass"


def demo(
    folder: Annotated[Path, typer.Argument(help="A new folder for the sample project.")] = Path(
        "setpoint-demo"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """Make a small project with two bugs and let the built-in mechanic mend it under Setpoint's eyes."""
    from setpoint import wiring
    from setpoint.cli.live import follow

    root = _sample(folder.resolve())
    flags = {"agents": {"maker": "mechanic"}, "checks": {"python": sys.executable}}
    project = wiring.open_project(root, flags)
    ordered = wiring.order(project, wiring.story(project, WISH))
    say(f"sample project with two bugs: {root}", err=as_json)
    code = follow(project, ordered, as_json=as_json)
    say(f"look around: cd {root} && setpoint show", err=as_json)
    return code


def _sample(root: Path) -> Path:
    if root.exists() and any(root.iterdir()):
        message = f"{root} is not empty"
        raise UsageError(message, mend="give a new folder: setpoint demo FOLDER")
    with resources.as_file(resources.files("setpoint.cli").joinpath("sample")) as sample:
        shutil.copytree(sample, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    git = ["git", "-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-q", "-m", "A project with two bugs"],
    ):
        subprocess.run([*git, *arguments], cwd=root, check=True)
    return root
