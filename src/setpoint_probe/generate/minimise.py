"""Chooses the fewest and simplest of the cases that reach all that was found to be reachable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from ..reach.anatomy import Branch
from .cases import Cast
from .programs import program
from .search import Ground, Kept, is_good

Goal = Union[int, Branch]


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


def cost(kept: Kept, cast: Cast) -> float:
    """Say how hard a case is to read."""
    try:
        steps = program(kept.case, cast)
    except KeyError:
        return 1000.0
    size = len(steps.call) + sum(len(line) + 10 for line in steps.setup)
    private = 40 if kept.case.target in cast.targets and not cast.targets[kept.case.target].public else 0
    return 40.0 + size + private + (20 if not is_good(kept) else 0) + (30 if "lambda" in steps.call else 0)
