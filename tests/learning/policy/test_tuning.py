"""Weights and targets are proposed where the log holds something to learn, and only there."""

from __future__ import annotations

import random

import pytest

from setpoint.learning.policy.tuning import (
    FEWEST,
    Lesson,
    area,
    proposed_targets,
    proposed_weights,
)
from setpoint.model.quality import WEIGHTS

HIGH = {"mutation": True, "diff_coverage": True, "worst_complexity": False, "test_count": True}


def log(seed, runs=60, telling=()):
    """Make runs whose metrics are chance, but for those that tell."""
    chance = random.Random(seed)
    lessons = []
    for _ in range(runs):
        good = chance.random() < 0.6
        metrics = {name: chance.uniform(0.5, 1) for name in (*WEIGHTS, "mutation", "diff_coverage")}
        metrics |= {
            "worst_complexity": float(chance.randint(1, 15)),
            "test_count": float(chance.randint(9, 99)),
        }
        for name in telling:
            metrics[name] = chance.uniform(0.75, 1) if good else chance.uniform(0.5, 0.85)
        lessons.append(Lesson(metrics=metrics, good=good))
    return lessons


def test_nothing_is_proposed_where_there_is_nothing_to_learn() -> None:
    logs = [log(seed) for seed in range(50)]
    assert sum(proposed_weights(each, WEIGHTS) is not None for each in logs) <= 2
    assert sum(bool(proposed_targets(each, HIGH)) for each in logs[:20]) <= 2


def test_the_metric_that_tells_is_raised() -> None:
    found = [proposed_weights(log(seed, telling=("types",)), WEIGHTS) for seed in range(12)]
    known = [each for each in found if each is not None]
    assert len(known) == 12
    for each in known:
        assert each.weights["types"] > 2 * WEIGHTS["types"]
        assert sum(each.weights.values()) == pytest.approx(sum(WEIGHTS.values()), abs=0.01)
        assert each.after > each.before
    assert sum({told.metric for told in each.tell} == {"types"} for each in known) >= 10


def test_a_target_is_where_good_and_bad_part() -> None:
    found = [proposed_targets(log(seed, telling=("mutation",)), HIGH) for seed in range(12)]
    known = [each["mutation"] for each in found if "mutation" in each]
    assert len(known) == 12
    assert all(0.7 <= each.target <= 0.9 for each in known)
    for each in known:
        assert each.short[0] / each.short[1] > 2 * each.reached[0] / each.reached[1]


def test_a_target_can_be_an_upper_limit() -> None:
    chance = random.Random(1)
    lessons = []
    for _ in range(60):
        ways = float(chance.randint(1, 20))
        lessons.append(Lesson(metrics={"worst_complexity": ways}, good=ways <= 9))
    found = proposed_targets(lessons, HIGH)["worst_complexity"]
    assert found.target == 9
    assert found.reached[0] == 0


def test_few_runs_propose_nothing() -> None:
    lessons = log(3, telling=("types", "mutation"))
    few = [each for each in lessons if not each.good][: FEWEST - 1] + [each for each in lessons if each.good]
    assert proposed_weights(few, WEIGHTS) is None
    assert proposed_targets(few, HIGH) == {}


def test_the_area_counts_ties_half() -> None:
    assert area([(1.0, True), (0.0, False)]) == 1
    assert area([(1.0, True), (1.0, False)]) == 0.5
    assert area([(1.0, True)]) is None
