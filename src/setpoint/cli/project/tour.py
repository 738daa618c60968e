"""`setpoint demo --tour` and `--halting`: runs of a scripted agent, each event with what it means."""

from __future__ import annotations

import json
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding

from setpoint.cli.render.console import Screen
from setpoint.cli.render.event_lines import line
from setpoint.model.events import Event
from setpoint.model.events.run import AgentFinished
from setpoint.model.run import RunOrder
from setpoint.wiring.project import Project

AGENT = "eager"
_END = "run.finished"


def _script(name: str = "tour") -> dict[str, Any]:
    file = resources.files("setpoint.cli").joinpath("sample_tour", f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def tour_agent(folder: Path, name: str) -> dict[str, Any]:
    """Write the script of a tour's agent into a folder; return the settings for a run of this agent."""
    played = [[{"shell": turn["shell"]}, {"say": turn["says"]}] for turn in _script(name)["turns"]]
    file = folder / "script.json"
    file.write_text(json.dumps({"name": AGENT, "counter": "played", "prompts": played}), "utf-8")
    command = [sys.executable, "-m", "setpoint.agents.scripted", str(file)]
    agent = {"protocol": "acp", "command": command, "writes": [f"{folder}/"]}
    return {"agent": {AGENT: agent}, "agents": {"maker": AGENT, "test_designer": "rules"}}


def take_tour(project: Project, order: RunOrder, name: str) -> int:
    """Drive the run; print what the agent says, what Setpoint measures, and what it means."""
    from setpoint.app.runs.drive import drive_run
    from setpoint.cli.render.live import closing

    console = Screen(highlight=False)
    guide = _Guide(console, _script(name)["told"])
    guide.tell("begin")
    outcome = drive_run(project, order, heard=guide.heard)
    console.print()
    code = closing(project, order, outcome, as_json=False)
    console.print()
    guide.tell(_END)
    return code


class _Guide:
    """Prints some events of the run, each with what it means."""

    def __init__(self, console: Console, told: dict[str, str]) -> None:
        self._console, self._told = console, told

    def heard(self, event: Event) -> None:
        """Print an event that the tour explains, and what the agent claims."""
        body = event.body
        iteration = getattr(body, "iteration", 0)
        if isinstance(body, AgentFinished):
            said = body.snapshot.attempt.text if body.snapshot.attempt else ""
            self._console.print(f'\nThe agent, iteration {iteration}: "{said}"', style="bold", markup=False)
        key = next((key for key in (body.kind, f"{body.kind} {iteration}") if key in self._told), _END)
        if key != _END:
            shown = line(body)
            self._console.print(f"\n{shown.text}", style=shown.style, markup=False)
            self.tell(key)

    def tell(self, key: str) -> None:
        """Print an explanation, once."""
        self._console.print(Padding(" ".join(self._told.pop(key).split()), (0, 0, 0, 2)))
