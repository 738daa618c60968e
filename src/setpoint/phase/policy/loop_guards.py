"""Rules that stop a loop: pure, composable with `|` (first that fires) and `&` (only together).

Each returns the guard's name, the reason, the figures, and how a person can continue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import pvariance

from setpoint.model.facts.rounds import (
    RunFacts,
    failures,
    fewer_problems,
    open_counts,
    problems,
    qualities,
    review_findings,
    same_problems_running,
    signature,
)
from setpoint.model.run import Halt, Limits, Round
from setpoint.phase.policy.bouncing import too_many_bounces
from setpoint.phase.policy.restored_files import restored_in_all

STAGNATION_WINDOW = 3
STAGNATION_VARIANCE = 0.001
FLOOR_AFTER_ROUNDS = 3
DIMINISHING_AFTER = 2
"""Bounces without fewer problems that are too many."""
SUSPECT = "write an instruction, try another agent, or check whether the test or finding itself is wrong"


@dataclass(frozen=True, kw_only=True)
class Guard:
    """A named rule over a run's history."""

    name: str
    judge: Callable[[RunFacts], Halt | None]
    """Returns a halt if the rule fires."""

    def __call__(self, past: RunFacts) -> Halt | None:
        """Judge a history."""
        return self.judge(past)

    def __or__(self, other: Guard) -> Guard:
        """Fire when either fires; the left one is evaluated first."""
        return Guard(
            name=f"{self.name} | {other.name}", judge=lambda past: self.judge(past) or other.judge(past)
        )

    def __and__(self, other: Guard) -> Guard:
        """Fire when both fire; the reasons and figures are joined."""

        def both(past: RunFacts) -> Halt | None:
            left, right = self.judge(past), other.judge(past)
            if left is None or right is None:
                return None
            return Halt(
                guard=f"{left.guard} & {right.guard}",
                reason=f"{left.reason}; and {right.reason}",
                figures={**left.figures, **right.figures},
                go_on=left.go_on,
            )

        return Guard(name=f"{self.name} & {other.name}", judge=both)


def max_iterations(limits: Limits) -> Guard:
    """Stop after a number of iterations."""

    def judge(past: RunFacts) -> Halt | None:
        if len(past.rounds) < limits.max_iterations:
            return None
        return Halt(
            guard="max_iterations",
            reason=f"{len(past.rounds)} of {limits.max_iterations} iterations are used up",
            figures={"iterations": len(past.rounds), "limit": limits.max_iterations},
            go_on="raise limits.max_iterations (at most 10), or make the story smaller",
        )

    return Guard(name="max_iterations", judge=judge)


def phase_limit(name: str, phase: str, limit: int | None) -> Guard:
    """Stop when one phase sends work back once more than is allowed; no limit never fires."""

    def judge(past: RunFacts) -> Halt | None:
        return too_many_bounces(past.rounds, name, phase, limit)

    return Guard(name=name, judge=judge)


def max_refinement_attempts(limits: Limits) -> Guard:
    """Break the circuit after too many reworks of one story, whichever phase requested them."""

    def judge(past: RunFacts) -> Halt | None:
        limit = limits.max_refinement_attempts
        reworks = len(past.rounds) - 1
        if limit is None or reworks < limit or not past.last.bounced_to:
            return None
        return Halt(
            guard="max_refinement_attempts",
            reason=f"the story is at its most refinement attempts ({reworks}/{limit}): review it by hand",
            figures={"attempts": reworks, "limit": limit},
            go_on="fix it by hand, or set max_refinement_attempts in the story's front matter",
        )

    return Guard(name="max_refinement_attempts", judge=judge)


def same_review_issue(limits: Limits) -> Guard:
    """Stop when one blocking review finding stays for a number of rounds."""

    def issues(past: Round) -> dict[str, str]:
        return {finding.fingerprint: finding.message for finding in review_findings(past)}

    return _same_running("max_same_review_issue", "review issue", limits.max_same_review_issue, issues)


def same_test_failure(limits: Limits) -> Guard:
    """Stop when one test fails in the same way for a number of rounds."""

    def issues(past: Round) -> dict[str, str]:
        return {signature(failure): failure.test for failure in failures(past)}

    return _same_running("max_same_test_failure", "test failure", limits.max_same_test_failure, issues)


def _same_running(name: str, what: str, limit: int, issues: Callable[[Round], dict[str, str]]) -> Guard:
    def judge(past: RunFacts) -> Halt | None:
        rounds = [each for each in past.recent if each.chain == past.last.chain]
        if len(rounds) < limit:
            return None
        window = [issues(each) for each in rounds[-limit:]]
        lasting = set(window[0]).intersection(*window[1:])
        # A round that fixed another problem is progress: only rounds with the same problems are stuck.
        if not lasting or len(window[-1]) < len(window[0]):
            return None
        first = min(window[-1][key] for key in lasting)
        return Halt(
            guard=name,
            reason=f"the same {what} in {limit} rounds running: {first}",
            figures={"rounds": limit, "lasting": len(lasting)},
            go_on=SUSPECT,
        )

    return Guard(name=name, judge=judge)


def empty_diffs(limits: Limits) -> Guard:
    """Stop an agent that changes nothing, or makes the same change, round after round."""

    def judge(past: RunFacts) -> Halt | None:
        run = 0
        for position in range(len(past.rounds) - 1, past.since - 1, -1):
            newest, earlier = past.rounds[position], past.rounds[:position]
            if newest.diff_hash and newest.diff_hash not in {each.diff_hash for each in earlier}:
                break
            run += 1
        if run < limits.max_empty_diffs:
            return None
        back = restored_in_all(past.rounds[-run:])
        but = f" but protected files, which were restored: {back}" if back else ""
        return Halt(
            guard="max_empty_diffs",
            reason=f"the maker changed nothing new in {run} rounds running{but}",
            figures={"rounds": run, "limit": limits.max_empty_diffs},
            go_on="write an instruction, or try another agent (--agent)",
        )

    return Guard(name="max_empty_diffs", judge=judge)


def cost(limits: Limits) -> Guard:
    """Stop when the money is used up."""

    def judge(past: RunFacts) -> Halt | None:
        if limits.max_cost_usd <= 0 or past.cost_usd < limits.max_cost_usd:
            return None
        return Halt(
            guard="max_cost_usd",
            reason=f"${past.cost_usd:.2f} of ${limits.max_cost_usd:.2f} are spent",
            figures={"cost_usd": float(past.cost_usd), "limit": float(limits.max_cost_usd)},
            go_on="raise limits.max_cost_usd",
        )

    return Guard(name="max_cost_usd", judge=judge)


def wall_time(limits: Limits) -> Guard:
    """Stop when the time is used up."""

    def judge(past: RunFacts) -> Halt | None:
        if past.active_s < limits.max_wall_s:
            return None
        return Halt(
            guard="max_wall_s",
            reason=f"{past.active_s:.0f} of {limits.max_wall_s:.0f} seconds are used up",
            figures={"seconds": round(past.active_s, 1), "limit": limits.max_wall_s},
            go_on="raise limits.max_wall_s",
        )

    return Guard(name="max_wall_s", judge=judge)


def tokens(limits: Limits) -> Guard:
    """Stop when the tokens are used up (no limit by default)."""

    def judge(past: RunFacts) -> Halt | None:
        if limits.max_tokens is None or past.tokens < limits.max_tokens:
            return None
        return Halt(
            guard="max_tokens",
            reason=f"{past.tokens} of {limits.max_tokens} tokens are used up",
            figures={"tokens": past.tokens, "limit": limits.max_tokens},
            go_on="raise limits.max_tokens",
        )

    return Guard(name="max_tokens", judge=judge)


def unpaid(limits: Limits) -> Guard:
    """Stop when the remaining budget cannot pay for a model call."""
    return cost(limits) | tokens(limits)


def deadline(limits: Limits) -> Guard:
    """Stop at the run's deadline by the clock, without a question (no deadline by default)."""

    def judge(past: RunFacts) -> Halt | None:
        if limits.deadline_s is None or past.elapsed_s < limits.deadline_s:
            return None
        return Halt(
            guard="deadline_s",
            reason=f"the deadline has passed: {limits.deadline_s:.0f} seconds after the start",
            figures={"seconds": round(past.elapsed_s, 1), "limit": limits.deadline_s},
            go_on="begin a new run with a later deadline",
        )

    return Guard(name="deadline_s", judge=judge)


def enough_left(limits: Limits) -> Guard:
    """Stop when the remaining money or time is less than the cheapest round so far used."""

    def judge(past: RunFacts) -> Halt | None:
        if not limits.enough_left or not past.shares:
            return None
        money = min(share.cost_usd for share in past.shares)
        left = limits.max_cost_usd - past.cost_usd
        if limits.max_cost_usd > 0 and 0 <= left < money:
            return Halt(
                guard="enough_left",
                reason=f"${left:.2f} of ${limits.max_cost_usd:.2f} are left, and no round cost less "
                f"than ${money:.2f}",
                figures={"left_usd": float(left), "least_usd": float(money)},
                go_on="raise limits.max_cost_usd, or set limits.enough_left = false to try anyway",
            )
        seconds = min(share.seconds for share in past.shares)
        rest = limits.max_wall_s - past.active_s
        if not 0 <= rest < seconds:
            return None
        return Halt(
            guard="enough_left",
            reason=f"{rest:.0f} of {limits.max_wall_s:.0f} seconds are left, and no round took less "
            f"than {seconds:.0f}",
            figures={"left_s": round(rest, 1), "least_s": round(seconds, 1)},
            go_on="raise limits.max_wall_s, or set limits.enough_left = false to try anyway",
        )

    return Guard(name="enough_left", judge=judge)


def diminishing_returns(limits: Limits) -> Guard:
    """R3's rule: no fewer problems after two bounces (off by default: the maker receives advice instead)."""

    def judge(past: RunFacts) -> Halt | None:
        if not limits.diminishing_returns or fewer_problems(past.recent, DIMINISHING_AFTER):
            return None
        counts = open_counts(past.recent, DIMINISHING_AFTER)
        return Halt(
            guard="diminishing_returns",
            reason=f"no fewer problems after {DIMINISHING_AFTER} bounces: {' -> '.join(map(str, counts))}",
            figures={"before": counts[0], "now": counts[-1]},
            go_on=SUSPECT,
        )

    return Guard(name="diminishing_returns", judge=judge)


def stagnation(limits: Limits) -> Guard:
    """R0's rule: the last three scores vary by less than 0.001, or never rise (off by default)."""

    def judge(past: RunFacts) -> Halt | None:
        recent = qualities(past.recent, full=True)[-STAGNATION_WINDOW:]
        if not limits.stagnation or len(recent) < STAGNATION_WINDOW:
            return None
        variance = pvariance(recent)
        falling = all(later <= earlier for earlier, later in pairwise(recent))
        if variance >= STAGNATION_VARIANCE and not falling:
            return None
        why = "does not rise" if falling else f"hardly moves (variance {variance:.5f})"
        return Halt(
            guard="stagnation",
            reason=f"the quality score {why} over {STAGNATION_WINDOW} rounds",
            figures={"variance": round(variance, 6), "last": round(recent[-1], 4)},
            go_on="set limits.stagnation = false: this rule is known to stop good runs",
        )

    return Guard(name="stagnation", judge=judge)


def minimum_quality(limits: Limits) -> Guard:
    """R0's rule: a score below the floor after three rounds (off by default)."""

    def judge(past: RunFacts) -> Halt | None:
        scores = qualities(past.recent, full=True)
        floor = limits.minimum_quality
        if floor is None or len(past.recent) < FLOOR_AFTER_ROUNDS or not scores or scores[-1] >= floor:
            return None
        return Halt(
            guard="minimum_quality",
            reason=f"the quality score {scores[-1]:.2f} is below {floor:.2f} after {len(past.recent)} rounds",
            figures={"score": round(scores[-1], 4), "floor": floor},
            go_on="unset limits.minimum_quality, or make the story smaller",
        )

    return Guard(name="minimum_quality", judge=judge)


def repeated_findings(limits: Limits) -> Guard:
    """Fire when the same set of problems comes back: the sign that measured best."""

    def judge(past: RunFacts) -> Halt | None:
        run = same_problems_running(past.recent)
        if run < limits.repeated_findings:
            return None
        return Halt(
            guard="repeated_findings",
            reason=f"the same {len(problems(past.last))} problems came back {run} times running",
            figures={
                "comparisons": run,
                "limit": limits.repeated_findings,
                "problems": len(problems(past.last)),
            },
            go_on=SUSPECT,
        )

    return Guard(name="repeated_findings", judge=judge)


def exhausting(limits: Limits) -> Guard:
    """Guards of exhausted budgets; a restart does not help."""
    return (
        deadline(limits)
        | cost(limits)
        | wall_time(limits)
        | tokens(limits)
        | enough_left(limits)
        | empty_diffs(limits)
        | max_refinement_attempts(limits)
        | phase_limit("max_review_bounces", "review", limits.max_review_bounces)
        | phase_limit("max_test_bounces", "test", limits.max_test_bounces)
        | max_iterations(limits)
    )


def stuck(limits: Limits) -> Guard:
    """Guards of a loop without progress; one restart may help."""
    return (
        same_review_issue(limits)
        | same_test_failure(limits)
        | repeated_findings(limits)
        | diminishing_returns(limits)
        | stagnation(limits)
        | minimum_quality(limits)
    )
