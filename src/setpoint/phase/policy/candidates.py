"""Choose the candidate to continue with: the best by evidence, never by its agent's word."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from setpoint.model.events.candidates import CandidateMade, CandidateResult
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.halter.terms import PRIORS
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.run import Round
from setpoint.phase.policy.hard_gates import hard_gates

POLICY = "candidates-v1"
"""Name and version of these rules; every recorded choice carries it."""
SAME_SCORE = 2
"""Decimal places of the quality score that tell candidates apart."""
PASSED, SEEN = 2.0, 5.0
"""Candidates that passed, and all, as if seen before: in logs 14 to 44 % pass at the first try."""
CLEAN_IS_WRONG = 0.2
"""Chance that a candidate without problems is of no use all the same."""
_NOT_ASKED = "review"
"""The gate that candidates have not reached yet."""
_UNKNOWN = Decimal("Infinity")
_REASONS = (
    "passes more hard gates",
    "has fewer failing tests",
    "has fewer blocking findings",
    "has the higher quality",
    "has fewer findings",
    "changed fewer protected files",
    "is the smaller change",
    "is as good and costs less",
    "is as good and comes first,",
)
"""Why a candidate ranks before another, in the order of comparison."""


def broke(made: CandidateMade) -> bool:
    """Whether a candidate's agent broke."""
    attempt = made.snapshot.attempt
    return attempt is not None and attempt.breakage is not None


def comes_to_an_end(made: CandidateMade) -> bool:
    """Whether a candidate finished with a change: its agent did not break, and it changed something."""
    return not broke(made) and _has_change(made)


def was_cut_off(made: CandidateMade) -> bool:
    """Whether a candidate's agent broke after it changed something."""
    return broke(made) and _has_change(made)


def is_clean(result: CandidateResult) -> bool:
    """Whether nothing was found against a candidate."""
    return not result.red and not result.blocking


def _has_change(made: CandidateMade) -> bool:
    return not made.snapshot.empty and made.changed_against_base


def candidate_result(made: CandidateMade, measured: Round) -> CandidateResult:
    """Return the measured state of a candidate."""
    usage = made.snapshot.attempt.usage if made.snapshot.attempt else None
    told = None if usage is None else Decimal(0) if usage.scope == "none" else usage.cost_usd
    gates = hard_gates(measured)
    return CandidateResult(
        candidate=made.candidate,
        agent=made.agent,
        failing=tuple(gate.name for gate in gates if not gate.passed and gate.name != _NOT_ASKED),
        red=len(failures(measured)) + len(measured.latest.broken),
        blocking=len(blocking(measured)),
        score=measured.latest.score,
        findings=len(measured.latest.findings),
        restored=len(made.snapshot.restored),
        lines=made.snapshot.insertions + made.snapshot.deletions,
        cost_usd=None if told is None else told + made.lost_cost_usd,
    )


def rank(of: CandidateResult) -> tuple[int, int, int, float, int, int, int, Decimal, int]:
    """Order candidates, the best first; an unknown cost counts as the highest."""
    return (
        len(of.failing),
        of.red,
        of.blocking,
        -round(of.score or 0.0, SAME_SCORE),
        of.findings,
        of.restored,
        of.lines,
        _UNKNOWN if of.cost_usd is None else of.cost_usd,
        of.candidate,
    )


def best_first(standings: Sequence[CandidateResult]) -> tuple[CandidateResult, ...]:
    """Return candidates in their order."""
    return tuple(sorted(standings, key=rank))


def finalists(standings: Sequence[CandidateResult]) -> tuple[int, ...]:
    """Name the candidates without problems; early checks run only part of the tests."""
    clean = [each.candidate for each in standings if is_clean(each)]
    return tuple(clean) if len(clean) > 1 else ()


def not_worth_starting(measured: Sequence[CandidateResult], worth: HaltingWorth) -> str:
    """Say why one more candidate is expected to cost more than it gains; empty where it is worth its cost.

    Empty too where the person states no worth, or nothing is measured. It gains where no other one is right.
    """
    if worth.worth_usd is None or not measured:
        return ""
    clean = [each.candidate for each in measured if is_clean(each)]
    chance = (PASSED + len(clean)) / (SEEN + len(measured))
    needed = CLEAN_IS_WRONG if clean else 1.0
    gain = needed * chance * float(worth.worth_usd)
    known = [float(each.cost_usd) for each in measured if each.cost_usd is not None]
    cost = sum(known) / len(known) if known else PRIORS.turn_cost_usd
    if gain > cost:
        return ""
    found = f"candidate {clean[0]} has no problems, and" if clean else f"{len(measured)} are measured, and"
    return (
        f"{found} one more has a chance of {chance:.0%} to pass: expected gain ${gain:.2f}, "
        f"cost about ${cost:.2f}{'' if known else ' (assumed)'}"
    )


def reason(ordered: Sequence[CandidateResult]) -> str:
    """Return in one sentence why the first candidate continues."""
    if not ordered:
        return "no candidate finished with a change"
    best = ordered[0]
    name = f"candidate {best.candidate} ({best.agent})"
    if len(ordered) == 1:
        return f"{name} is the only one that finished with a change"
    pairs = zip(rank(best), rank(ordered[1]), _REASONS, strict=True)
    why = next(text for first, second, text in pairs if first != second)
    than = "before" if why.endswith(",") else "than"
    return f"{name} {why} {than} candidate {ordered[1].candidate} ({ordered[1].agent})"
