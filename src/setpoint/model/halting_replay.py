"""Replay halting policies on logged runs: exact where a policy asks for no turn that the log lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from setpoint.model.facts.group_means import Mean, lower_bound, mean_by_group
from setpoint.model.halter.features import best_place
from setpoint.model.halting import Economics, LoggedPolicy, LoggedRun, TurnState
from setpoint.model.run import Action
from setpoint.model.value import Value

LEAST_COVERAGE = 0.95
"""Share of the runs that must hold all that a policy asks for; below it, the figures say nothing about it."""
NO_RESTARTS = (
    "it restarts where the log does not, and what a fresh chain would have done is recorded nowhere; "
    "hint: replay it without restarts"
)


class Gap(StrEnum):
    """What a policy asks of a run that its log does not hold."""

    NONE = ""
    TURN = "a later turn"
    RESTART = "a restart"
    OUTCOME = "the outcome of what it delivers"


class Replayed(NamedTuple):
    """What one policy would have done in one run."""

    turns: int
    cost_usd: float
    success: bool
    wrong: bool
    escalated: bool
    gap: Gap


class PolicyFigures(Value):
    """What a policy would have reached on logged runs; each mean with its 95 % interval over the tasks."""

    policy: str
    runs: int
    tasks: int
    coverage: float
    """Share of the runs in which the log holds all that the policy asks for."""
    refused: str = ""
    """Why there are no figures; empty where there are."""
    success: Mean | None = None
    """Share of the runs that deliver right work."""
    wrong: Mean | None = None
    """Share of the runs that deliver wrong work."""
    turns: Mean | None = None
    cost_usd: Mean | None = None
    utility_usd: Mean | None = None
    """Worth of what is delivered, less what wrong deliveries, questions and turns cost; by run."""
    saved_turns: float | None = None
    """Share of the incumbent's turns that it does not take; below 0 where it takes more."""
    gain_usd: Mean | None = None
    """Utility against the incumbent's in the same runs."""
    gain_at_least_usd: float | None = None
    """One-sided 95 % lower bound of that gain; none with too few tasks."""
    success_gain: Mean | None = None
    """Success against the incumbent's in the same runs."""
    wrong_gain: Mean | None = None
    """Wrong deliveries against the incumbent's in the same runs."""


def replay_run(run: LoggedRun, policy: LoggedPolicy) -> Replayed:
    """Return what a policy would have done in a run; a gap ends the replay at the last turn that is known.

    Where a run was logged to its limit, going past the limit is a question to a person.
    """
    for place in range(len(run.turns)):
        seen = run.turns[: place + 1]
        action = policy(seen)
        if action in (Action.HALT, Action.CONFIRM):
            return _delivered(run, seen)
        if action is Action.ESCALATE:
            return _asked(seen, Gap.NONE)
        if gap := _gap(run, place, action):
            return _asked(seen, gap)
        if place == len(run.turns) - 1:
            break
    return _asked(run.turns, Gap.NONE)


def compare(
    runs: Sequence[LoggedRun],
    policies: Mapping[str, LoggedPolicy],
    incumbent: str,
    economics: Economics,
) -> tuple[PolicyFigures, ...]:
    """Replay policies on the same runs and compare each with the incumbent, which is one of them.

    All runs are of one agent: what holds for one is wrong for another. `ValueError` where they are not.
    """
    if len({each.agent for each in runs}) != 1:
        raise ValueError("replay compares runs of one agent")
    done = {name: [replay_run(run, policy) for run in runs] for name, policy in policies.items()}
    groups = [each.group or each.run for each in runs]
    before = done[incumbent] if not _refusal(done[incumbent]) else None
    return tuple(_figures(name, made, before, groups, economics) for name, made in done.items())


def utility(done: Replayed, economics: Economics) -> float:
    """Return what a replayed run is worth, in US dollars."""
    earned = economics.worth_usd * done.success - economics.wrong_usd * done.wrong
    return earned + economics.escalation_usd * done.escalated - done.cost_usd


def _gap(run: LoggedRun, place: int, action: Action) -> Gap:
    """Return what the log lacks for the turn that the action asks for."""
    if place + 1 == len(run.turns):
        if action is Action.RESTART:
            return Gap.RESTART
        return Gap.NONE if run.full else Gap.TURN
    restarted = run.turns[place + 1].chain > run.turns[place].chain
    if action is Action.RESTART:
        return Gap.NONE if restarted else Gap.RESTART
    return Gap.TURN if restarted else Gap.NONE


def _delivered(run: LoggedRun, seen: tuple[TurnState, ...]) -> Replayed:
    outcome = run.verified[best_place(seen)]
    return Replayed(
        turns=len(seen),
        cost_usd=_cost(seen),
        success=outcome is True,
        wrong=outcome is False,
        escalated=False,
        gap=Gap.OUTCOME if outcome is None else Gap.NONE,
    )


def _asked(seen: tuple[TurnState, ...], gap: Gap) -> Replayed:
    return Replayed(
        turns=len(seen), cost_usd=_cost(seen), success=False, wrong=False, escalated=True, gap=gap
    )


def _cost(seen: tuple[TurnState, ...]) -> float:
    return sum(each.cost_usd for each in seen)


def _coverage(done: Sequence[Replayed]) -> float:
    return sum(not each.gap for each in done) / len(done)


def _refusal(done: Sequence[Replayed]) -> str:
    """Say why replay says nothing about a policy; empty where it does."""
    if any(each.gap is Gap.RESTART for each in done):
        return NO_RESTARTS
    if _coverage(done) >= LEAST_COVERAGE:
        return ""
    counts = {gap: sum(each.gap is gap for each in done) for gap in (Gap.TURN, Gap.OUTCOME)}
    lacking = " and ".join(f"{gap} in {count}" for gap, count in counts.items() if count)
    return (
        f"the log covers {_coverage(done):.0%} of {len(done)} runs, and {LEAST_COVERAGE:.0%} are needed: "
        f"it lacks {lacking}"
    )


def _figures(
    name: str,
    done: Sequence[Replayed],
    before: Sequence[Replayed] | None,
    groups: Sequence[str],
    economics: Economics,
) -> PolicyFigures:
    made = PolicyFigures(
        policy=name,
        runs=len(done),
        tasks=len(set(groups)),
        coverage=_coverage(done),
        refused=_refusal(done),
    )
    if made.refused:
        return made
    worth = [utility(each, economics) for each in done]
    turns = mean_by_group([each.turns for each in done], groups)
    own = {
        "success": mean_by_group([each.success for each in done], groups, share=True),
        "wrong": mean_by_group([each.wrong for each in done], groups, share=True),
        "turns": turns,
        "cost_usd": mean_by_group([each.cost_usd for each in done], groups),
        "utility_usd": mean_by_group(worth, groups),
    }
    if before is None:
        return made.model_copy(update=own)
    gain = mean_by_group(
        [new - utility(old, economics) for new, old in zip(worth, before, strict=True)], groups
    )
    pairs = list(zip(done, before, strict=True))
    against = {
        "saved_turns": 1 - turns.value * len(done) / sum(each.turns for each in before),
        "gain_usd": gain,
        "gain_at_least_usd": lower_bound(gain),
        "success_gain": mean_by_group([new.success - old.success for new, old in pairs], groups),
        "wrong_gain": mean_by_group([new.wrong - old.wrong for new, old in pairs], groups),
    }
    return made.model_copy(update={**own, **against})
