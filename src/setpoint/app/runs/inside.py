"""Whether this process works inside a run of Setpoint: there, tools for a person's own agent do nothing."""

from __future__ import annotations

from pathlib import Path

from setpoint.app.runs.work_copy import in_work_copy
from setpoint.errors import UsageError
from setpoint.system.files.locks import RunLocks
from setpoint.system.git.tree_signature import TreeLook, look
from setpoint.system.processes.ancestors import ancestors


def own_tree(here: Path) -> TreeLook:
    """Return the working tree that a folder lies in; `UsageError` in the work copy of a run."""
    seen = look(here)
    if in_work_copy(seen.root):
        raise _refused()
    return seen


def refuse_below_run(state: Path) -> None:
    """Raise `UsageError` in a process that a run with this state folder started."""
    if RunLocks(state).owned_by(ancestors()):
        raise _refused()


def _refused() -> UsageError:
    return UsageError(
        "Setpoint drives this agent: these tools are for agents that a person drives",
        hint="call `setpoint_check`, or end your turn: Setpoint measures your work then",
    )
