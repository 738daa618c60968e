"""Tools that measure the tree, and show what was measured."""

from __future__ import annotations

from setpoint.app.checks.failing_test import failing_test
from setpoint.app.hooks.measure import check_change, commit_named
from setpoint.app.people.findings import list_findings
from setpoint.app.people.recall import recall as recall_learnings
from setpoint.app.views.run_page import run_story
from setpoint.errors import UsageError
from setpoint.learning.policy.at_hand import at_hand
from setpoint.mcp.arguments import CheckArguments, FailureArguments, OfArguments, RecallArguments
from setpoint.mcp.material import Reply
from setpoint.mcp.session import Call
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import CheckResult
from setpoint.model.finding import Finding
from setpoint.model.hooks import CheckState
from setpoint.model.ids import TraceId
from setpoint.model.wording import counted
from setpoint.wiring.project import Project

MOST_LISTED = 60
"""Findings or failing tests in one answer."""
_NO_VERDICT = "A check proves nothing: the proof of work is a run of Setpoint."


def check(call: Call, wanted: CheckArguments) -> Reply:
    """Measure the working tree now and return what is wrong with it that the base does not have.

    Call it after you changed files, and again until it reports that nothing is wrong. Setpoint runs the
    project's own tests, linters and type checkers itself; your word does not count.
    """
    session, fast = call.session, not wanted.whole
    with session.project() as project:
        hooks = project.settings.hooks
        limit_s = hooks.limit_s if fast else hooks.push_limit_s
        since = commit_named(project, wanted.since) if wanted.since else session.base

        def told(_: Stage, result: CheckResult) -> None:
            call.told(f"{result.evidence.check}: {result.state}")

        found = call.own.run(check_change(project, since, fast=fast, limit_s=limit_s, told=told))
        seen, wrong = found.evaluation, found.state is CheckState.FAILED
        asked = at_hand("", seen.failures, seen.blocking) if seen and wrong else None
        learnt = recall_learnings(project, asked) if asked and asked.text.strip() else ()
    if found.evaluation is None:
        raise UsageError(
            f"not measured: {found.reason}",
            hint="ask the person to run `setpoint check` once in a terminal: later checks are faster",
        )
    session.last = found.evaluation
    said = (
        "Setpoint check: the work is not done. `explain_failure` shows one failing test in detail."
        if wrong
        else "Setpoint check: nothing is wrong that the base does not have."
    )
    lines = [session.wording.verdict(found.evaluation, fast), *(f"learnt earlier: {e.title}" for e in learnt)]
    return Reply(f"{said} {_NO_VERDICT}", "\n".join(lines))


def findings(call: Call, wanted: OfArguments) -> Reply:
    """List the failing tests and findings of the last check of this session, or of a run, worst first."""
    with call.session.project() as project:
        source, seen = _measured(call, project, wanted.of)
        known = list(seen.findings) if seen else []
        if source != _CHECK:
            known = [each.finding for each in list_findings(project, TraceId(source))]
    failures = [f"{each.test}: {each.cause}: {each.message}" for each in seen.failures] if seen else []
    lines = [*failures[:MOST_LISTED], *map(_finding, known[:MOST_LISTED])]
    cut = max(len(failures) - MOST_LISTED, 0) + max(len(known) - MOST_LISTED, 0)
    own = f"{source}: {counted(len(failures), 'failing test')}, {counted(len(known), 'finding')}"
    return Reply(f"{own}; {cut} are not shown" if cut else own, "\n".join(lines))


def explain_failure(call: Call, wanted: FailureArguments) -> Reply:
    """Explain one failing test: message, place, traceback, suspected lines, and the raw output around it."""
    with call.session.project() as project:
        source, seen = _measured(call, project, wanted.of)
        if seen is None:
            raise UsageError(f"{source} has measured nothing yet", hint="call `check` first")
        found = failing_test(project, seen, wanted.test)
    failure = found.failure
    lines = [f"{failure.test}: {failure.cause}: {failure.message}"]
    if failure.file:
        lines.append(f"cause at {failure.file}:{failure.line}")
    if failure.command:
        lines.append(f"alone: {failure.command}")
    for title, text in (
        ("traceback", failure.detail),
        ("code", failure.code),
        ("suspects", "\n".join(f"{each.file}:{each.line} {each.text}" for each in found.suspects)),
        ("suspects rest on", found.localised),
        ("raw output", found.output),
    ):
        if text.strip():
            lines.append(f"\n{title}:\n{text}")
    return Reply(f"A failing test of {source}", "\n".join(lines))


def recall(call: Call, wanted: RecallArguments) -> Reply:
    """Return what earlier runs and people in this repository taught about a text."""
    with call.session.project() as project:
        found = recall_learnings(project, wanted.about)
    lines = [
        f"{each.learning} ({each.status}, by {each.trust}, confidence {each.confidence:.2f}): {each.title}"
        + (f"\n{each.body}" if each.body else "")
        for each in found
    ]
    return Reply(f"{counted(len(found), 'learning')} on this", "\n\n".join(lines))


_CHECK = "the last check"


def _measured(call: Call, project: Project, of: str) -> tuple[str, Evaluation | None]:
    """Return the name of what is asked for, and its newest evaluation."""
    last = call.session.last
    if of == "check" or (not of and last is not None):
        if last is None:
            raise UsageError("nothing was checked in this session yet", hint="call `check` first")
        return _CHECK, last
    story = run_story(project, "" if of == "run" else of)
    rounds = story.told.rounds
    return story.summary.trace_id, rounds[-1].latest if rounds else story.told.base


def _finding(finding: Finding) -> str:
    place = f"{finding.file}:{finding.line} " if finding.file else ""
    return (
        f"{finding.fingerprint} {finding.severity} {place}{finding.source} {finding.rule}: {finding.message}"
    )
