"""What the predictions of `halter-v1` look at, as numbers in the order of their terms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import expm1, log, log1p, sqrt

from setpoint.model.halting import TurnState

Turns = Sequence[TurnState]
Row = tuple[float, ...]

_FURTHEST = 25.0
"""Turns that the estimate of the remaining ones is cut at."""
_SLOWEST = 0.12
"""Problems a turn that the estimate assumes at least."""
_USUAL_SCORE = 0.8
_TWICE = 2
_THREE_TIMES = 3
_ROUNDING = 1e-9


def chain_of(turns: Turns) -> Turns:
    """Return the turns of the newest chain."""
    return [each for each in turns if each.chain == turns[-1].chain]


def streak(turns: Turns) -> int:
    """Count the turns in a row, up to the newest of its chain, that pass every gate."""
    run = 0
    for each in reversed(chain_of(turns)):
        if not each.gates:
            break
        run += 1
    return run


def best_place(turns: Turns) -> int:
    """Return the place of the turn to deliver: gates, passes in a row, tests, score; ties to the latest."""
    streaks = [streak(turns[: place + 1]) for place in range(len(turns))]
    return max(
        range(len(turns)),
        key=lambda at: (turns[at].gates, streaks[at], turns[at].tests_share or 0, turns[at].quality or 0, at),
    )


def of_failing(turns: Turns) -> Row:
    """Return the features of a turn that fails a gate."""
    chain, last = chain_of(turns), turns[-1]
    counts = [each.failing for each in chain]
    k, again = len(chain), _repeats(chain)
    before = counts[max(0, k - 3)]
    return (
        1.0,
        log(k),
        log1p(last.failing),
        float(k > 1),
        min(1.0, max(-1.0, (before - counts[-1]) / max(1, before))),
        float(again > 0),
        float(min(again, 3)),
        float(k > 1 and counts[-1] > min(counts[:-1])),
        min(_flips(counts), 3.0),
        float(any(each.gates for each in chain)),
        float(last.security),
        float(last.review > 0),
        log1p(min(_turns_left(counts), _FURTHEST)),
    )


def ahead(state: Row, j: int) -> Row:
    """Return the features of the turn `j` ahead of a failing one."""
    later = float(j > 1)
    return (
        *state,
        log(j),
        later * state[2],
        later * state[5],
        later * state[4],
        later * state[7],
        float(j + _ROUNDING >= expm1(state[12])),
        later * state[12],
    )


def of_restart(turns: Turns, j: int) -> Row:
    """Return the features of turn `j` of a chain that would begin now."""
    chain = chain_of(turns)
    return (
        1.0,
        float(turns[-1].chain),
        log1p(chain[0].failing),
        float(any(each.repeated for each in chain)),
        log1p(min(each.failing for each in turns)),
        log(len(turns)),
        float(j == 1),
        log(j),
    )


def of_passing(turns: Turns) -> Row:
    """Return the features of the newest turn as the one to deliver."""
    chain, last = chain_of(turns), turns[-1]
    shares = [each.tests_share for each in chain if each.tests_share is not None]
    drops = sum(later < earlier for earlier, later in pairwise(shares))
    lost = sum(earlier.gates and not later.gates for earlier, later in pairwise(chain))
    clean = streak(turns)
    return (
        1.0,
        float(clean >= _TWICE),
        float(clean >= _THREE_TIMES),
        log(len(chain)),
        float(min(drops, 3)),
        float(lost),
        5 * (last.quality - _USUAL_SCORE) if last.quality is not None else 0.0,
        log1p(chain[0].failing),
    )


def of_later_pass(k: int, score: float) -> Row:
    """Return the features of a pass that is yet to come, in turn `k` of its chain."""
    return (1.0, 0.0, 0.0, log(k), 0.0, 0.0, 5 * (score - _USUAL_SCORE), 1.0)


def of_second_pass(now: Row, k: int) -> Row:
    """Return the features of the turn behind a passing one that passes again, in turn `k` of its chain."""
    return (now[0], 1.0, now[1], log(k), *now[4:])


def _repeats(chain: Turns) -> int:
    run = 0
    for each in reversed(chain):
        if not each.repeated:
            break
        run += 1
    return run


def _flips(counts: Sequence[int]) -> float:
    rising = [later > earlier for earlier, later in pairwise(counts) if later != earlier]
    return float(sum(earlier != later for earlier, later in pairwise(rising)))


def _turns_left(counts: Sequence[int]) -> float:
    """Estimate the turns until no problem is left, at the rate at which they have gone."""
    k, last = len(counts), counts[-1]
    if k == 1:
        return 2.5 * sqrt(last)
    overall = (counts[0] - last) / (k - 1)
    lately = (counts[max(0, k - 3)] - last) / min(2, k - 1)
    return last / max((overall + lately) / 2, _SLOWEST)
