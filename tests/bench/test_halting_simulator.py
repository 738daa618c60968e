"""The simulator of runs: what it deals to policies, and what it makes of their decisions."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

from setpoint.model.halter.features import streak
from setpoint.model.halter.policies import fixed, r0_stagnant, repeats
from setpoint.model.halting import TurnState
from setpoint.model.run import Action

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        own = {name: importlib.import_module(f"halting_{name}") for name in ("credit", "hazard", "simulator")}
        yield SimpleNamespace(**own)


@pytest.fixture(scope="module")
def world(bench):
    return bench.simulator.tasks(60, seed=29)


def rank(states, place):
    turn = states[place]
    return turn.gates, streak(states[: place + 1]), turn.tests_share, turn.quality


def test_the_same_seed_deals_the_same_tasks_and_another_one_others(bench, world):
    assert bench.simulator.tasks(60, seed=29) == world != bench.simulator.tasks(60, seed=30)


def test_what_is_delivered_is_never_worse_than_the_best_turn_that_was_seen(bench, world):
    delivered = 0
    for task in world:
        ended = bench.simulator.run(task, fixed(10))
        states = tuple(turn.state for turn in ended.turns)
        if ended.delivered is None:
            assert not any(state.gates for state in states)
            continue
        delivered += 1
        assert rank(states, ended.delivered) == max(rank(states, place) for place in range(len(states)))
    assert delivered > 20


def test_taking_the_last_turn_loses_work_that_the_best_one_holds(bench, world):
    right = dict.fromkeys((True, False), 0)
    for best in right:
        right[best] = sum(bench.simulator.run(task, fixed(10), best=best).right for task in world)
    assert right[True] > right[False]


def test_what_passes_every_gate_is_not_always_right(world):
    passing = [turn.right for task in world for chain in task.chains for turn in chain if turn.state.gates]
    assert 0.5 < sum(passing) / len(passing) < 1


def test_a_restart_begins_another_chain_and_counts_its_turns(bench, world):
    ended = bench.simulator.run(
        world[0], lambda states: Action.RESTART if len(states) == 2 else fixed(4)(states)
    )
    assert [(turn.state.number, turn.state.chain) for turn in ended.turns] == [(1, 0), (2, 0), (3, 1), (4, 1)]


def test_the_variance_rule_calls_steady_progress_stagnant_and_repeats_do_not():
    rising = tuple(
        TurnState(number=place, gates=False, failing=4 - place, quality=score)
        for place, score in enumerate((0.80, 0.83, 0.86), start=1)
    )
    assert r0_stagnant(rising)
    assert repeats(rising) == 0


def test_a_prediction_that_ranks_every_pass_first_has_an_auc_of_one(bench):
    assert bench.hazard.auc([(0.9, True), (0.2, False), (0.1, False)]) == 1
    assert bench.hazard.auc([(0.5, True), (0.5, False)]) == 0.5
    assert bench.hazard.auc([(0.1, True), (0.9, False)]) == 0


def test_belief_follows_the_uses_and_outcomes_of_runs_move_it_less(bench):
    dice = random.Random(1)
    person, outcome = (
        bench.credit.belief(0.0, *bench.credit.REGIMES[judged], dice)
        for judged in ("a person judges each use", "the outcome of the run judges it")
    )
    assert person < 0.1 < outcome < 0.3
