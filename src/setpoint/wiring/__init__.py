"""The composition root: the only place that knows every adapter."""

from setpoint.wiring.doctor import agent_rows, diagnosis
from setpoint.wiring.orders import check_prompts, order, pipeline, story
from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
from setpoint.wiring.world import drive, measure, verify

__all__ = [
    "Project",
    "agent_rows",
    "check_prompts",
    "diagnosis",
    "drive",
    "find_run",
    "measure",
    "open_project",
    "order",
    "pipeline",
    "recorded_order",
    "run_list",
    "story",
    "verify",
]
