"""What is known to be wrong with work that a person accepts all the same, as it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Evidence
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.finding import worst_first
from setpoint.model.gate import Answer
from setpoint.model.run import Round, RunOrder

MOST_ISSUES = 100
"""Issues written down; more are counted."""
MOST_MESSAGE = 240
TITLE = "# Known issues\n"
"""Heads a file of debts that is begun with the first entry."""


def known_issues(accepted: Round, base: Evaluation) -> tuple[str, ...]:
    """Return all that is known to be wrong with a round, one line each: where, what, and the evidence."""
    latest = accepted.latest
    before = {failure.test for failure in base.failures} | set(base.known_red)
    lines = [_gate_line(gate.name, gate.reason) for gate in accepted.gates if not gate.passed]
    for failure in failures(accepted):
        newly = "" if failure.test in before else ", which passed before"
        what = f"{failure.test} fails{newly}: {failure.message}"
        lines.append(_line(failure.file, failure.line, what, latest.evidence_of("pytest")))
    for finding in worst_first(blocking(accepted)):
        rule = f" {finding.rule}" if finding.rule else ""
        what = f"{finding.severity}: {finding.message} ({finding.source}{rule})"
        lines.append(_line(finding.file, finding.line, what, latest.evidence_of(finding.source)))
    lines += [_line("", 0, f"{each.check} broke: {each.reason}", each) for each in latest.broken]
    if accepted.tests is None:
        lines.append("the full test suite was not reached")
    every = tuple(dict.fromkeys(lines))
    left_out = len(every) - MOST_ISSUES
    return every if left_out <= 0 else (*every[:MOST_ISSUES], f"{left_out} more are in the run's report")


def entry(order: RunOrder, accepted: Round, issues: Sequence[str], answer: Answer, at: datetime) -> str:
    """Return the text that is appended to the list of debts: dated, with who accepted it and why."""
    why = f" Reason: {_flat(answer.reason)}." if answer.reason else ""
    listed = "\n".join(f"- [ ] {issue}" for issue in issues) or "- nothing is known to be wrong"
    return (
        f"\n## {at:%Y-%m-%d}: {_flat(order.story.title)}\n\n"
        f"Accepted by {_flat(answer.by)} without being verified (run `{order.trace_id}`, "
        f"iteration {accepted.number}, tree `{accepted.snapshot.tree[:12]}`).{why}\n\n{listed}\n"
    )


def _gate_line(name: str, reason: str) -> str:
    return f"gate `{name}` does not pass{f': {_flat(reason)}' if reason else ''}"


def _line(file: str, line: int, what: str, evidence: Evidence | None) -> str:
    place = f"`{_flat(file)}{f':{line}' if line else ''}` " if file else ""
    proof = f" [evidence {evidence.id}]" if evidence is not None else ""
    return f"{place}{_flat(what)}{proof}"


def _flat(text: str) -> str:
    """Put a text from outside on one line, cut, so that it cannot begin a heading or a list of its own."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_MESSAGE else f"{line[: MOST_MESSAGE - 1]}…"
