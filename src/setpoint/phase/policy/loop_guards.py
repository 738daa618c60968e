"""Rules that stop a loop at its limits: pure, composable with `|` (first that fires) and `&` (only together).

Each returns the guard's name, the reason, the figures, and how a person can continue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from setpoint.model.config.limits import Limits
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.run import Halt
from setpoint.phase.policy.bouncing import too_many_bounces
from setpoint.phase.policy.restored_files import restored_in_all


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
        named = f'story "{past.story}"' if past.story else "the story"
        tried = f"{named} reached max refinement attempts ({reworks}/{limit})"
        return Halt(
            guard="max_refinement_attempts",
            reason=f"{tried}; manual intervention required",
            figures={"attempts": reworks, "limit": limit},
            go_on="fix it by hand, or set max_refinement_attempts in the story's front matter",
        )

    return Guard(name="max_refinement_attempts", judge=judge)


def empty_diffs(limits: Limits) -> Guard:
    """Stop an agent that changes nothing, or nothing new: the same change, or back to an earlier state."""

    def judge(past: RunFacts) -> Halt | None:
        run = 0
        for position in range(len(past.rounds) - 1, past.since - 1, -1):
            newest, earlier = past.rounds[position], past.rounds[:position]
            known = {past.base.tree} | {each.snapshot.tree for each in earlier}
            again = newest.diff_hash in {each.diff_hash for each in earlier} or newest.snapshot.tree in known
            if newest.diff_hash and not again:
                break
            run += 1
        if run < limits.max_empty_diffs:
            return None
        back = restored_in_all(past.rounds[-run:])
        but = f" but protected files, which were restored: {back}" if back else ""
        return Halt(
            guard="max_empty_diffs",
            reason=f"the maker changed nothing new in {run} rounds in a row{but}",
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
