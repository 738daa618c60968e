"""The variables of an agent's process: those of the checks, so that its commands do what the checks do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from setpoint.agents.launch import Launch
from setpoint.model.attempt import Brief
from setpoint.system.git.git import ceiling
from setpoint.system.processes import DEFAULT_KEEP, NETWORK_KEEP, clean_environment


def environment_of(
    launch: Launch, brief: Brief, passed: Mapping[str, str], pointed: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of an agent that works on a brief.

    The brief's own come first in PATH, then the agent's. Elsewhere the agent's replace them: `passed` from
    Setpoint's environment, those of its registry entry, and `pointed`, which lead to the recording proxy.
    """
    tools = {name: value.replace("{workdir}", brief.workdir) for name, value in brief.environment.items()}
    first = tools.pop("PATH", "")
    extra = {**ceiling(brief.workdir), **tools, **passed, **launch.environment, **pointed}
    made = clean_environment(extra, keep=DEFAULT_KEEP + NETWORK_KEEP)
    if first:
        parts = [*first.split(":"), *(part for part in made.get("PATH", "").split(":") if part != _own_bin())]
        made["PATH"] = ":".join(dict.fromkeys(part for part in parts if part))
    return made


def found(argv: tuple[str, ...], launch: Launch) -> tuple[str, ...]:
    """Return a command with the path of its program, found by the agent's own PATH and not by the checks'."""
    path = launch.environment.get("PATH") or clean_environment().get("PATH")
    program = shutil.which(argv[0], path=path) if argv and "/" not in argv[0] else None
    return (program, *argv[1:]) if program else argv


def _own_bin() -> str:
    """Return the folder of Setpoint's own programs; empty if it runs in no environment of its own."""
    return str(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else ""
