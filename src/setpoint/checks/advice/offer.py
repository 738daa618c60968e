"""How an agent gets `setpoint_check`: a command in its work copy, and a server that its protocol starts."""

from __future__ import annotations

import shlex
import sys

from setpoint.checks.advice import client
from setpoint.model.config.self_check import SelfCheckSettings
from setpoint.system.files.agent_folder import FOLDER, QUESTIONS

_COMMAND = """\
#!/bin/sh
# What Setpoint's fast checks say of the files as they are now. It takes no arguments.
top=$(cd "${{0%/*}}/../.." && pwd)
exec {start} "$top"/{folder} {seconds:g} "$@"
"""


def command(terms: SelfCheckSettings) -> dict[str, str]:
    """Return the program for the agent's PATH, by name; empty where makers have none."""
    if not terms.enabled:
        return {}
    folder = f"{FOLDER}/{QUESTIONS}"
    return {
        "setpoint_check": _COMMAND.format(start=shlex.join(_start()), folder=folder, seconds=terms.answer_s)
    }


def server(terms: SelfCheckSettings) -> tuple[str, ...]:
    """Return the command of a server of the Model Context Protocol; `{workdir}` stands for the work copy."""
    if not terms.enabled:
        return ()
    return (*_start(), "mcp", f"{{workdir}}/{FOLDER}/{QUESTIONS}", f"{terms.answer_s:g}")


def _start() -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", client.__file__)
