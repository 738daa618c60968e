"""The composition root: the only place that knows every adapter."""

from setpoint.wiring.doctor import agent_rows, diagnosis
from setpoint.wiring.gates import OpenGate, Wanted, answer, cancel, open_gate, open_gates
from setpoint.wiring.orders import order, story
from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
from setpoint.wiring.world import drive, measure, verify

__all__ = [
    "OpenGate",
    "Project",
    "Wanted",
    "agent_rows",
    "answer",
    "cancel",
    "diagnosis",
    "drive",
    "find_run",
    "measure",
    "open_gate",
    "open_gates",
    "open_project",
    "order",
    "recorded_order",
    "run_list",
    "story",
    "verify",
]
