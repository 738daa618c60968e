"""Fixes of findings that people accept: each is measured with those before it, and all are on one branch."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TypedDict

from setpoint.app.people.feedback import DecisionOutcome, after_s, record
from setpoint.app.people.findings import FindingView, find_finding, fix_of
from setpoint.app.people.gates import current_person
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.errors import UsageError
from setpoint.history.replay import History, history
from setpoint.history.reports.run_report import write_all
from setpoint.model.attempt import Attempt, Stop
from setpoint.model.changes.text_edits import removes
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.people import Fix, FixApplied, FixRewritten
from setpoint.model.evidence import CheckState
from setpoint.model.facts.releases import released
from setpoint.model.finding import Finding
from setpoint.model.ids import Commit, TraceId
from setpoint.model.run import Snapshot
from setpoint.model.wording import enumerated
from setpoint.ports import Measured
from setpoint.system.git.git import ask_at_once
from setpoint.system.git.merge import commit_named
from setpoint.wiring.ordered_settings import ordered_settings
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import HeldEvaluator
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.work_copy import GitWorkspace


def finding_with_fix(project: Project, trace_id: TraceId, which: str, *, suggested: bool) -> FindingView:
    """Return the finding to fix; raise `UsageError` where none can be delivered now, or none is suggested."""
    seen = find_finding(project, trace_id, which)
    told = history(project.log.replay(trace_id))
    if told.outcome is None:
        message = f"{trace_id} is not finished: its work copy is in use"
        raise UsageError(message, hint=f"`setpoint finding patch {seen.finding.fingerprint[:8]} | git apply`")
    if suggested:
        fix_of(project, trace_id, seen)
    branch = _branch(told)
    where = ask_at_once(project.root, "for-each-ref", "--format=%(worktreepath)", f"refs/heads/{branch}").text
    if told.fixes and where:
        message = f"{branch} is checked out in {where}, so no fix can be added to it"
        raise UsageError(message, hint=f"git -C {where} switch --detach, then try it again")
    return seen


def apply_fixes(project: Project, trace_id: TraceId, which: Sequence[str]) -> Iterator[DecisionOutcome]:
    """Apply suggested fixes one after another; nothing is measured before each is known to have a fix."""
    found = [finding_with_fix(project, trace_id, each, suggested=True) for each in which]
    return (apply_fix(project, trace_id, each.finding.fingerprint) for each in found)


def apply_fix(project: Project, trace_id: TraceId, which: str) -> DecisionOutcome:
    """Apply a suggested fix to what a finished run and its fixes made; measure it, deliver it if it holds."""
    seen = finding_with_fix(project, trace_id, which, suggested=True)
    patch, name = fix_of(project, trace_id, seen), seen.finding.fingerprint
    with project.locks.held(trace_id):
        told = history(project.log.replay(trace_id))
        if held := [each for each in told.fixes if each.finding == name]:
            last = told.fixes[-1]
            if commit_named(project.root, f"refs/heads/{last.branch}") is None:
                what = find_finding(project, trace_id, last.finding).finding.message
                _delivered(project, told, (last.start, last.commit), what)
            return DecisionOutcome(held[-1], told.last_at)
        body = FixApplied(**_tried(project, told, seen, patch, "apply"))
        return _recorded(project, told, f"feedback:applied:{name}:{_turn(told)}", body)


def rewrite_fix(project: Project, trace_id: TraceId, which: str, patch: str) -> DecisionOutcome:
    """Apply a person's own fix instead of the suggested one; measure it, and deliver it if it holds."""
    seen = finding_with_fix(project, trace_id, which, suggested=False)
    suggested = ""
    if seen.finding.fix is not None:
        suggested = (
            fix_of(project, trace_id, seen) if seen.finding.fix.edits else seen.finding.fix.description
        )
    with project.locks.held(trace_id):
        told = history(project.log.replay(trace_id))
        tried = _tried(project, told, seen, patch, "rewrite")
        body = FixRewritten(suggested=suggested, written=patch, **tried)
        return _recorded(project, told, f"feedback:rewritten:{seen.finding.fingerprint}:{_turn(told)}", body)


def accepted_fixes(project: Project, trace_id: TraceId) -> str:
    """Say which fixes of a run were accepted, and on which branch they are."""
    return history(project.log.replay(trace_id)).fixes_in_words or f"{trace_id} has no accepted fixes"


def _turn(told: History) -> int:
    return sum(isinstance(each, Fix) for each in told.feedback) + 1


def _recorded(project: Project, told: History, key: str, body: Fix) -> DecisionOutcome:
    done = record(project, told.trace_id, key, body)
    folder = project.run_folder(told.trace_id)
    if folder.is_dir():
        write_all(folder, project.log.replay(told.trace_id), *project.readers(told.trace_id))
    return done


class _TriedPatch(TypedDict):
    """A patch on the newest state of a finished run, as it was measured and as it is recorded."""

    finding: str
    category: str
    file: str
    by: str
    start: Commit
    commit: Commit
    branch: str
    kept: bool
    states: dict[str, CheckState]
    reason: str
    """Why it was not kept; empty where it was."""
    after_s: float | None


def _tried(project: Project, told: History, seen: FindingView, patch: str, how: str) -> _TriedPatch:
    """Measure a patch; the run must be held, because its work copy is used."""
    finding, start = seen.finding, told.newest
    # A label stands for one content: tried again after an interruption, another patch is another one.
    content = hashlib.sha256(f"{start} {patch}".encode()).hexdigest()[:12]
    label = f"{how}-{finding.fingerprint}-{content}"
    tried = _TriedPatch(
        finding=finding.fingerprint,
        category=finding.category,
        file=finding.file,
        by=current_person(project),
        start=start,
        commit=start,
        branch="",
        kept=False,
        states={},
        reason="",
        after_s=after_s(project, told.trace_id),
    )
    done = asyncio.run(_measured(project, told, patch, label, tried["by"]))
    if isinstance(done, str):
        where = f"{_branch(told)}, which has {_named(told.fixes)}" if told.fixes else f"{start[:10]}"
        tried["reason"] = f"it does not fit {where}: {done}"
        if how != "apply":
            raise UsageError(
                f"your fix does not apply: {tried['reason']}", hint="make the diff on that state"
            )
        return tried
    snapshot, evaluation = done
    tried["commit"], tried["reason"] = snapshot.commit, _against(evaluation, told, finding)
    tried["states"] = {each.check: each.state for each in evaluation.evidence}
    if not tried["reason"]:
        tried["branch"] = _delivered(project, told, (start, snapshot.commit), finding.message)
    tried["kept"] = not tried["reason"]
    return tried


async def _measured(
    project: Project, told: History, patch: str, label: str, who: str
) -> tuple[Snapshot, Evaluation] | str:
    """Put a patch on the newest state and measure it; gives why it does not fit, if so."""
    order = released(told.order, project.log.replay(told.trace_id))
    workspace, settings = GitWorkspace(project.folders), ordered_settings(order)
    evaluator = HeldEvaluator(
        ProjectEvaluator(settings, project.artifacts, project.folders), project, settings
    )
    copy = await workspace.open(order.trace_id, order.base)
    await workspace.restore(copy, told.newest)
    # Fixes before it may have changed the lines around; those that it takes away must be there.
    if why := await workspace.apply(copy, patch, context=0 if removes(patch) else 1):
        return why.removeprefix("error: ").partition("\n")[0]
    by_hand = Attempt(agent=who, stop=Stop.END_TURN, started_at=datetime.now(UTC), duration_s=0.0)
    snapshot = await workspace.snapshot(copy, label, by_hand)
    await evaluator.prepare(order, copy)
    measured = Measured(copy, snapshot.commit, snapshot.tree, Stage.TEST)
    return snapshot, await evaluator.evaluate(order, measured)


def _branch(told: History) -> str:
    branch = (told.outcome.branch if told.outcome else "") or told.order.branch
    return told.fixes[-1].branch if told.fixes else f"{branch}-fixes"


def _named(fixes: Sequence[Fix]) -> str:
    return f"the fixes of {enumerated([each.finding[:8] for each in fixes])}"


def _delivered(project: Project, told: History, change: tuple[Commit, Commit], what: str) -> str:
    """Bring a fix to the branch of the run's fixes, as one more commit."""
    copy = asyncio.run(GitWorkspace(project.folders).open(told.trace_id, told.order.base))
    forge = GitBranchForge(project.root, project.settings.delivery)
    titles = (told.order.story.title, f"Fix: {what}")
    on = told.outcome.branch if told.outcome else ""
    return asyncio.run(forge.add_commit(copy, change, titles, _branch(told), on))


def _against(evaluation: Evaluation, told: History, finding: Finding) -> str:
    """Return the objections to a patch: new failures, new blocking findings, or findings that were fixed."""
    best = next(
        (each for each in told.rounds if told.outcome and each.snapshot.commit == told.outcome.best), None
    )
    before = best.latest if best is not None else told.base
    red = {each.test for each in before.failures} if before else set()
    known = {each.fingerprint for each in before.findings} if before else set()
    new_red = [each.test for each in evaluation.failures if each.test not in red]
    new = [each.message for each in evaluation.blocking if each.fingerprint not in known]
    broken = [f"{each.check}: {each.reason}" for each in evaluation.broken]
    there = {each.fingerprint for each in evaluation.findings}
    back = [each for each in told.fixes if each.finding in there and each.finding != finding.fingerprint]
    held = told.fixes[-1].states if told.fixes else {}
    lost = [
        each.check
        for each in evaluation.evidence
        if each.state is CheckState.FAIL and held.get(each.check) is CheckState.PASS
    ]
    parts = [
        f"{len(new_red)} tests fail with it, first {new_red[0]}" if new_red else "",
        f"it brings {len(new)} blocking findings, first {new[0]}" if new else "",
        f"could not be measured: {broken[0]}" if broken else "",
        "the finding is still there" if finding.fingerprint in there else "",
        f"it undoes {_named(back)}" if back else "",
        f"{enumerated(lost)} passed without it" if lost and not (new_red or new) else "",
    ]
    found = "; ".join(part for part in parts if part)
    return f"{found} (measured with {_named(told.fixes)})" if found and told.fixes else found
