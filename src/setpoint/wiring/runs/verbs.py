"""A verb of Setpoint's as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.processes import Command
from setpoint.settings import whole_environment

LONGEST_S = 30 * 86400.0
"""A run's own limits end it; this only keeps a process that hangs from staying for ever."""


def verb_command(root: Path, *verb: str, stdin: str = "") -> Command:
    """Give the command by which this Setpoint, with this environment, runs a verb in a repository."""
    return Command(
        # -P: nothing in the user's repository may stand in for a module of Setpoint's.
        argv=(sys.executable, "-P", "-m", "setpoint", *verb),
        cwd=root,
        environment=whole_environment(),
        timeout_s=LONGEST_S,
        merge_stderr=True,
        stdin=stdin.encode(),
    )
