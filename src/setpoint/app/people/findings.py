"""The findings of a run, and their suggested fixes as patches."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from setpoint.errors import SetpointError, UsageError
from setpoint.history.replay import History, history
from setpoint.model.changes.text_edits import edited, patch
from setpoint.model.finding import Edit, Finding, worst_first
from setpoint.model.ids import Commit, TraceId
from setpoint.model.value import Text, Value
from setpoint.system.git.git import contents
from setpoint.wiring.project import Project
from setpoint.workspace.snapshot_store import repository_of_run

AROUND = 12
"""Lines around a finding that a person may rewrite."""
MOST_LINES = 400
"""Lines of a passage at most."""


class FindingView(NamedTuple):
    """A finding and where it was seen last."""

    iteration: int
    commit: Commit
    finding: Finding


class Passage(Value):
    """Lines of a file around a finding, for a person to rewrite."""

    file: Text
    start: int
    """First line, 1-based."""
    end: int
    """Last line, 1-based."""
    text: str
    """How they might read: with the suggested fix if it applies, otherwise unchanged."""
    patch: str = ""
    """The suggested fix as a patch; empty where there is none that fits."""


def list_findings(project: Project, trace_id: TraceId) -> tuple[FindingView, ...]:
    """Return every finding of a run, of checks and reviewers, as it was seen last; worst first."""
    return findings_in(history(project.log.replay(trace_id)))


def findings_in(told: History) -> tuple[FindingView, ...]:
    """Return every finding of a history, as it was seen last; worst first."""
    seen: dict[str, FindingView] = {}
    for past in told.rounds:
        judged = (past.evaluation, past.tests, past.confirmation, past.verdict)
        for each in (finding for one in judged if one is not None for finding in one.findings):
            seen[each.fingerprint] = FindingView(past.number, past.snapshot.commit, each)
    order = [finding.fingerprint for finding in worst_first(tuple(each.finding for each in seen.values()))]
    return tuple(seen[fingerprint] for fingerprint in order)


def find_finding(project: Project, trace_id: TraceId, which: str) -> FindingView:
    """Return the finding whose fingerprint begins so; raises `UsageError` for none or several."""
    found = [each for each in list_findings(project, trace_id) if each.finding.fingerprint.startswith(which)]
    if len(found) != 1 or not which:
        message = f"{len(found)} findings of {trace_id} have an id that begins with '{which}'"
        raise UsageError(message, hint=f"`setpoint finding list {trace_id}` gives the ids")
    return found[0]


def fix_of(project: Project, trace_id: TraceId, seen: FindingView) -> str:
    """Return a finding's suggested fix as a patch against the commit it was found in.

    Raises `UsageError` where it has none, or none that fits the file.
    """
    finding = seen.finding
    if finding.fix is None or not finding.fix.edits:
        advice = f": {finding.fix.description}" if finding.fix else ""
        message = f"{finding.fingerprint} comes without a fix that could be applied{advice}"
        raise UsageError(message, hint="fix it by hand")
    repository = repository_of_run(project.state, trace_id)
    try:
        before = asyncio.run(contents(repository, seen.commit, [finding.file]))[finding.file].decode("utf-8")
        return patch(finding.file, before, finding.fix.edits)
    except (KeyError, UnicodeDecodeError, ValueError) as error:
        message = f"the fix of {finding.fingerprint} does not fit {finding.file}: {error}"
        raise UsageError(message, hint="fix it by hand") from None


def passage_of(project: Project, trace_id: TraceId, seen: FindingView) -> Passage:
    """Return the lines around a finding as a run and its fixes left them; `UsageError` without any."""
    finding = seen.finding
    before = _text(project, trace_id, _left(project, trace_id, seen), finding)
    lines = before.removesuffix("\n").split("\n")
    at = min(max(finding.line, 1), len(lines))
    edits = _fitting(before, finding)
    touched = [line for each in edits for line in (each.start_line, each.end_line)]
    if max([at, *touched]) - min([at, *touched]) > MOST_LINES - 2 * AROUND:
        edits, touched = (), []  # what is suggested lies too far away to be shown with it
    start = max(min([at - AROUND, *touched]), 1)
    end = min(max([at + AROUND, *touched]), len(lines))
    after = edited(before, edits) if edits else before
    grown = after.count("\n") - before.count("\n")
    shown = after.removesuffix("\n").split("\n")[start - 1 : end + grown]
    suggested = patch(finding.file, before, edits) if edits else ""
    return Passage(file=finding.file, start=start, end=end, text="\n".join(shown), patch=suggested)


def patch_of_lines(
    project: Project, trace_id: TraceId, seen: FindingView, lines: tuple[int, int], text: str
) -> str:
    """Return person's version of the lines of a passage as a patch; `UsageError` where it changes nothing."""
    before = _text(project, trace_id, _left(project, trace_id, seen), seen.finding)
    written = text.replace("\r\n", "\n").removesuffix("\n")
    known = before.removesuffix("\n").split("\n")
    start, end = lines
    if not 1 <= start <= end <= len(known):
        message = f"{seen.finding.file} has no lines {start} to {end}"
        raise UsageError(message, hint="load the page again")
    if known[0].endswith("\r"):
        written = written.replace("\n", "\r\n") + "\r"
    edit = Edit(
        start_line=start, start_column=1, end_line=end, end_column=len(known[end - 1]) + 1, text=written
    )
    made = patch(seen.finding.file, before, [edit])
    if not made:
        raise UsageError("the text is unchanged", hint="edit the lines")
    return made


def _left(project: Project, trace_id: TraceId, seen: FindingView) -> Commit:
    told = history(project.log.replay(trace_id))
    return told.newest if told.outcome else seen.commit


def _fitting(before: str, finding: Finding) -> tuple[Edit, ...]:
    """Return the edits of a suggestion where they can be made on a text."""
    edits = finding.fix.edits if finding.fix else ()
    stands = before.split("\n")
    if finding.text and finding.text.strip() not in (line.strip() for line in stands):
        return ()  # the line that it speaks of is gone
    try:
        return edits if edited(before, edits) != before else ()
    except ValueError:
        return ()


def _text(project: Project, trace_id: TraceId, commit: Commit, finding: Finding) -> str:
    repository = repository_of_run(project.state, trace_id)
    try:
        return asyncio.run(contents(repository, commit, [finding.file]))[finding.file].decode("utf-8")
    except (KeyError, UnicodeDecodeError, ValueError, OSError, SetpointError) as error:
        message = f"the lines of {finding.fingerprint} cannot be shown: {finding.file or 'it names no file'}"
        raise UsageError(f"{message}: {error}", hint="fix it by hand") from None
