"""Starting, limiting and ending process trees; the only place where Setpoint starts a process."""

from setpoint.processes.command import DEFAULT_KEEP, NETWORK_KEEP, Command, Completed, clean_environment
from setpoint.processes.confinement import Confinement, confining
from setpoint.processes.run import run
from setpoint.processes.spawn import Process, spawn
from setpoint.processes.trial import Trial, trial

__all__ = [
    "DEFAULT_KEEP",
    "NETWORK_KEEP",
    "Command",
    "Completed",
    "Confinement",
    "Process",
    "Trial",
    "clean_environment",
    "confining",
    "run",
    "spawn",
    "trial",
]
