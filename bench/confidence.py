"""Simulate a year of learnings, and compare how belief is derived with R3's rule of adding and taking away.

    python bench/confidence.py [--learnings 2000] [--seed 1]

Each learning is right with a chance of its own (Beta(2, 1.4)); a fifth goes stale at a random moment, and is
right a third as often from then on. Before each use its belief is compared with what then comes of the use:
Brier score, and expected calibration error over ten bins. `plain`: each use speaks for or against it with
weight 1. `outcomes`: as a run's outcome does, shared by three learnings that were shown. `people`: besides,
one use in five is judged by a person, who takes a fix or dismisses a finding. R3's rule begins at 0.7, adds
0.1 or takes 0.2 away, within 0 and 1.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from setpoint.learning.policy.confidence import confidence
from setpoint.model.ids import LearningId
from setpoint.model.learning import WEIGHTS, EvidenceKind, Learning, LearningEvidence, LearningKind

START = datetime(2026, 1, 1, tzinfo=UTC)
ID = LearningId("lrn-bench")
SHOWN = 3
"""Learnings that share the outcome of a run."""


def life(chance: random.Random) -> list[tuple[float, bool, float]]:
    """Give the uses of one learning: day, whether it was right, and the chance that it was."""
    truth = chance.betavariate(2, 1.4)
    stale = chance.uniform(0, 365) if chance.random() < 0.2 else 400.0
    count = max(2, min(60, int(chance.paretovariate(0.8))))
    days = sorted(chance.uniform(0, 365) for _ in range(count))
    return [
        (day, chance.random() < right, right)
        for day in days
        for right in (truth if day < stale else truth / 3,)
    ]


def weighed(regime: str, chance: random.Random, *, right: bool) -> Iterator[tuple[EvidenceKind, float]]:
    """Give what one use says about a learning."""
    if regime == "plain":
        yield (EvidenceKind.APPROVED, 1.0) if right else (EvidenceKind.REJECTED, -1.0)
        return
    kind = EvidenceKind.HELPED if right else EvidenceKind.FAILED
    yield kind, WEIGHTS[kind] / SHOWN
    if regime == "people" and chance.random() < 0.2:
        kind = EvidenceKind.APPLIED if right else EvidenceKind.DISMISSED
        yield kind, WEIGHTS[kind]


def scores(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Give Brier score and expected calibration error."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for said, came in pairs:
        bins[min(int(said * 10), 9)].append((said, came))
    gaps = (abs(sum(said for said, _ in each) - sum(came for _, came in each)) for each in bins)
    return statistics.fmean((said - came) ** 2 for said, came in pairs), sum(gaps) / len(pairs)


def simulate(regime: str, learnings: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """Give Brier, calibration error and distance to the truth of both ways."""
    chance = random.Random(seed)
    told: dict[str, list[tuple[float, bool]]] = {"beta": [], "additive": []}
    far: dict[str, list[float]] = {"beta": [], "additive": []}
    for _ in range(learnings):
        kind = chance.choice(list(LearningKind))
        known = Learning(id=ID, made_at=START, kind=kind, title="x", source="bench", believed=0.7)
        entries: list[LearningEvidence] = []
        step = 0.7
        for number, (day, right, truth) in enumerate(life(chance)):
            at = START + timedelta(days=day)
            said = {"beta": confidence(known, entries, at).mean, "additive": step}
            for way, value in said.items():
                told[way].append((value, right))
                far[way].append((value - truth) ** 2)
            for part, (what, weight) in enumerate(weighed(regime, chance, right=right)):
                source = f"{number}:{part}"
                entries.append(LearningEvidence(learning=ID, source=source, kind=what, weight=weight, at=at))
            step = min(1.0, step + 0.1) if right else max(0.0, step - 0.2)
    return {way: (*scores(told[way]), statistics.fmean(far[way]) ** 0.5) for way in told}


def main() -> None:
    """Simulate every regime and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learnings", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for regime in ("plain", "outcomes", "people"):
        for way, (brier, error, distance) in simulate(regime, given.learnings, given.seed).items():
            print(f"{regime:9} {way:9} Brier {brier:.3f}, ECE {error:.3f}, RMSE to the truth {distance:.3f}")


if __name__ == "__main__":
    main()
