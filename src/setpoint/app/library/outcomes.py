"""From what is recorded of a run, or measured of a tree, to what the library returns."""

from __future__ import annotations

import asyncio

from setpoint.app.checks.measure import exit_of
from setpoint.app.library.results import CheckOutcome, Outcome, Question, Status
from setpoint.app.runs.exit_codes import exit_code
from setpoint.errors import ExitCode
from setpoint.history.replay import History, history
from setpoint.model.evaluation import Evaluation
from setpoint.model.finding import worst_first
from setpoint.model.gate import Gate
from setpoint.model.ids import TraceId
from setpoint.model.run import Round
from setpoint.system.git.git import commit_of
from setpoint.wiring.project import Project, find_run

_UNFINISHED = {Status.WAITING: ExitCode.WAITING, Status.INTERRUPTED: ExitCode.INTERRUPTED}


def outcome_of(project: Project, trace_id: TraceId) -> Outcome:
    """Return what became of a run, from its record and the branch in the repository."""
    # Read before the events, so that a run that is finished by then has its last one among them.
    state = find_run(project, trace_id).state
    told = history(project.log.replay(trace_id))
    ended, best, waiting = told.outcome, _best(told), told.waiting
    status = Status(ended.ending if ended else state)
    branch = ended.branch if ended else ""
    measured = best.latest if best else told.base
    outcome = Outcome(
        run=trace_id,
        status=status,
        exit_code=exit_code(ended.ending, ended.branch) if ended else _UNFINISHED.get(status),
        reason=ended.reason if ended else waiting.question if waiting else "",
        verdict=ended.verdict if ended else "",
        by=ended.by if ended else (),
        branch=branch,
        commit=_commit(project, branch),
        base=told.order.base,
        iterations=told.figures.iteration,
        bounces=len(told.bounces),
        gates=best.gates if best else (),
        questions=(question_of(trace_id, waiting),) if waiting else (),
        known_issues=ended.known_issues if ended else (),
        cost_usd=told.account.cost_usd,
        cost_known=told.account.known,
        tokens=told.account.tokens,
        duration_s=told.active_s,
        report=project.run_folder(trace_id) / "report.html",
    )
    return outcome if measured is None else outcome.model_copy(update=_measured(measured, best))


def question_of(trace_id: TraceId, gate: Gate) -> Question:
    """Return an open gate of a run as a question."""
    return Question(
        run=trace_id,
        id=gate.id,
        text=gate.question,
        options=gate.options,
        context=gate.context,
        hint=gate.go_on,
        offer=gate.offer,
        asked_at=gate.asked_at,
        deadline=gate.deadline,
        default=gate.default,
    )


def check_outcome_of(evaluation: Evaluation, *, fast: bool) -> CheckOutcome:
    """Return what was measured of the working tree."""
    return CheckOutcome(
        exit_code=exit_of(evaluation),
        tree=evaluation.tree,
        fast=fast,
        findings=evaluation.findings,
        failures=evaluation.failures,
        flaky=evaluation.flaky,
        quarantined=evaluation.quarantined,
        evidence=evaluation.evidence,
        test_counts=evaluation.test_counts,
        coverage=evaluation.coverage,
        quality=evaluation.quality,
        score=evaluation.score_shown,
    )


def _measured(measured: Evaluation, best: Round | None) -> dict[str, object]:
    reviewed = best.verdict.findings if best and best.verdict else ()
    return {
        "findings": worst_first((*measured.findings, *reviewed)),
        "failures": measured.failures,
        "evidence": measured.evidence,
        "quality": measured.quality,
        "score": measured.score_shown,
    }


def _best(told: History) -> Round | None:
    """Return the round that was delivered or offered; of an unfinished run, the newest."""
    if told.outcome is None:
        return told.rounds[-1] if told.rounds else None
    return next((each for each in told.rounds if each.number == told.outcome.best_iteration), None)


def _commit(project: Project, branch: str) -> str:
    """Return the commit that a branch of the repository points at; empty where there is none."""
    if not branch:
        return ""
    return asyncio.run(commit_of(project.root, f"refs/heads/{branch}")) or ""
