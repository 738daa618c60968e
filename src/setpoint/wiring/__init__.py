"""The composition root: the only place that knows every adapter."""

from setpoint.evaluators import Told
from setpoint.wiring.board import add_story, card, cards, file_of, runs_of_story, set_keys, shelf
from setpoint.wiring.cover import cover_course, cover_order, write_cover_report, writes_tests
from setpoint.wiring.crew import BoardOutcome, work_off
from setpoint.wiring.deliveries import observe_deliveries
from setpoint.wiring.doctor import agent_rows, diagnosis
from setpoint.wiring.exporting import run_report, send_trace, write_run_page
from setpoint.wiring.feedback import apply_fix, comment, rewrite_fix
from setpoint.wiring.feedback import dismiss as dismiss_finding
from setpoint.wiring.feedback import known_opinions as opinions
from setpoint.wiring.feedback import rates as apply_rates
from setpoint.wiring.findings import finding_of, findings_of, fix_of
from setpoint.wiring.gates import OpenGate, Wanted, answer, cancel, open_gate, open_gates
from setpoint.wiring.glancing import Glance, glance
from setpoint.wiring.launching import Launcher
from setpoint.wiring.learnings import alike as learnings_alike
from setpoint.wiring.learnings import exported as export_learnings
from setpoint.wiring.learnings import imported as import_learnings
from setpoint.wiring.learnings import learning, learnings, retire_from, uplift
from setpoint.wiring.learnings import merge as merge_learnings
from setpoint.wiring.learnings import weigh as weigh_learning
from setpoint.wiring.ledger import Verified, attested, verify, verify_statement
from setpoint.wiring.metrics import (
    metric_snapshots,
    metrics,
    metrics_exposition,
    store_due_metrics,
    store_metrics,
    write_metrics_page,
)
from setpoint.wiring.mutants import mutate
from setpoint.wiring.orders import check_prompts, order, pipeline, story
from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
from setpoint.wiring.quarantine import flaky_tests, quarantine_entries
from setpoint.wiring.quarantine import put as put_in_quarantine
from setpoint.wiring.quarantine import take_out as take_out_of_quarantine
from setpoint.wiring.reading import FILTERS, RunStory, diff_of, place_of, run_mark, run_story
from setpoint.wiring.roles import players
from setpoint.wiring.scribe import remarks
from setpoint.wiring.stepping import Stepped, step
from setpoint.wiring.trial import Trial, try_agent
from setpoint.wiring.visitors import visitor_tokens
from setpoint.wiring.watching import Heard, watch
from setpoint.wiring.world import drive, measure

__all__ = [
    "FILTERS",
    "BoardOutcome",
    "Glance",
    "Heard",
    "Launcher",
    "OpenGate",
    "Project",
    "RunStory",
    "Stepped",
    "Told",
    "Trial",
    "Verified",
    "Wanted",
    "add_story",
    "agent_rows",
    "answer",
    "apply_fix",
    "apply_rates",
    "attested",
    "cancel",
    "card",
    "cards",
    "check_prompts",
    "comment",
    "cover_course",
    "cover_order",
    "diagnosis",
    "diff_of",
    "dismiss_finding",
    "drive",
    "export_learnings",
    "file_of",
    "find_run",
    "finding_of",
    "findings_of",
    "fix_of",
    "flaky_tests",
    "glance",
    "import_learnings",
    "learning",
    "learnings",
    "learnings_alike",
    "measure",
    "merge_learnings",
    "metric_snapshots",
    "metrics",
    "metrics_exposition",
    "mutate",
    "observe_deliveries",
    "open_gate",
    "open_gates",
    "open_project",
    "opinions",
    "order",
    "pipeline",
    "place_of",
    "players",
    "put_in_quarantine",
    "quarantine_entries",
    "recorded_order",
    "remarks",
    "retire_from",
    "rewrite_fix",
    "run_list",
    "run_mark",
    "run_report",
    "run_story",
    "runs_of_story",
    "send_trace",
    "set_keys",
    "shelf",
    "step",
    "store_due_metrics",
    "store_metrics",
    "story",
    "take_out_of_quarantine",
    "try_agent",
    "uplift",
    "verify",
    "verify_statement",
    "visitor_tokens",
    "watch",
    "weigh_learning",
    "work_off",
    "write_cover_report",
    "write_metrics_page",
    "write_run_page",
    "writes_tests",
]
