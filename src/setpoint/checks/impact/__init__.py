"""Select the tests that a change can affect."""

from setpoint.checks.impact.reach_map import Reach, ReachFile
from setpoint.checks.impact.selection import Impact, choose, fitting

__all__ = ["Impact", "Reach", "ReachFile", "choose", "fitting"]
