"""The event log in memory, with the promises of the real one."""

from setpoint.history.memory_log import MemoryEventLog

__all__ = ["MemoryEventLog"]
