"""Which tests a change can reach: from what each test reached before, and what has changed since."""

from setpoint.evaluators.impact.choose import Impact, choose
from setpoint.evaluators.impact.reach import Reach, ReachFile

__all__ = ["Impact", "Reach", "ReachFile", "choose"]
