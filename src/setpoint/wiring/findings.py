"""The findings of a run, and their suggested fixes as patches."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from setpoint.domain.edits import patch
from setpoint.domain.finding import Finding, worst_first
from setpoint.domain.ids import Commit, TraceId
from setpoint.errors import UsageError
from setpoint.events.replay import history
from setpoint.processes.git import contents
from setpoint.wiring.project import Project
from setpoint.workspace import repository_of_run


class Seen(NamedTuple):
    """A finding and where it was seen last."""

    iteration: int
    commit: Commit
    finding: Finding


def findings_of(project: Project, trace_id: TraceId) -> tuple[Seen, ...]:
    """Give every finding of a run, of checks and reviewers, as it was seen last; worst first."""
    seen: dict[str, Seen] = {}
    for past in history(project.log.replay(trace_id)).rounds:
        judged = (past.evaluation, past.tests, past.confirmation, past.verdict)
        for each in (finding for one in judged if one is not None for finding in one.findings):
            seen[each.fingerprint] = Seen(past.number, past.snapshot.commit, each)
    order = [finding.fingerprint for finding in worst_first(tuple(each.finding for each in seen.values()))]
    return tuple(seen[fingerprint] for fingerprint in order)


def finding_of(project: Project, trace_id: TraceId, which: str) -> Seen:
    """Give the finding whose fingerprint begins so; raises `UsageError` for none or several."""
    found = [each for each in findings_of(project, trace_id) if each.finding.fingerprint.startswith(which)]
    if len(found) != 1 or not which:
        message = f"{len(found)} findings of {trace_id} have an id that begins with '{which}'"
        raise UsageError(message, mend=f"`setpoint finding list {trace_id}` gives the ids")
    return found[0]


def fix_of(project: Project, trace_id: TraceId, seen: Seen) -> str:
    """Give a finding's suggested fix as a patch against the commit it was found in.

    Raises `UsageError` where it has none, or none that fits the file.
    """
    finding = seen.finding
    if finding.fix is None or not finding.fix.edits:
        advice = f": {finding.fix.description}" if finding.fix else ""
        message = f"{finding.fingerprint} comes without a fix that could be applied{advice}"
        raise UsageError(message, mend="mend it by hand")
    repository = repository_of_run(project.state, trace_id)
    try:
        before = asyncio.run(contents(repository, seen.commit, [finding.file]))[finding.file].decode("utf-8")
        return patch(finding.file, before, finding.fix.edits)
    except (KeyError, UnicodeDecodeError, ValueError) as error:
        message = f"the fix of {finding.fingerprint} does not fit {finding.file}: {error}"
        raise UsageError(message, mend="mend it by hand") from None
