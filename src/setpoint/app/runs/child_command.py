"""A verb of Setpoint's as a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from setpoint.settings import whole_environment
from setpoint.system.processes import Command

LONGEST_S = 30 * 86400.0
"""Time limit of a child process that hangs; a run's own limits end it much earlier."""


def verb_command(root: Path, *verb: str, stdin: str = "", without: Collection[str] = ()) -> Command:
    """Return the command by which this Setpoint runs a verb in a repository.

    It inherits this environment except the variables in `without`.
    """
    return Command(
        # -P: nothing in the user's repository may stand in for a module of Setpoint's.
        argv=(sys.executable, "-P", "-m", "setpoint", *verb),
        cwd=root,
        environment={name: value for name, value in whole_environment().items() if name not in without},
        timeout_s=LONGEST_S,
        merge_stderr=True,
        stdin=stdin.encode(),
    )
