"""A verb of Setpoint's as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.settings import whole_environment
from setpoint.system.processes import Command

LONGEST_S = 30 * 86400.0
"""Time limit of a child process that hangs; a run's own limits end it much earlier."""


def verb_command(root: Path, *verb: str, stdin: str = "") -> Command:
    """Return the command by which this Setpoint, with this environment, runs a verb in a repository."""
    return Command(
        # -P: nothing in the user's repository may stand in for a module of Setpoint's.
        argv=(sys.executable, "-P", "-m", "setpoint", *verb),
        cwd=root,
        environment=whole_environment(),
        timeout_s=LONGEST_S,
        merge_stderr=True,
        stdin=stdin.encode(),
    )
