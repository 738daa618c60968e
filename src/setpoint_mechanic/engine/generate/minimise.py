"""Chooses the fewest and simplest of the cases that reach all that was found to be reachable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Union

from setpoint_probe.reach.anatomy import Branch

from .cases import Cast
from .programs import program
from .search import Ground, Kept, is_good

Goal = Union[int, Branch]
_COPIED = 30
"""What it costs that a test needs a definition of its own, as a fixture by name does not."""


def goals_of(kept: Kept, ground: Ground) -> frozenset[Goal]:
    """Return what is to be reached and a case reaches."""
    lines: frozenset[Goal] = ground.lines & ground.anatomy.lines_in(kept.arcs)
    return lines | (ground.branches & ground.anatomy.branches_in(kept.arcs))


def chosen(kept: Sequence[Kept], ground: Ground, cast: Cast, most: int) -> list[int]:
    """Return places of cases: as few as reach what all of them reach, errors by accident only at need."""
    reached = [goals_of(each, ground) for each in kept]
    costs = [cost(each, cast) for each in kept]
    found: list[int] = []
    have: set[Goal] = set()
    for good in (True, False):
        places = [place for place, each in enumerate(kept) if is_good(each) is good]
        while len(found) < most:
            best = max(
                places,
                key=lambda place: (len(reached[place] - have) > 0, len(reached[place] - have) / costs[place]),
                default=-1,
            )
            if best < 0 or not reached[best] - have:
                break
            found.append(best)
            have |= reached[best]
    return found


def needed_cases(
    places: Sequence[int],
    kept: Sequence[Kept],
    ground: Ground,
    cast: Cast,
    noticing: Collection[Collection[int]],
) -> list[int]:
    """Leave out cases which neither reach nor notice anything that no other of them does, the hardest first.

    `noticing` holds, for each mutant, the places of all cases that notice it. Of two cases with the same
    text one goes.
    """
    goals = {place: goals_of(kept[place], ground) for place in places}
    texts = {place: program(kept[place].case, cast)[:2] for place in places}
    left = list(dict.fromkeys(places))
    for place in sorted(left, key=lambda each: (is_good(kept[each]), -cost(kept[each], cast))):
        others = [each for each in left if each != place]
        reached = frozenset[Goal]().union(*(goals[each] for each in others))
        same = any(texts[each] == texts[place] for each in others)
        alone = any(place in each and not set(others).intersection(each) for each in noticing)
        if same or (goals[place] <= reached and not alone):
            left = others
    return left


def cost(kept: Kept, cast: Cast) -> float:
    """Say how hard a case is to read; an example of the documentation is half as hard."""
    try:
        steps = program(kept.case, cast)
    except KeyError:
        return 1000.0
    size = len(steps.call) + sum(len(line) + 10 for line in steps.setup)
    private = 40 if kept.case.target in cast.targets and not cast.targets[kept.case.target].public else 0
    known = 0.5 if kept.outcome.meets else 1.0
    return (
        known * (40.0 + size)
        + private
        + (20 if not is_good(kept) else 0)
        + (30 if "lambda" in steps.call else 0)
        + _COPIED * sum(bool(cast.offers.given[name].texts) for name in steps.given)
    )
