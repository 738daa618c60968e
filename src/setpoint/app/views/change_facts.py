"""What Setpoint knows of the lines of a change: coverage, findings, and tests that fail there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from setpoint.app.views.run_page import state_shown
from setpoint.history.replay import history
from setpoint.model.evidence import Coverage
from setpoint.model.ids import TraceId, Tree
from setpoint.model.run import Round
from setpoint.wiring.project import Project

Place = tuple[str, int]


class LineNote(NamedTuple):
    """What is known of one line."""

    tone: str
    """`bad` where it blocks, else `warn`."""
    text: str
    href: str
    """Where to read more."""
    leads: str
    """What to read there."""


class ChangeFacts(NamedTuple):
    """What is known of the tree that a change leads to."""

    tree: Tree
    tried: bool
    """Whether the run delivered nothing, so that this is what it tried last."""
    tests: str
    """For example `3 passed, 1 failed`; empty where none ran."""
    coverage: str
    """How many changed lines the tests reached; empty where that was not measured."""
    uncovered: Mapping[str, frozenset[int]]
    """Changed lines that no test reached, by file."""
    notes: Mapping[Place, list[LineNote]]
    """By file and line of the new state."""


def change_facts(project: Project, trace_id: TraceId, iteration: int) -> ChangeFacts | None:
    """Return what is known of a change that `diff_of` shows; none where the state was not measured."""
    told = history(project.log.replay(trace_id))
    shown = state_shown(told)
    of = [
        each
        for each in told.rounds
        if (each.number == iteration if iteration else each.snapshot.commit == shown)
    ]
    tried = told.outcome is not None and told.outcome.best == told.order.base
    return _facts(trace_id, of[-1], tried=tried) if of else None


def _facts(trace_id: TraceId, past: Round, *, tried: bool) -> ChangeFacts:
    notes: dict[Place, list[LineNote]] = defaultdict(list)
    for failure in past.latest.failures:
        check = next((ran.check for ran in past.latest.suites), "tests")
        href = f"/runs/{trace_id}/checks/{past.number}/{check}"
        notes[failure.file, failure.line].append(
            LineNote("bad", f"{failure.test}: {failure.message}", href, "output")
        )
    judged = (
        (past.latest, past.verdict) if past.tests is None else (past.evaluation, past.latest, past.verdict)
    )
    found = {each.fingerprint: each for one in judged if one is not None for each in one.findings}
    for name, finding in found.items():
        text = f"{finding.severity}, {finding.source} {finding.rule}".strip() + f": {finding.message}"
        tone, href = "bad" if finding.blocking else "warn", f"/runs/{trace_id}#finding-{name}"
        notes[finding.file, finding.line].append(LineNote(tone, text, href, "decide"))
    counts = past.latest.test_counts
    coverage = past.latest.coverage
    return ChangeFacts(
        tree=past.latest.tree,
        tried=tried,
        tests=", ".join(f"{count} {name}" for name, count in counts.items()),
        coverage=_reached(coverage) if coverage else "",
        uncovered={file: frozenset(of) for file, of in coverage.uncovered_changed.items()}
        if coverage
        else {},
        notes=notes,
    )


def _reached(coverage: Coverage) -> str:
    every = coverage.changed_executable
    if not every:
        return ""
    missed = sum(map(len, coverage.uncovered_changed.values()))
    return f"tests reach {every - missed} of {every} changed lines"
