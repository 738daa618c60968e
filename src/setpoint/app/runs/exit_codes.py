"""The exit code that each ending of a run leads to, in a terminal and through the library."""

from __future__ import annotations

from setpoint.errors import ExitCode
from setpoint.model.ending import EXAMINED, Ending, is_usable

_EXIT = {
    Ending.ACCEPTED: ExitCode.OK,
    Ending.MET: ExitCode.OK,
    Ending.UNPROVEN: ExitCode.UNPROVEN,
    Ending.UNPROVABLE: ExitCode.UNPROVABLE,
    Ending.STOPPED: ExitCode.STOPPED,
    Ending.ESCALATED: ExitCode.STOPPED,
    Ending.SKIPPED: ExitCode.CANCELLED,
    Ending.BROKEN_AGENT: ExitCode.NO_AGENT,
    Ending.CANCELLED: ExitCode.CANCELLED,
}
"""Exit code by ending, where the exam of the work does not decide."""


def exit_code(ending: Ending, branch: str) -> ExitCode:
    """Return the exit code of an ended run; examined work ends with 0 where the exam is enough."""
    if ending in EXAMINED:
        return ExitCode.OK if is_usable(ending, branch) else ExitCode.UNPROVEN
    return _EXIT[ending]
