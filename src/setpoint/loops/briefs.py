"""What each role is told: the same facts as a prompt and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from setpoint.domain.attempt import Brief, Mode, Role, Tried
from setpoint.domain.evidence import Failure
from setpoint.domain.finding import Finding, worst_first
from setpoint.domain.pipeline import Phase
from setpoint.domain.run import Limits, Round
from setpoint.loops.running import Running
from setpoint.policies.budget import attempt_limits, spent
from setpoint.policies.past import blocking, failures
from setpoint.policies.review import NOTHING_REVIEWED, Docket, is_frozen

MOST_FAILURES = 5
MOST_FINDINGS = 20
MOST_DETAIL = 1200
MOST_DIFF = 60_000
MOST_TRIED_DIFF = 3000


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What is known when a role is asked."""

    iteration: int = 0
    mode: Mode = Mode.FRESH
    chain: int = 0
    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    reason: str = ""
    """Why the work came back."""
    advice: str = ""
    """What the loop noticed about the rounds so far."""
    tried: tuple[Tried, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    """What thinking phases wrote, by phase."""
    diff: str = ""
    """The change under review."""
    budget: str = ""
    review: str = ""
    """Kind of the review that is asked for."""
    before: Docket = NOTHING_REVIEWED
    """What earlier reviews have come to."""
    declined: dict[str, str] = field(default_factory=dict)
    """Reason by fingerprint of the objections that the maker declines."""


def brief(run: Running, phase: Phase, now: Situation) -> Brief:
    """Put a role's brief together; its prompt holds the worst problems, the data hold them all."""
    order, world = run.order, run.world
    cost, _ = spent(run.journal.events)
    shown_failures = tuple(_shortened(failure) for failure in now.failures[:MOST_FAILURES])
    shown_findings = worst_first(now.findings)[:MOST_FINDINGS]
    variables: dict[str, object] = {
        "story": order.story,
        "failures": shown_failures,
        "findings": shown_findings,
        "more": len(now.failures) + len(now.findings) - len(shown_failures) - len(shown_findings),
        "iteration": now.iteration,
        "max_iterations": order.limits.max_iterations,
        "reason": now.reason,
        "advice": now.advice,
        "tried": now.tried,
        "research": now.texts.get("research", ""),
        "plan": now.texts.get("plan", ""),
        "checks": sorted(run.tools.checks),
        "diff": now.diff[:MOST_DIFF],
        "budget": now.budget,
        "objections": now.before.open,
        "declined": now.declined,
        "reviews": now.before.reviews,
        "frozen": is_frozen(now.before, order.limits),
        "scratchpad": f"{world.folder}/scratchpad.md",
    }
    template = phase.prompts.get(now.review or now.mode, phase.prompts.get(Mode.FRESH, ""))
    about = f"{phase.name}-{now.review}" if now.review else phase.name
    return Brief(
        role=phase.role or Role.MAKER,
        mode=now.mode,
        session=f"{order.trace_id}:{about}:{now.chain}",
        label=f"{about}-{now.iteration}",
        prompt=world.render(template, variables) if template else order.story.wish,
        workdir=run.copy.path,
        python=run.tools.python,
        story=order.story,
        findings=worst_first(now.findings),
        failures=now.failures,
        tried=now.tried,
        diff=now.diff,
        review=now.review,
        limits=attempt_limits(order.limits, order.attempt, cost, run.active_s()),
    )


def tried(rounds: Sequence[tuple[Round, str]]) -> tuple[Tried, ...]:
    """Tell what came of earlier rounds, each given with its diff."""
    return tuple(
        Tried(iteration=past.number, diff=diff[:MOST_TRIED_DIFF], outcome=outcome_line(past))
        for past, diff in rounds
    )


def outcome_line(past: Round) -> str:
    """Say in one line what came of a round."""
    if past.verified:
        return "every gate passed"
    if past.snapshot.empty:
        return "nothing was changed"
    red, findings = failures(past), blocking(past)
    parts = []
    if red:
        parts.append(f"{len(red)} failing, first {red[0].test}: {red[0].message[:160]}")
    if findings:
        parts.append(f"{len(findings)} blocking findings, first {findings[0].message[:160]}")
    parts += [f"{evidence.check} broke: {evidence.reason[:160]}" for evidence in past.latest.broken]
    return f"sent back by {past.bounced_from or 'the gates'}: {'; '.join(parts) or 'a gate did not pass'}"


def left(limits: Limits, cost_usd: float, active_s: float) -> str:
    """Say what is left of the budget."""
    money = f"${max(float(limits.max_cost_usd) - cost_usd, 0):.2f}" if limits.max_cost_usd > 0 else ""
    minutes = f"{max(limits.max_wall_s - active_s, 0) / 60:.0f} minutes"
    return " and ".join(part for part in (money, minutes) if part)


def _shortened(failure: Failure) -> Failure:
    return failure.model_copy(update={"detail": failure.detail[-MOST_DETAIL:]})
