r"""Measure halting policies on tasks that nothing was fitted to (A6), and try to get bad ones promoted (A8).

Tasks are split: seven tenths are fitted to, the others are replayed. The worth of a run that succeeds is 1,
and each turn costs what the log says (0.03 in published figures).

    python bench/halting_intercode.py intercode_turns.csv.gz logs.csv --agents gpt-3.5,gpt-4 --cost 0.03 \
        --pooled gpt-3.5/4
    python bench/halting_heldout.py logs.csv
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from math import exp
from pathlib import Path

import numpy as np
from halting_fit import fit, most_probable
from halting_gate import gate_conditions
from halting_hazard import held_out

from setpoint.app.views.halting import logged_runs
from setpoint.model.facts.group_means import Mean, mean_by_group
from setpoint.model.halter.features import of_failing
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halter.terms import PRIORS, Term
from setpoint.model.halting import Economics, LoggedPolicy, LoggedRun, TurnState
from setpoint.model.halting_replay import Replayed, replay_run, utility
from setpoint.model.run import Action

WORTH = Economics(worth_usd=1.0, wrong_usd=0.5)
TURNS = 10
DECAY = 0.8
"""What the chance of each turn is assumed to be of that of the turn before it."""
SWEEPS = 30
"""Rounds in which fitted Q values teach one another."""
RIDGE = 1.0
Turns = tuple[TurnState, ...]


def stopping(worth_of_next: Callable[[Turns], float]) -> LoggedPolicy:
    """Stop where the next turn is worth nothing by some value of it."""

    def decide(turns: Turns) -> Action:
        if turns[-1].gates:
            return Action.HALT
        return Action.CONTINUE if len(turns) < TURNS and worth_of_next(turns) > 0 else Action.ESCALATE

    return decide


class Decayed:
    """Fit the chance of the next turn alone, and take that of later ones to fall at one rate."""

    def __init__(self, train: Sequence[LoggedRun], cost: float) -> None:
        """Fit it."""
        pairs = _pairs(train)
        rows = [of_failing(before) for before, _ in pairs]
        wide = [Term(f"term {at}", 0.0, 2.0) for at in range(len(rows[0]))]
        self._cost = cost
        self._weights = most_probable(rows, [after[-1].gates for _, after in pairs], [1.0] * len(rows), wide)

    def __call__(self, turns: Turns) -> float:
        """Return the worth of as many turns as pay best."""
        sum_of_terms = sum(
            weight * each for weight, each in zip(self._weights, of_failing(turns), strict=True)
        )
        chance, alive, total, best = 1 / (1 + exp(-sum_of_terms)), 1.0, 0.0, -1.0
        for _ in range(TURNS - len(turns)):
            total += alive * (chance - self._cost)
            alive *= 1 - chance
            chance *= DECAY
            best = max(best, total)
        return best


class FittedQ:
    """Linear Q values, each taught by the larger one of the turn behind it."""

    def __init__(self, train: Sequence[LoggedRun], cost: float) -> None:
        """Fit by sweeps of ridge regression."""
        pairs = _pairs(train)
        now = np.array([of_failing(before) for before, _ in pairs])
        after = np.array([of_failing(behind) for _, behind in pairs])
        passed = np.array([behind[-1].gates for _, behind in pairs])
        solve = np.linalg.inv(now.T @ now + RIDGE * np.eye(now.shape[1])) @ now.T
        self._weights = np.zeros(now.shape[1])
        for _ in range(SWEEPS):
            reached = np.where(passed, 1.0, np.maximum(0.0, after @ self._weights))
            self._weights = solve @ (reached - cost)

    def __call__(self, turns: Turns) -> float:
        """Return the fitted value of one more turn."""
        return float(np.array(of_failing(turns)) @ self._weights)


def _pairs(train: Sequence[LoggedRun]) -> list[tuple[Turns, Turns]]:
    """Return the turns up to each that failed and had another behind it, and those up to that one."""
    return [
        (run.turns[:place], run.turns[: place + 1])
        for run in train
        for place in range(1, len(run.turns))
        if not run.turns[place - 1].gates
    ]


def main() -> int:
    """Print A6 and A8; 1 where one of them is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("logs", type=Path, nargs="+", help="CSV files as docs/how-to/halting.md describes")
    given = parser.parse_args()
    runs = logged_runs(given.logs, Path.cwd())
    agents = {each.agent for each in runs}
    if len(agents) > 1:
        parser.error(f"the logs hold {', '.join(sorted(agents))}; name one, or pool them when converting")
    test = [each for each in runs if held_out(each)]
    train = [each for each in runs if not held_out(each)]
    cost = next(turn.cost_usd for each in runs for turn in each.turns)
    terms = HaltingTerms(economics=WORTH, max_turns=TURNS, budget_usd=0, may_restart=False)
    priors = terms.model_copy(update={"model": PRIORS.model_copy(update={"turn_cost_usd": cost})})
    fitted = terms.model_copy(update={"model": fit(train)})
    policies = {
        **{name: NAMED[name](terms) for name in ("first-pass", "classic", "repeat-twice")},
        "halter-v1, priors": NAMED["halter-v1"](priors),
        f"halter-v1, {len(train)} runs": NAMED["halter-v1"](fitted),
        "decayed hazard": stopping(Decayed(train, cost)),
        "fitted Q": stopping(FittedQ(train, cost)),
    }
    print(f"{len(test)} runs of {len({each.group for each in test})} held-out tasks, {cost} a turn")
    done = {name: [replay_run(run, policy) for run in test] for name, policy in policies.items()}
    for name, made in done.items():
        print(f"{name}: {_told(made, test)}")
    return int(not all([*_a6(done, test, f"halter-v1, {len(train)} runs"), *_a8(policies, test)]))


def _a6(done: dict[str, list[Replayed]], test: Sequence[LoggedRun], fitted: str) -> Iterable[bool]:
    twice, longest = done["repeat-twice"], done["first-pass"]
    own, share = (
        _mean([utility(each, WORTH) for each in twice], test),
        _mean([e.success for e in twice], test),
    )
    saved = 1 - sum(each.turns for each in twice) / sum(each.turns for each in longest)
    lost = _against(longest, twice, test, lambda each: float(each.success))
    over = _against(twice, done["classic"], test, lambda each: utility(each, WORTH))
    below = _against(twice, done[fitted], test, lambda each: utility(each, WORTH))
    yield _said("A6 repeat-twice, utility at least 0.51", own, own.value >= 0.51)
    yield _said("A6 repeat-twice, success at least 0.635", share, share.value >= 0.635)
    yield _said("A6 turns saved at least 0.20", Mean(value=saved), saved >= 0.20)
    yield _said("A6 success lost by that at most 0.02", lost, lost.value <= 0.02)
    yield _said("A6 utility over the older guards at least 0.22", over, over.value >= 0.22)
    yield _said(f"A6 {fitted}: at most 0.01 below repeat-twice", below, below.value <= 0.01)


def _a8(policies: dict[str, LoggedPolicy], test: Sequence[LoggedRun]) -> Iterable[bool]:
    for name in ("decayed hazard", "fitted Q"):
        judged = gate_conditions(test, [policies[name]] * len(test), policies["repeat-twice"], WORTH)
        failed = [f"{each.name}: {each.figure}" for each in judged if not each.met]
        print(f"A8 {name} is {'refused: ' + '; '.join(failed) if failed else 'PROMOTED'}")
        yield bool(failed)


def _against(
    more: Sequence[Replayed],
    less: Sequence[Replayed],
    test: Sequence[LoggedRun],
    worth: Callable[[Replayed], float],
) -> Mean:
    return _mean([worth(a) - worth(b) for a, b in zip(more, less, strict=True)], test)


def _mean(values: Sequence[float], test: Sequence[LoggedRun]) -> Mean:
    return mean_by_group(values, [each.group or each.run for each in test])


def _told(made: Sequence[Replayed], test: Sequence[LoggedRun]) -> str:
    shares = {
        "success": _mean([each.success for each in made], test),
        "turns": _mean([each.turns for each in made], test),
        "utility": _mean([utility(each, WORTH) for each in made], test),
    }
    gaps = sum(bool(each.gap) for each in made)
    return ", ".join(f"{name} {_figure(mean)}" for name, mean in shares.items()) + f"; {gaps} not covered"


def _said(what: str, mean: Mean, reached: bool) -> bool:  # noqa: FBT001 - a verdict
    print(f"{what}: {_figure(mean)}: {'reached' if reached else 'not reached'}")
    return reached


def _figure(mean: Mean) -> str:
    return f"{mean.value:.3f}" + ("" if mean.low is None else f" [{mean.low:.3f}, {mean.high:.3f}]")


if __name__ == "__main__":
    sys.exit(main())
