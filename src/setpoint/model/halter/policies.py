"""The halting policies that are compared, over the turns of any log.

What a log does not hold is left out: a second measurement of the same turn, flaky tests, answers of people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import pvariance

from setpoint.model.halter.prediction import HaltingTerms, at_limit, choose
from setpoint.model.halter.terms import HALTER
from setpoint.model.halting import LoggedPolicy, TurnState
from setpoint.model.run import Action

Made = Callable[[HaltingTerms], LoggedPolicy]
"""Makes a policy from what it may use."""
Turns = tuple[TurnState, ...]

REPEATS = 2
"""Comparisons in a row with the same problems that turn a loop."""
R0_TURNS = 5
R0_BUDGET_USD = 5.0
R0_FLOOR = 0.60
R0_WINDOW = 3
R0_VARIANCE = 0.001


def rules_v1(terms: HaltingTerms) -> LoggedPolicy:
    """Halt on all gates; on problems that repeat restart once, then stop; stop at the limits."""

    def decide(turns: Turns) -> Action:
        if turns[-1].gates:
            return Action.HALT
        if at_limit(turns, terms):
            return Action.ESCALATE
        if repeats(turns) >= REPEATS:
            fresh = terms.may_restart and turns[-1].chain == turns[0].chain
            return Action.RESTART if fresh else Action.ESCALATE
        return Action.CONTINUE

    return decide


def repeat_twice(terms: HaltingTerms) -> LoggedPolicy:
    """Halt on all gates; stop where the same problems come twice again, or at the limits."""
    return _stopping(lambda turns: at_limit(turns, terms) or repeats(turns) >= REPEATS)


def first_pass(terms: HaltingTerms, turns: int | None = None) -> LoggedPolicy:
    """Halt at the first turn that passes all gates; stop at the limits, or after so many turns."""
    return _stopping(lambda past: at_limit(past, terms) or (turns is not None and len(past) >= turns))


def fixed(turns: int) -> LoggedPolicy:
    """Always take so many turns, whatever passes before."""

    def decide(past: Turns) -> Action:
        if len(past) < turns:
            return Action.CONTINUE
        return Action.HALT if past[-1].gates else Action.ESCALATE

    return decide


def classic(_: HaltingTerms) -> LoggedPolicy:
    """R0's guards: five turns, five dollars, repeats, and the score's trend, variance and floor."""

    def stop(turns: Turns) -> bool:
        used = len(turns) >= R0_TURNS or sum(each.cost_usd for each in turns) >= R0_BUDGET_USD
        score = turns[-1].quality
        low = len(turns) >= R0_WINDOW and score is not None and score < R0_FLOOR
        return used or low or turns[-1].repeated or r0_stagnant(turns)

    return _stopping(stop)


def halter_v1(terms: HaltingTerms) -> LoggedPolicy:
    """Take the action that is predicted to be worth most."""
    return lambda turns: choose(turns, terms).action


NAMED: Mapping[str, Made] = {
    "rules-v1": rules_v1,
    "classic": classic,
    "repeat-twice": repeat_twice,
    "first-pass": first_pass,
    "fixed-1": lambda _: fixed(1),
    "fixed-3": lambda _: fixed(3),
    "fixed-5": lambda _: fixed(5),
    "fixed-10": lambda _: fixed(10),
    HALTER: halter_v1,
}
"""Every policy by its name, in the order of the tables."""


def repeats(turns: Sequence[TurnState]) -> int:
    """Count how many turns in a row, up to the newest, left the same problems as the one before."""
    run = 0
    for each in reversed(turns):
        if not each.repeated:
            break
        run += 1
    return run


def r0_stagnant(turns: Sequence[TurnState]) -> bool:
    """R0's rule: the last three scores vary by less than 0.001, or never rise."""
    scores = [each.quality for each in turns[-R0_WINDOW:] if each.quality is not None]
    if len(scores) < R0_WINDOW:
        return False
    return pvariance(scores) < R0_VARIANCE or all(later <= earlier for earlier, later in pairwise(scores))


def _stopping(stop: Callable[[Turns], bool]) -> LoggedPolicy:
    """Halt on all gates; otherwise stop where the rule says so."""

    def decide(turns: Turns) -> Action:
        if turns[-1].gates:
            return Action.HALT
        return Action.ESCALATE if stop(turns) else Action.CONTINUE

    return decide
