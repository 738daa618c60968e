"""The composition root: the only place that knows every adapter."""

from setpoint.wiring.doctor import agent_rows, diagnosis
from setpoint.wiring.findings import finding_of, findings_of, fix_of
from setpoint.wiring.gates import OpenGate, Wanted, answer, cancel, open_gate, open_gates
from setpoint.wiring.orders import check_prompts, order, pipeline, story
from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
from setpoint.wiring.world import drive, measure, verify

__all__ = [
    "OpenGate",
    "Project",
    "Wanted",
    "agent_rows",
    "answer",
    "cancel",
    "check_prompts",
    "diagnosis",
    "drive",
    "find_run",
    "finding_of",
    "findings_of",
    "fix_of",
    "measure",
    "open_gate",
    "open_gates",
    "open_project",
    "order",
    "pipeline",
    "recorded_order",
    "run_list",
    "story",
    "verify",
]
