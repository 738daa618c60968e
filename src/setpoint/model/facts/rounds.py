"""The history that every policy looks at, and the figures they share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Failure
from setpoint.model.finding import Category, Finding, Severity, normalised
from setpoint.model.goals import PREFIX, GoalResult, GoalState, with_share
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.quality import WEIGHTS
from setpoint.model.run import Round
from setpoint.model.value import Usd, Value

_OF_TESTS = frozenset({"tests", "coverage"})
"""Metrics that say something else where part of the tests ran."""
_TEMPORARY = re.compile(r"(?i)\b[\w.-]*(pytest-of|tmp|temp)[\w.-]*")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE)


class Share(NamedTuple):
    """What one round has used."""

    cost_usd: Decimal
    seconds: float


class RunFacts(Value):
    """What has happened in a run, as far as policies need it."""

    limits: Limits
    base: Evaluation
    """The base commit's evaluation."""
    rounds: tuple[Round, ...] = ()
    """Every iteration so far, oldest first."""
    cost_usd: Usd = Decimal(0)
    """Money known to be spent, lost attempts included."""
    active_s: float = 0.0
    """Seconds the run has worked; time between a crash and the resumption does not count."""

    elapsed_s: float = 0.0
    """Seconds since the start of the run by the clock, waiting included."""
    tokens: int = 0
    """Tokens that agents reported."""
    cost_known: bool = True
    """Whether every agent told what it has spent."""
    shares: tuple[Share, ...] = ()
    """What each round has used, oldest first."""
    since: int = 0
    """Rounds before this place were answered for by a person: what repeats is counted from here."""
    weights: dict[str, float] = WEIGHTS
    """Weights of the quality score."""
    worth: HaltingWorth = HaltingWorth()
    """What the outcomes of the run are worth to the person."""
    story: str = ""
    """Id of the story, as reasons name it."""

    @property
    def recent(self) -> tuple[Round, ...]:
        """The rounds since a person last let the run go on; all of them where nobody was asked.

        The newest is always one of them: it may be judged again after an answer.
        """
        return self.rounds[min(self.since, len(self.rounds) - 1) :]

    @property
    def last(self) -> Round:
        """The newest round."""
        return self.rounds[-1]


def review_findings(past: Round) -> tuple[Finding, ...]:
    """Return the blocking findings of a round's review."""
    return past.verdict.blocking if past.verdict else ()


def failures(past: Round) -> tuple[Failure, ...]:
    """Return the failing tests that count in the round's furthest evaluation."""
    return past.latest.failures


def blocking(past: Round) -> tuple[Finding, ...]:
    """Return all that blocks a round: findings of checks and of the review, and what is not proved."""
    return (*past.latest.blocking, *review_findings(past), *unproven(past))


def unproven(past: Round) -> tuple[Finding, ...]:
    """Return a finding for each thing that the round would have to prove and does not."""
    proof = past.proof
    owed = proof.missing if proof else ()
    return (*(_owed(each.name, f"not proved: {each.reason}") for each in owed), *_missed_goals(past))


def missed_goals(past: Round) -> tuple[GoalResult, ...]:
    """Return the goals that keep a round from being verified where nothing else does."""
    others = (gate for gate in past.gates if not gate.name.startswith(PREFIX))
    if past.tests is None or not past.gates or not all(gate.passed for gate in others):
        return ()
    return tuple(each for each in past.latest.goals if each.gated)


def goals_of(past: Round) -> tuple[GoalResult, ...]:
    """Return how a round is judged by its goals, with what its proof tells of mutants."""
    mutants = past.proof.mutants if past.proof else None
    return tuple(
        with_share(each, mutants)
        if mutants and each.name == "mutation" and each.state is GoalState.NOT_MEASURED
        else each
        for each in past.latest.goals
    )


def _missed_goals(past: Round) -> tuple[Finding, ...]:
    return tuple(
        _owed(f"{PREFIX}{each.name}", f"short of the goal {each.name}: {each.told}")
        for each in missed_goals(past)
    )


def _owed(rule: str, message: str) -> Finding:
    return Finding(
        source="proof", rule=rule, severity=Severity.ERROR, category=Category.TESTS, message=message
    )


def signature(failure: Failure) -> str:
    """Recognise the same failure of the same test again: its kind and its message, whatever the numbers.

    `assert -2 == 5` and `assert -3 == 5` are one failure: another wrong value is no other problem.
    """
    message = _NUMBER.sub("0", _TEMPORARY.sub("<temporary>", normalised(failure.message)))
    return f"test:{failure.test}:{failure.error or failure.cause}:{message}"


def problems(past: Round) -> frozenset[str]:
    """Return what was wrong in a round as a set that two rounds are compared by."""
    return frozenset(
        [finding.fingerprint for finding in blocking(past)]
        + [signature(failure) for failure in failures(past)]
        + [f"broken:{evidence.check}" for evidence in past.latest.broken]
    )


def open_count(past: Round) -> int:
    """Count the open problems of a round."""
    return len(problems(past))


def same_problems_running(rounds: tuple[Round, ...]) -> int:
    """Count how many comparisons in a row, up to the newest round, found the same problems.

    A restart does not interrupt the row: what comes back behind it is the same problem once more. The best
    single sign of a loop that goes nowhere (research on 13,479 logged turns, see docs/decisions).
    """
    if not rounds:
        return 0
    newest = problems(rounds[-1])
    run = 0
    for earlier in reversed(rounds[:-1]):
        if not newest or problems(earlier) != newest:
            break
        run += 1
    return run


def qualities(rounds: tuple[Round, ...]) -> tuple[float, ...]:
    """Return the quality scores that were measured, oldest first; each by its own set of metrics."""
    return tuple(past.latest.score for past in rounds if past.latest.score is not None)


def comparable_metrics(rounds: Sequence[Round], weights: dict[str, float]) -> tuple[str, ...]:
    """Name the metrics of the score that every one of the rounds measured, and of the same tests."""
    if not rounds:
        return ()
    in_full = {each.tests is not None or each.latest.quality.test_count is not None for each in rounds}
    of_tests = frozenset() if len(in_full) == 1 else _OF_TESTS
    measured = [each.latest.quality.measured.keys() - of_tests for each in rounds]
    return tuple(name for name in weights if all(name in names for names in measured))


def comparable_scores(rounds: Sequence[Round], weights: dict[str, float]) -> tuple[float, ...]:
    """Return the score of each round by the metrics that all of them measured; empty where there are none.

    A round that is stopped early measures fewer metrics, so its own score says nothing about one in full.
    """
    shared = comparable_metrics(rounds, weights)
    if any(each.latest.score is None for each in rounds):
        return ()
    if all(comparable_metrics([each], weights) == shared for each in rounds):
        return tuple(each.latest.score or 0.0 for each in rounds)
    chosen = {name: weights[name] for name in shared}
    scores = [each.latest.quality.score(chosen) if chosen else None for each in rounds]
    return tuple(each for each in scores if each is not None)


def scores_with_tests(rounds: Sequence[Round], weights: dict[str, float]) -> tuple[float, ...]:
    """Return the comparable score of each round; empty where tests are not among the common metrics."""
    return comparable_scores(rounds, weights) if "tests" in comparable_metrics(rounds, weights) else ()


def fewer_problems(rounds: tuple[Round, ...], bounces: int) -> bool:
    """Whether there are fewer problems than so many bounces ago; true before there were as many."""
    counts = open_counts(rounds, bounces)
    return len(counts) <= bounces or min(counts[1:]) < counts[0]


def open_counts(rounds: tuple[Round, ...], bounces: int) -> tuple[int, ...]:
    """Count the open problems of the newest rounds, those before and behind so many bounces."""
    return tuple(open_count(each) for each in rounds[-bounces - 1 :])
