"""Starting, limiting and ending process trees; the only place where Setpoint starts a process."""

from setpoint.processes.command import DEFAULT_KEEP, NETWORK_KEEP, Command, Completed, clean_environment
from setpoint.processes.run import run
from setpoint.processes.spawn import Process, spawn

__all__ = [
    "DEFAULT_KEEP",
    "NETWORK_KEEP",
    "Command",
    "Completed",
    "Process",
    "clean_environment",
    "run",
    "spawn",
]
