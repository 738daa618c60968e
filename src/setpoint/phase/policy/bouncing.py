"""Decide where a bounce goes, whether there is one and why; count bounces and judge their limit.

A bounce sends the work back: a phase behind the making found something, and the phase that can fix it works
again.
"""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.config.limits import Limits
from setpoint.model.events.run import PhaseBounce
from setpoint.model.evidence import CheckState
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.finding import Category, Finding
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import Halt, Round
from setpoint.model.verdict import HardGate, Judgement
from setpoint.model.wording import counted, shortened
from setpoint.phase.policy.restored_files import listed, restored_in

POLICY = "bouncing-v1"
"""Name and version of these rules; every recorded bounce carries it."""
RESEARCH = frozenset({Category.REQUIREMENTS, Category.MISSING_INFORMATION, Category.MISUNDERSTANDING})
"""Categories of findings that go back to `research`."""
PLAN = frozenset({Category.ARCHITECTURE, Category.DESIGN, Category.APPROACH, Category.SCOPE})
"""Categories of findings that go back to `plan`."""
MOST_REASON = 160
"""Characters of a message in the reason of a bounce."""
NOT_REACHED = "not reached"
"""Prefix of the reason of a gate that was not evaluated because of an earlier one."""

_ALSO = {"research": "analyse", "plan": "design"}
"""Names of the same phases in pipelines that generate tests."""


def bounce_target(findings: tuple[Finding, ...], pipeline: Pipeline) -> str:
    """Return the phase that the work goes back to; the making phase if the pipeline lacks the target.

    Only blocking findings decide: one about the goal goes to `research`, else one about the design to
    `plan`.
    """
    wanted = _wanted(findings)
    names = {phase.name for phase in pipeline.before_making()}
    return next((each for each in (wanted, _ALSO.get(wanted, "")) if each in names), pipeline.making.name)


def _wanted(findings: tuple[Finding, ...]) -> str:
    blocks = {finding.category for finding in findings if finding.blocking}
    if blocks & RESEARCH:
        return "research"
    return "plan" if blocks & PLAN else ""


def asks_for_bounce(current: Round, phase: Phase) -> bool:
    """Whether a phase that has just judged a round sends it back."""
    if phase.kind is PhaseKind.REVIEW and current.verdict is not None:
        return bool(current.verdict.blocking) or current.verdict.judgement is not Judgement.APPROVE
    newest = current.tests or current.evaluation
    commands = [
        each
        for each in newest.evidence
        if each.check.startswith("acceptance:") and each.state is CheckState.FAIL
    ]
    return bool(newest.failures or newest.blocking or newest.broken or commands)


def with_bounce(current: Round, gates: tuple[HardGate, ...], pipeline: Pipeline) -> Round:
    """Return a judged round with its gates and, where a gate failed, the source and target of its bounce."""
    if all(gate.passed for gate in gates):
        return current.model_copy(update={"gates": gates})
    reviewed = current.verdict.findings if current.verdict else ()
    target = bounce_target((*current.latest.findings, *reviewed), pipeline)
    source = current.bounced_from or "gates"
    return current.model_copy(update={"gates": gates, "bounced_to": target, "bounced_from": source})


def bounce_count(rounds: Sequence[Round], source: str = "") -> int:
    """Count how often work was sent back; with a source, by this phase alone."""
    if source:
        return sum(1 for each in rounds if each.bounced_from == source)
    return sum(1 for each in rounds if each.bounced_to)


def bounce_of(rounds: tuple[Round, ...], limits: Limits) -> PhaseBounce:
    """Return the bounce of the newest round, as it is recorded."""
    last = rounds[-1]
    return PhaseBounce(
        source=last.bounced_from,
        target=last.bounced_to,
        bounce=bounce_count(rounds),
        allowed=limits.max_refinement_attempts,
        iteration=last.number,
        findings=tuple(finding.fingerprint for finding in blocking(last)),
        failures=len(failures(last)),
        reason=outcome_line(last),
        policy=POLICY,
    )


def too_many_bounces(rounds: Sequence[Round], name: str, phase: str, limit: int | None) -> Halt | None:
    """Return why a run stops where a phase sent work back more often than the limit `name` allows."""
    count = bounce_count(rounds, phase)
    if limit is None or count <= limit:
        return None
    return Halt(
        guard=name,
        reason=f"{phase} sends the work back again: bounce {count}, where {limit} are allowed",
        figures={"bounces": count, "limit": limit},
        go_on=f"look at the last findings of {phase}, or raise limits.{name}",
    )


def outcome_line(judged: Round) -> str:
    """Return the outcome of a round in one line; for a bounce, its reason."""
    if judged.verified:
        return "every gate passed"
    back = restored_in(judged)
    if judged.snapshot.empty:
        return f"all that was changed was restored: {listed(back)}" if back else "nothing was changed"
    red, findings = failures(judged), blocking(judged)
    parts = []
    if red:
        parts.append(f"{len(red)} failing, first {red[0].test}: {_told(red[0].message)}")
    if findings:
        parts.append(f"{counted(len(findings), 'blocking finding')}, first {_told(findings[0].message)}")
    parts += [f"{evidence.check} broke: {_told(evidence.reason)}" for evidence in judged.latest.broken]
    why = "; ".join(parts) or _failed_gates(judged)
    also = f"; restored: {listed(back)}" if back else ""
    return f"sent back by {judged.bounced_from or 'the gates'}: {why}{also}"


def _told(message: str) -> str:
    return shortened(message, MOST_REASON)


def _failed_gates(judged: Round) -> str:
    """Name the failed gates that no finding and no failure explains."""
    failed = [gate for gate in judged.gates if not gate.passed and not gate.reason.startswith(NOT_REACHED)]
    reasons = [f"gate {gate.name} did not pass: {_told(gate.reason)}" for gate in failed]
    return "; ".join(reasons) or "a gate did not pass"
