"""Who may act as the person: nobody that an agent or a check started."""

from __future__ import annotations

from setpoint.errors import UsageError
from setpoint.system.processes.ancestors import ancestors, supervised
from setpoint.wiring.project import Project


def require_person(project: Project) -> None:
    """Refuse what only a person may do to a process that an agent or a check of this project started.

    Where a sandbox works, the kernel refuses it as well, whatever that process does.
    """
    run = project.locks.owned_by(ancestors())
    if run:
        raise UsageError(
            f"this process was started by {run}: no agent and no check may answer, start or end runs",
            hint="use a terminal of your own",
        )


def require_own_process() -> None:
    """Refuse what changes the user's machine to a process that an agent or a check of any project started."""
    if supervised():
        raise UsageError(
            "an agent or a check started this process: neither may install programs",
            hint="use a terminal of your own",
        )
