"""Say what a log of one agent holds: runs solved by each iteration, and how far predictions hold.

python bench/halting_own_log.py bench/data/mechanic.csv.gz
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from halting_fit import fit

from setpoint.app.views.halting import logged_runs
from setpoint.model.facts.group_means import mean_by_group
from setpoint.model.halter.prediction import HaltingTerms, choose
from setpoint.model.halting import LoggedRun
from setpoint.model.halting_tables import calibration

FIRST = 100
"""Runs of a new agent that its weights are fitted to."""
DRAWS = 20
"""Draws of these runs; the others are predicted."""


def solved(runs: Sequence[LoggedRun]) -> None:
    """Print the share of runs that pass their gates by each iteration, and of those that are right then."""
    groups = [each.group or each.run for each in runs]
    print("iteration: every gate passed; right by hidden tests (95 % intervals over tasks)")
    for last in range(1, max(len(each.turns) for each in runs) + 1):
        passed = [any(turn.gates for turn in each.turns[:last]) for each in runs]
        right = [any(label for label in each.verified[:last]) for each in runs]
        told = []
        for flags in (passed, right):
            mean = mean_by_group(flags, groups, share=True)
            ends = f" [{mean.low:.3f}, {mean.high:.3f}]" if mean.low is not None else ""
            told.append(f"{mean.value:.3f}{ends}")
        print(f"{last}: {'; '.join(told)}")


def calibrated(runs: Sequence[LoggedRun], seed: int) -> None:
    """Print the calibration error of P(verified) for runs that nothing was fitted to, before and after."""
    terms, errors = HaltingTerms(may_restart=False), list[tuple[float, float]]()
    for draw in range(DRAWS):
        order = random.Random(seed + draw).sample(list(runs), len(runs))
        held_out, fitted = order[FIRST:], terms.model_copy(update={"model": fit(order[:FIRST])})
        before, after = calibration(held_out, terms), calibration(held_out, fitted)
        if before is not None and after is not None:
            errors.append((before.error, after.error))
    for name, found in zip(("priors", f"after {FIRST} runs"), zip(*errors, strict=True), strict=True):
        print(
            f"calibration error, {name}: {statistics.mean(found):.3f} "
            f"(least {min(found):.3f}, most {max(found):.3f} of {len(found)} draws)"
        )


def timed(runs: Sequence[LoggedRun]) -> None:
    """Print what one decision takes."""
    terms, taken = HaltingTerms(), []
    for run in runs:
        began = time.perf_counter()
        choose(run.turns, terms)
        taken.append(1000 * (time.perf_counter() - began))
    print(f"one decision: median {statistics.median(taken):.2f} ms, most {max(taken):.2f} ms")


def main() -> None:
    """Read the log and print all three."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("--seed", type=int, default=29)
    given = parser.parse_args()
    runs = logged_runs([given.log], Path.cwd())
    print(f"{len(runs)} runs of {', '.join(sorted({each.agent for each in runs}))}")
    solved(runs)
    if len(runs) > FIRST:
        calibrated(runs, given.seed)
    timed(runs)


if __name__ == "__main__":
    main()
