"""`setpoint demo`: a verified run on a sample project, without API key or network."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import UsageError

REQUEST = "make the failing tests pass"
_HIDDEN = "test_by_hand.py"


def demo(
    folder: Annotated[Path, typer.Argument(help="New folder for the sample project.")] = Path(
        "setpoint-demo"
    ),
    tour: Annotated[
        bool,
        typer.Option("--tour", help="Explain a run of an agent that claims to be done, and is caught."),
    ] = False,
    halting: Annotated[
        bool, typer.Option("--halting", help="Explain when a loop continues and when it stops.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> int:
    """Create a sample project with two bugs and let the built-in mechanic fix it in a verified run."""
    from setpoint.app.runs.order import make_order, resolve_story
    from setpoint.cli.project.tour import take_tour, tour_agent
    from setpoint.cli.render.live import follow
    from setpoint.wiring.project import open_project

    if importlib.util.find_spec("pytest") is None:
        message = f"the sample's tests need pytest, which {sys.executable} does not have"
        raise UsageError(message, hint="pip install 'setpoint[checks]'")
    if tour and halting:
        raise UsageError("--tour and --halting are two demonstrations", hint="name one of them")
    told = "halting" if halting else "tour" if tour else ""
    root = _sample(folder.resolve(), "sample_halting" if halting else "sample")
    flags = {"agents": {"maker": "mechanic"}, "checks": {"python": sys.executable}}
    say(f"sample project {'without payments' if halting else 'with two bugs'}: {root}", err=as_json)
    hidden_test = resources.files("setpoint.cli").joinpath("sample_hidden", _HIDDEN)
    with TemporaryDirectory(prefix="setpoint-tour-") as script, resources.as_file(hidden_test) as hidden:
        flags |= tour_agent(Path(script), told) if told else {}
        if halting:  # a slow machine proves the third state, too, so that the loop stops there
            flags |= {"proof": {"seconds": "120"}}
        project = open_project(root, flags)
        story = resolve_story(project, REQUEST)
        if not halting:
            say(f"your hidden test, which the agent cannot read: {_HIDDEN}", err=as_json)
            story = story.model_copy(update={"accept_hidden": (str(hidden),)})
        ordered = make_order(project, story)
        code = take_tour(project, ordered, told) if told else follow(project, ordered, as_json=as_json)
    say(f"next: cd {root} && setpoint show", err=as_json)
    return code


def _sample(root: Path, name: str) -> Path:
    if root.exists() and any(root.iterdir()):
        message = f"{root} is not empty"
        raise UsageError(message, hint="choose a new folder: setpoint demo FOLDER")
    with resources.as_file(resources.files("setpoint.cli").joinpath(name)) as sample:
        shutil.copytree(sample, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    git = ["git", "-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-q", "-m", "A sample project"],
    ):
        subprocess.run([*git, *arguments], cwd=root, check=True)
    return root
