"""Rules that stop a loop which does not get nearer to green, or restart it once.

"In a row" counts rounds up to the newest since a person last let the run continue; a restart does not
interrupt the row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import pvariance

from setpoint.model.config.limits import Limits
from setpoint.model.facts.gains import gained, without_gain, worse
from setpoint.model.facts.rounds import (
    RunFacts,
    failures,
    fewer_problems,
    open_counts,
    problems,
    qualities,
    review_findings,
    same_problems_running,
    scores_with_tests,
    signature,
)
from setpoint.model.run import Halt, Round
from setpoint.phase.policy.loop_guards import Guard

STAGNATION_WINDOW = 3
STAGNATION_VARIANCE = 0.001
FLOOR_AFTER_ROUNDS = 3
DIMINISHING_AFTER = 2
"""Bounces without fewer problems that are too many."""
SUSPECT = "write an instruction, try another agent, or check whether the test or finding itself is wrong"
NEW_WAY = "let it try a new approach, write an instruction, or try another agent"


def same_review_issue(limits: Limits) -> Guard:
    """Stop when one blocking review finding stays for a number of rounds."""

    def issues(past: Round) -> dict[str, str]:
        return {finding.fingerprint: finding.message for finding in review_findings(past)}

    return _same_running(limits, "max_same_review_issue", "review issue", issues)


def same_test_failure(limits: Limits) -> Guard:
    """Stop when one test fails in the same way for a number of rounds."""

    def issues(past: Round) -> dict[str, str]:
        return {signature(failure): failure.test for failure in failures(past)}

    return _same_running(limits, "max_same_test_failure", "test failure", issues)


def _same_running(limits: Limits, name: str, what: str, issues: Callable[[Round], dict[str, str]]) -> Guard:
    limit: int = getattr(limits, name)

    def judge(past: RunFacts) -> Halt | None:
        rounds = past.recent
        if len(rounds) < limit or _gains_in_last(past, limits, limit):
            return None
        window = [issues(each) for each in rounds[-limit:]]
        lasting = set(window[0]).intersection(*window[1:])
        # A round that fixed another problem is progress: only rounds with the same problems are stuck.
        if not lasting or len(window[-1]) < len(window[0]):
            return None
        first = min(window[-1][key] for key in lasting)
        return Halt(
            guard=name,
            reason=f"the same {what} in {limit} rounds in a row: {first}",
            figures={"rounds": limit, "lasting": len(lasting)},
            go_on=SUSPECT,
        )

    return Guard(name=name, judge=judge)


def _gains_in_last(past: RunFacts, limits: Limits, rounds: int) -> bool:
    """Whether one of the newest rounds gained something, where a limit asks for that."""
    return limits.max_rounds_without_gain > 0 and any(gained(past)[-rounds:])


def repeated_findings(limits: Limits) -> Guard:
    """Fire when the same set of problems comes back: the sign that measured best."""

    def judge(past: RunFacts) -> Halt | None:
        run = same_problems_running(past.recent)
        if run < limits.repeated_findings:
            return None
        count = len(problems(past.last))
        what = "problem" if count == 1 else f"{count} problems"
        return Halt(
            guard="repeated_findings",
            reason=f"the same {what} in {run + 1} rounds in a row",
            figures={"rounds": run + 1, "limit": limits.repeated_findings + 1, "problems": count},
            go_on=SUSPECT,
        )

    return Guard(name="repeated_findings", judge=judge)


def rounds_without_gain(limits: Limits) -> Guard:
    """Stop when no test gets nearer to green, and nothing else gets better, in so many rounds in a row."""

    def judge(past: RunFacts) -> Halt | None:
        run, limit = without_gain(past), limits.max_rounds_without_gain
        if not limit or run < limit:
            return None
        red = len(failures(past.last))
        still = f"{red} tests fail" if red != 1 else "1 test fails"
        return Halt(
            guard="max_rounds_without_gain",
            reason=f"{run} rounds in a row brought no test nearer to green and nothing else forward; {still}",
            figures={"rounds": run, "limit": limit, "failing": red},
            go_on=f"{NEW_WAY}; limits.max_rounds_without_gain allows more rounds",
        )

    return Guard(name="max_rounds_without_gain", judge=judge)


def rounds_worse(limits: Limits) -> Guard:
    """Stop when so many rounds in a row have more failing tests than the round before."""

    def judge(past: RunFacts) -> Halt | None:
        counts, limit = worse(past), limits.max_rounds_worse
        run = len(counts) - 1
        if not limit or run < limit:
            return None
        return Halt(
            guard="max_rounds_worse",
            reason=f"more tests failed in each of {run} rounds in a row: {' -> '.join(map(str, counts))}",
            figures={"rounds": run, "limit": limit, "failing": counts[-1]},
            go_on=f"{NEW_WAY}; limits.max_rounds_worse allows more rounds",
        )

    return Guard(name="max_rounds_worse", judge=judge)


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
        recent = scores_in_a_row(past)
        if not limits.stagnation or len(recent) < STAGNATION_WINDOW or _gains_in_part(past):
            return None
        variance = pvariance(recent)
        falling = all(later <= earlier for earlier, later in pairwise(recent))
        if variance >= STAGNATION_VARIANCE and not falling:
            return None
        why = "does not rise" if falling else f"hardly moves (variance {variance:.5f})"
        return Halt(
            guard="stagnation",
            reason=f"the quality score {why} in {STAGNATION_WINDOW} rounds in a row",
            figures={"variance": round(variance, 6), "last": round(recent[-1], 4)},
            go_on="set limits.stagnation = false: this rule is known to stop good runs",
        )

    return Guard(name="stagnation", judge=judge)


def minimum_quality(limits: Limits) -> Guard:
    """R0's rule: a score below the floor after three rounds (off by default)."""

    def judge(past: RunFacts) -> Halt | None:
        scores, floor = full_scores(past), limits.minimum_quality
        if floor is None or len(past.recent) < FLOOR_AFTER_ROUNDS or not scores or scores[-1] >= floor:
            return None
        return Halt(
            guard="minimum_quality",
            reason=f"the quality score {scores[-1]:.2f} is below {floor:.2f} after {len(past.recent)} rounds",
            figures={"score": round(scores[-1], 4), "floor": floor},
            go_on="unset limits.minimum_quality, or make the story smaller",
        )

    return Guard(name="minimum_quality", judge=judge)


def scores_in_a_row(past: RunFacts) -> tuple[float, ...]:
    """Return the newest scores as far as they can be compared: the same metrics, and tests among them."""
    return scores_with_tests(past.recent[-STAGNATION_WINDOW:], past.weights)


def _gains_in_part(past: RunFacts) -> bool:
    """Whether rounds that did not reach the full suite gained something that no score shows."""
    partly = any(each.tests is None for each in past.recent[-STAGNATION_WINDOW:])
    return partly and any(gained(past)[-STAGNATION_WINDOW:])


def full_scores(past: RunFacts) -> tuple[float, ...]:
    """Return the scores of the rounds that reached the full suite."""
    return qualities(tuple(each for each in past.recent if each.tests is not None))


def repeated_without_gain(limits: Limits) -> Guard:
    """Stop when the same set of problems comes back, and no round among them gained anything."""

    def judge(past: RunFacts) -> Halt | None:
        if limits.restart_on_repeat and _gains_in_last(past, limits, limits.repeated_findings + 1):
            return None
        return repeated_findings(limits)(past)

    return Guard(name="repeated_findings", judge=judge)


def stuck(limits: Limits) -> Guard:
    """Guards of a loop without progress; one restart may help."""
    return (
        rounds_worse(limits)
        | same_review_issue(limits)
        | same_test_failure(limits)
        | repeated_without_gain(limits)
        | rounds_without_gain(limits)
        | diminishing_returns(limits)
        | stagnation(limits)
        | minimum_quality(limits)
    )
