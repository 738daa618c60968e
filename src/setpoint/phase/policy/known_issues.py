"""The list of known issues of work that a person accepts although it is not verified."""

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
"""Most issues that are listed; the rest is counted."""
MOST_MESSAGE = 240
TITLE = "# Known issues\n"
"""Title of a new file of known issues."""


def known_issues(accepted: Round, base: Evaluation) -> tuple[str, ...]:
    """Return the known issues of a round, one line each: location, problem and evidence."""
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
        lines.append("the run did not reach the full test suite")
    every = tuple(dict.fromkeys(lines))
    left_out = len(every) - MOST_ISSUES
    return every if left_out <= 0 else (*every[:MOST_ISSUES], f"{left_out} more are in the run's report")


def entry(order: RunOrder, accepted: Round, issues: Sequence[str], answer: Answer, at: datetime) -> str:
    """Return the entry for the list of known issues: date, who accepted it and why."""
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
    """Return untrusted text on one line, cut, so that it cannot start a heading or a list."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_MESSAGE else f"{line[: MOST_MESSAGE - 1]}…"
