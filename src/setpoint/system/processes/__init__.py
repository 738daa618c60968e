"""Start, limit, confine and end process trees; the only place that starts a process."""

from setpoint.system.environment import DEFAULT_KEEP, NETWORK_KEEP, clean_environment
from setpoint.system.processes.command import NOT_HELD, Command, Completed
from setpoint.system.processes.confinement import Confinement
from setpoint.system.processes.confinement_test import Trial, trial
from setpoint.system.processes.hold import Hold, ambient, hold_identity, holding, narrowing, withholding
from setpoint.system.processes.leftovers import end_left, owned, owner_of
from setpoint.system.processes.no_network import missing_namespaces, without_network
from setpoint.system.processes.run import run
from setpoint.system.processes.spawn import Process, spawn

__all__ = [
    "DEFAULT_KEEP",
    "NETWORK_KEEP",
    "NOT_HELD",
    "Command",
    "Completed",
    "Confinement",
    "Hold",
    "Process",
    "Trial",
    "ambient",
    "clean_environment",
    "end_left",
    "hold_identity",
    "holding",
    "missing_namespaces",
    "narrowing",
    "owned",
    "owner_of",
    "run",
    "spawn",
    "trial",
    "withholding",
    "without_network",
]
