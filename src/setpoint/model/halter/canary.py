"""Signs that a promoted halting policy does harm, or that its agent has changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

from setpoint.model.halter.prediction import hazards
from setpoint.model.halter.terms import HalterModel
from setpoint.model.halting import LoggedRun
from setpoint.model.value import Value

HARM_Z = 2.0
"""Standard errors by which a share has to be worse than that of rules-v1 to count as harm.

A false alarm costs little: rules-v1 decides once more, and the policy can be promoted as before.
"""
LEAST_RUNS = 10
"""Runs of each side below which shares are not compared."""
DRIFT_Z = 3.5
"""Standard errors between observed and predicted passes that count as drift.

It is looked at before each run, and turns of one run resemble each other, so 1.96 would alarm far too often.
"""
LEAST_TURNS = 30
"""Predicted turns below which drift is not judged."""


class WatchedRun(Value):
    """A finished run since a promotion."""

    run: LoggedRun
    assigned: str = ""
    """Promoted policy that decided in it; empty: `rules-v1` alone did."""
    verified: bool
    """Whether it ended as verified."""
    wrong: bool
    """Whether people edited or reverted what it delivered."""


def harm(runs: Sequence[WatchedRun], policy: str) -> str:
    """Say how runs of the policy did worse than runs of `rules-v1` in the same time; empty where not."""
    its = [each for each in runs if each.assigned == policy]
    others = [each for each in runs if not each.assigned]
    if min(len(its), len(others)) < LEAST_RUNS:
        return ""
    verified = [sum(each.verified for each in side) for side in (its, others)]
    if _apart(verified[1], len(others), verified[0], len(its)) >= HARM_Z:
        return (
            f"{verified[0]} of {len(its)} runs of {policy} are verified, "
            f"and {verified[1]} of {len(others)} of rules-v1 in the same time"
        )
    wrong = [sum(each.wrong for each in side) for side in (its, others)]
    if _apart(wrong[0], len(its), wrong[1], len(others)) >= HARM_Z:
        return (
            f"{wrong[0]} of {len(its)} deliveries of {policy} were edited or reverted, "
            f"and {wrong[1]} of {len(others)} of rules-v1 in the same time"
        )
    return ""


def drift(runs: Sequence[WatchedRun], model: HalterModel) -> str:
    """Say how far passes of next turns are from what the weights predict; empty where they agree.

    It is the calibration-in-the-large test: the sum of the passes against the sum of their chances.
    """
    if not model.agent:
        return ""
    pairs = [pair for each in runs for pair in _predicted(each.run, model)]
    if len(pairs) < LEAST_TURNS:
        return ""
    observed, expected = sum(passed for _, passed in pairs), sum(chance for chance, _ in pairs)
    spread = sqrt(sum(chance * (1 - chance) for chance, _ in pairs))
    if abs(observed - expected) < DRIFT_Z * spread:
        return ""
    seen = f"every gate passed in {observed} of {len(pairs)} next turns"
    return f"drift: {seen}, and {expected:.1f} were predicted"


def _predicted(run: LoggedRun, model: HalterModel) -> list[tuple[float, bool]]:
    turns = run.turns
    return [
        (hazards(turns[: place + 1], model, 1)[0], later.gates)
        for place, (turn, later) in enumerate(pairwise(turns))
        if not turn.gates and later.chain == turn.chain
    ]


def _apart(hits: int, count: int, other_hits: int, other_count: int) -> float:
    """Return by how many standard errors the first share is above the second (two-proportion z test)."""
    pooled = (hits + other_hits) / (count + other_count)
    error = sqrt(pooled * (1 - pooled) * (1 / count + 1 / other_count))
    return (hits / count - other_hits / other_count) / error if error else 0.0
