"""Measure how far the belief in a learning is from the truth after thirty uses (A10).

    python bench/halting_credit.py

One use a day; the maker believes 0.7. The error is the largest over learnings that are right in 0.3, 0.5, 0.7
and 0.9 of their uses.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import sqrt
from statistics import fmean, stdev

from setpoint.learning.policy.confidence import confidence
from setpoint.model.ids import LearningId
from setpoint.model.learning import WEIGHTS, EvidenceKind, Learning, LearningEvidence, LearningKind

AIM = 0.10
USES, LIVES = 30, 1000
CHANCES = (0.3, 0.5, 0.7, 0.9)
START = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = Learning(
    id=LearningId("lrn-bench"),
    made_at=START,
    kind=LearningKind.SEMANTIC,
    title="x",
    source="bench",
    believed=0.7,
)
Signs = tuple[EvidenceKind, EvidenceKind]
PERSON: Signs = (EvidenceKind.APPROVED, EvidenceKind.REJECTED)
OUTCOME: Signs = (EvidenceKind.HELPED, EvidenceKind.FAILED)
REGIMES: Mapping[str, tuple[Signs, float]] = {
    "each use is one observation": (PERSON, 1.0),
    "a person judges each use": (PERSON, WEIGHTS[EvidenceKind.APPROVED]),
    "the outcome of the run judges it": (OUTCOME, WEIGHTS[EvidenceKind.HELPED]),
}


def error(signs: Signs, weight: float, seed: int) -> tuple[float, float, float]:
    """Return the largest root mean square error over the true chances, and its 95 % interval."""
    dice = random.Random(seed)
    squares = max(
        ([(belief(chance, signs, weight, dice) - chance) ** 2 for _ in range(LIVES)] for chance in CHANCES),
        key=fmean,
    )
    half = 1.96 * stdev(squares) / sqrt(LIVES)
    return sqrt(fmean(squares)), sqrt(max(0.0, fmean(squares) - half)), sqrt(fmean(squares) + half)


def belief(chance: float, signs: Signs, weight: float, dice: random.Random) -> float:
    """Return the belief in a learning that is right with this chance, after its uses."""
    entries = []
    for number in range(USES):
        right = dice.random() < chance
        entries.append(
            LearningEvidence(
                learning=KNOWN.id,
                source=str(number),
                kind=signs[0] if right else signs[1],
                weight=weight if right else -weight,
                at=START + timedelta(days=number),
            )
        )
    return confidence(KNOWN, entries, START + timedelta(days=USES)).mean


def main() -> int:
    """Print the error of every way to judge; return 1 where one misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=29)
    seed = parser.parse_args().seed
    errors = {words: (weight, error(signs, weight, seed)) for words, (signs, weight) in REGIMES.items()}
    for words, (weight, (found, low, high)) in errors.items():
        reached = "reached" if found <= AIM else "MISSED"
        print(
            f"A10 {words} (weight {weight:g}): RMSE {found:.3f} [{low:.3f}, {high:.3f}], n {LIVES} "
            f"(aim {AIM:.2f}): {reached}"
        )
    return int(any(found > AIM for _, (found, _, _) in errors.values()))


if __name__ == "__main__":
    sys.exit(main())
