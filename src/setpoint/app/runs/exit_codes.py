"""The exit code that each ending of a run leads to, in a terminal and through the library."""

from __future__ import annotations

from setpoint.errors import ExitCode
from setpoint.model.ending import Ending

EXIT = {
    Ending.VERIFIED: ExitCode.OK,
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
"""Exit code by ending."""
