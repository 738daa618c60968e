"""The composition root: the only place that knows every adapter.

What it offers is imported below for readers and type checkers, and loaded when it is first asked for: a verb
that reads a record loads neither agents nor evaluators nor the durable engine.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.syntax import parse

if TYPE_CHECKING:
    from setpoint.evaluators import Told
    from setpoint.events.opinions import Opinion, Sought
    from setpoint.wiring.doctor import agent_rows, diagnosis
    from setpoint.wiring.measuring.ledger import Verified, attested, verify, verify_statement
    from setpoint.wiring.measuring.mutants import mutate
    from setpoint.wiring.measuring.quarantine import flaky_tests, quarantine_entries
    from setpoint.wiring.measuring.quarantine import put as put_in_quarantine
    from setpoint.wiring.measuring.quarantine import take_out as take_out_of_quarantine
    from setpoint.wiring.measuring.watching import Heard, watch
    from setpoint.wiring.memory import memory_of
    from setpoint.wiring.people.deliveries import notice_deliveries, observe_deliveries
    from setpoint.wiring.people.editing import answer_with_edit
    from setpoint.wiring.people.feedback import Decided, apply_fix, comment, fixable, rewrite_fix
    from setpoint.wiring.people.feedback import dismiss as dismiss_finding
    from setpoint.wiring.people.feedback import known_opinions as opinions
    from setpoint.wiring.people.feedback import rates as apply_rates
    from setpoint.wiring.people.findings import (
        Passage,
        Seen,
        finding_of,
        findings_of,
        fix_of,
        passage_of,
        patch_of_lines,
    )
    from setpoint.wiring.people.gates import (
        OpenGate,
        Questions,
        Wanted,
        answer,
        cancel,
        open_gate,
        open_gates,
        questions,
    )
    from setpoint.wiring.people.seen import saw as saw_finding
    from setpoint.wiring.people.teaching import alike as learnings_alike
    from setpoint.wiring.people.teaching import exported as export_learnings
    from setpoint.wiring.people.teaching import imported as import_learnings
    from setpoint.wiring.people.teaching import in_use_from as learnings_from
    from setpoint.wiring.people.teaching import learning, learnings, memory_mark, reindex, retire_from, uplift
    from setpoint.wiring.people.teaching import like as learnings_like
    from setpoint.wiring.people.teaching import merge as merge_learnings
    from setpoint.wiring.people.teaching import weigh as weigh_learning
    from setpoint.wiring.production import (
        SignalBook,
        Taken,
        record_deployment,
        take_alerts,
        take_envelope,
        take_events,
        take_spans,
    )
    from setpoint.wiring.production import decide as decide_problem
    from setpoint.wiring.project import Project, find_run, open_project, recorded_order, run_list
    from setpoint.wiring.runs.board import add_story, card, cards, file_of, runs_of_story, set_keys, shelf
    from setpoint.wiring.runs.cover import cover_course, cover_order, write_cover_report, writes_tests
    from setpoint.wiring.runs.crew import BoardOutcome, work_off
    from setpoint.wiring.runs.launching import Failed, Launcher, Working
    from setpoint.wiring.runs.orders import check_prompts, order, pipeline, story
    from setpoint.wiring.runs.roles import players
    from setpoint.wiring.runs.scribe import remarks
    from setpoint.wiring.runs.stepping import Stepped, step
    from setpoint.wiring.runs.trial import Trial, try_agent
    from setpoint.wiring.shown.exporting import run_report, send_trace, write_run_page
    from setpoint.wiring.shown.glancing import Glance, glance
    from setpoint.wiring.shown.metering import (
        metric_snapshots,
        metrics,
        metrics_exposition,
        store_due_metrics,
        store_metrics,
        write_metrics_page,
    )
    from setpoint.wiring.shown.problems import (
        ProblemView,
        ProductionView,
        SignalView,
        problem_view,
        production_mark,
        production_view,
        signal_view,
        signal_views,
    )
    from setpoint.wiring.shown.reading import (
        FILTERS,
        Comment,
        RunStory,
        Said,
        changes_of,
        comments_of,
        decided_of,
        diff_of,
        place_of,
        run_mark,
        run_story,
    )
    from setpoint.wiring.visitors import ingest_key, visitor_tokens
    from setpoint.wiring.world import drive, measure

__all__ = [
    "FILTERS",
    "BoardOutcome",
    "Comment",
    "Decided",
    "Failed",
    "Glance",
    "Heard",
    "Launcher",
    "OpenGate",
    "Opinion",
    "Passage",
    "ProblemView",
    "ProductionView",
    "Project",
    "Questions",
    "RunStory",
    "Said",
    "Seen",
    "SignalBook",
    "SignalView",
    "Sought",
    "Stepped",
    "Taken",
    "Told",
    "Trial",
    "Verified",
    "Wanted",
    "Working",
    "add_story",
    "agent_rows",
    "answer",
    "answer_with_edit",
    "apply_fix",
    "apply_rates",
    "attested",
    "cancel",
    "card",
    "cards",
    "changes_of",
    "check_prompts",
    "comment",
    "comments_of",
    "cover_course",
    "cover_order",
    "decide_problem",
    "decided_of",
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
    "fixable",
    "flaky_tests",
    "glance",
    "import_learnings",
    "ingest_key",
    "learning",
    "learnings",
    "learnings_alike",
    "learnings_from",
    "learnings_like",
    "measure",
    "memory_mark",
    "memory_of",
    "merge_learnings",
    "metric_snapshots",
    "metrics",
    "metrics_exposition",
    "mutate",
    "notice_deliveries",
    "observe_deliveries",
    "open_gate",
    "open_gates",
    "open_project",
    "opinions",
    "order",
    "passage_of",
    "patch_of_lines",
    "pipeline",
    "place_of",
    "players",
    "problem_view",
    "production_mark",
    "production_view",
    "put_in_quarantine",
    "quarantine_entries",
    "questions",
    "record_deployment",
    "recorded_order",
    "reindex",
    "remarks",
    "retire_from",
    "rewrite_fix",
    "run_list",
    "run_mark",
    "run_report",
    "run_story",
    "runs_of_story",
    "saw_finding",
    "send_trace",
    "set_keys",
    "shelf",
    "signal_view",
    "signal_views",
    "step",
    "store_due_metrics",
    "store_metrics",
    "story",
    "take_alerts",
    "take_envelope",
    "take_events",
    "take_out_of_quarantine",
    "take_spans",
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


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Give the module of each name, and its name there, from the imports above: they stand nowhere else."""
    tree = parse(Path(__file__).read_bytes())
    checked = next(each for each in tree.body if isinstance(each, ast.If))
    return {
        name.asname or name.name: (each.module or "", name.name)
        for each in checked.body
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }


if not TYPE_CHECKING:  # to a type checker, a module with a `__getattr__` would have every name

    def __getattr__(name: str) -> object:
        try:
            module, there = _places()[name]
        except KeyError:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message, name=name) from None
        value = globals()[name] = getattr(import_module(module), there)
        return value

    def __dir__() -> Sequence[str]:
        return sorted({*globals(), *__all__})
