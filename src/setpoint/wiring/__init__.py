"""The composition root: the only place that knows every adapter."""

from setpoint.wiring.doctor import agent_rows, diagnosis
from setpoint.wiring.ledger import Verified, attested, verify, verify_statement
from setpoint.wiring.mutants import mutate
from setpoint.wiring.orders import order, story
from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
from setpoint.wiring.world import drive, measure

__all__ = [
    "Project",
    "Verified",
    "agent_rows",
    "attested",
    "diagnosis",
    "drive",
    "find_run",
    "measure",
    "mutate",
    "open_project",
    "order",
    "recorded_order",
    "run_list",
    "story",
    "verify",
    "verify_statement",
]
