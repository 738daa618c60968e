"""Propose weights of metrics and targets of goals from what people did with delivered work.

A run teaches something where people merged its work as it was, or edited or reverted it. A metric says
something where its values differ between both groups by more than chance; as many metrics are looked at, the
chance is divided among them (Holm 1979). Where nothing differs, nothing is proposed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

FEWEST = 10
"""Runs of each kind without which nothing is proposed."""
ALPHA = 0.02
"""Chance that anything is proposed where there is nothing to learn."""
CLEARER = 0.02
"""By how much new weights have to tell both kinds apart better, in runs that did not choose them."""
BY_CHANCE = 0.5
"""The area of a metric that says nothing."""
_FOLDS = 5
_FEWEST_BESIDE = 5
"""Runs on each side of a target."""
_SHUFFLES = 2000
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """The metrics of one delivered run, and whether people took its work as it was."""

    metrics: Mapping[str, float]
    good: bool


@dataclass(frozen=True, kw_only=True)
class Telling:
    """How well a metric tells good runs from bad ones."""

    metric: str
    good: int
    """Good runs that measured it."""
    bad: int
    area: float
    """Chance that a good run has the better value than a bad one; one half says nothing."""
    chance: float
    """Of a difference as large where there is none, for all metrics together."""


@dataclass(frozen=True, kw_only=True)
class ProposedWeights:
    """Weights of the quality score, with what they rest on."""

    weights: Mapping[str, float]
    """All of them, those that stay too."""
    tell: tuple[Telling, ...]
    """The metrics whose weight is raised."""
    before: float
    """How well the score tells good from bad today, as an area."""
    after: float
    """How well with new weights, in runs that had no part in choosing them."""


@dataclass(frozen=True, kw_only=True)
class ProposedTarget:
    """A target for one goal, with what it rests on."""

    target: float
    short: tuple[int, int]
    """Bad runs among those that miss it, and how many those are."""
    reached: tuple[int, int]
    """Bad runs among those that reach it."""
    chance: float


def proposed_weights(lessons: Sequence[Lesson], weights: Mapping[str, float]) -> ProposedWeights | None:
    """Propose weights; none where no metric tells, or where they would not tell better than today's."""
    if not enough(lessons):
        return None
    tell = _telling(lessons, weights)
    if not tell:
        return None
    before = area([(_score(each, weights), each.good) for each in lessons])
    after = _unseen(lessons, weights)
    if before is None or after is None or after < before + CLEARER:
        return None
    return ProposedWeights(weights=_raised(weights, tell), tell=tell, before=before, after=after)


def enough(lessons: Iterable[Lesson]) -> bool:
    """Whether there are enough runs of each kind."""
    kinds = [each.good for each in lessons]
    return min(kinds.count(True), kinds.count(False)) >= FEWEST


def proposed_targets(lessons: Sequence[Lesson], high: Mapping[str, bool]) -> dict[str, ProposedTarget]:
    """Propose targets by metric, where runs that miss them are bad far more often than those that reach them.

    `high` names the metrics, and whether higher values are better.
    """
    found = {name: _cut(lessons, name, better) for name, better in high.items()}
    known = {name: each for name, each in found.items() if each is not None}
    kept = _holm({name: each.chance for name, each in known.items()}, len(high))
    return {name: each for name, each in known.items() if name in kept}


def area(values: Iterable[tuple[float | None, bool]]) -> float | None:
    """Return the chance that a good run has the higher value than a bad one; ties count half."""
    known = [(value, good) for value, good in values if value is not None]
    goods, bads = ([value for value, good in known if good is kind] for kind in (True, False))
    if not goods or not bads:
        return None
    wins = sum((one > other) + 0.5 * (one == other) for one in goods for other in bads)
    return wins / (len(goods) * len(bads))


def _telling(lessons: Sequence[Lesson], weights: Mapping[str, float]) -> tuple[Telling, ...]:
    found = [each for name in weights if (each := _of_metric(lessons, name)) is not None]
    kept = _holm({each.metric: each.chance for each in found}, len(weights))
    return tuple(each for each in found if each.metric in kept and each.area > BY_CHANCE)


def _of_metric(lessons: Sequence[Lesson], name: str) -> Telling | None:
    """Compare both groups by ranks (Mann and Whitney 1947), with the correction for ties."""
    values = [(each.metrics[name], each.good) for each in lessons if name in each.metrics]
    good = sum(kind for _, kind in values)
    bad = len(values) - good
    found = area(values)
    if found is None or min(good, bad) < FEWEST:
        return None
    count = good + bad
    each = [value for value, _ in values]
    ties = sum(each.count(value) ** 3 - each.count(value) for value in set(each))
    spread = sqrt((count + 1 - ties / (count * (count - 1))) / (12 * good * bad))
    chance = erfc(abs(found - 0.5) / spread / sqrt(2)) if spread else 1.0
    return Telling(metric=name, good=good, bad=bad, area=found, chance=chance)


def _holm(chances: Mapping[str, float], looked_at: int) -> set[str]:
    """Return what stays when the chance of a mistake is divided among all that was looked at."""
    kept = set[str]()
    for place, name in enumerate(sorted(chances, key=lambda each: chances[each])):
        if chances[name] > ALPHA / (looked_at - place):
            break
        kept.add(name)
    return kept


def _raised(weights: Mapping[str, float], tell: tuple[Telling, ...]) -> dict[str, float]:
    """Raise the weights of metrics that tell, up to three times; all together weigh what they did."""
    factor = {each.metric: 1 + 4 * (each.area - 0.5) for each in tell}
    least = min((weight for weight in weights.values() if weight > 0), default=0.05)
    raised = {
        name: (weight or (least if name in factor else 0.0)) * factor.get(name, 1.0)
        for name, weight in weights.items()
    }
    scale = (sum(weights.values()) or 1.0) / (sum(raised.values()) or 1.0)
    return {name: round(weight * scale, 3) for name, weight in raised.items()}


def _unseen(lessons: Sequence[Lesson], weights: Mapping[str, float]) -> float | None:
    """Say how well new weights do on runs that did not choose them."""
    ordered = list(lessons)
    random.Random(_SEED).shuffle(ordered)  # noqa: S311 - folds, no secret
    told: list[tuple[float | None, bool]] = []
    for fold in range(_FOLDS):
        others = [each for place, each in enumerate(ordered) if place % _FOLDS != fold]
        chosen = _raised(weights, _telling(others, weights))
        told += [(_score(each, chosen), each.good) for each in ordered[fold::_FOLDS]]
    return area(told)


def _score(lesson: Lesson, weights: Mapping[str, float]) -> float | None:
    known = [(lesson.metrics[name], weight) for name, weight in weights.items() if name in lesson.metrics]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else None


def _cut(lessons: Sequence[Lesson], name: str, high: bool) -> ProposedTarget | None:  # noqa: FBT001 - one of two
    """Find the target that parts both kinds best; its chance is that of the best of all targets."""
    values = sorted(
        (each.metrics[name] if high else -each.metrics[name], not each.good)
        for each in lessons
        if name in each.metrics
    )
    kinds = [bad for _, bad in values]
    if min(kinds.count(True), kinds.count(False)) < FEWEST:
        return None
    places = [
        place
        for place in range(_FEWEST_BESIDE, len(values) - _FEWEST_BESIDE + 1)
        if values[place - 1][0] < values[place][0]
    ]
    if not places:
        return None
    parted, place = _best(kinds, places)
    chance = random.Random(_SEED)  # noqa: S311 - shuffles, no secret
    shuffled, as_well = list(kinds), 0
    for _ in range(_SHUFFLES):
        chance.shuffle(shuffled)
        as_well += _best(shuffled, places)[0] >= parted
    below, above = kinds[:place], kinds[place:]
    return ProposedTarget(
        target=abs(values[place][0]),
        short=(sum(below), len(below)),
        reached=(sum(above), len(above)),
        chance=(as_well + 1) / (_SHUFFLES + 1),
    )


def _best(kinds: Sequence[bool], places: Sequence[int]) -> tuple[float, int]:
    """Return the place that parts bad runs below from good ones above best, with how well it does."""
    every, bad = len(kinds), sum(kinds)
    below, done, best = 0, 0, (0.0, places[0])
    for place in places:
        below += sum(kinds[done:place])
        done = place
        apart = (below - place * bad / every) / sqrt(place * (every - place))
        best = max(best, (apart, place))
    return best
