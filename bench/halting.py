"""Compare halting policies in a simulator, and print which aims they reach.

    python bench/halting.py [--tasks 2500] [--seed 11] [--svg FOLDER]

Some ten minutes on one core. The world is invented: figures say which policy is better, not how good it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pvariance

import numpy as np
from halting_fit import fit
from halting_plots import stagnation_plot
from halting_simulator import Ended, Task, Turn, logged, run, tasks

from setpoint.model.facts.group_means import Mean, lower_bound, mean_by_group
from setpoint.model.halter.policies import NAMED, R0_VARIANCE, first_pass, r0_stagnant, repeats
from setpoint.model.halter.prediction import HaltingTerms, choose
from setpoint.model.halter.terms import PRIORS, HalterModel
from setpoint.model.halting import Economics, LoggedPolicy, LoggedRun, TurnState
from setpoint.model.halting_replay import compare
from setpoint.model.run import Action

TERMS = HaltingTerms()
STOP_ONLY = HaltingTerms(may_restart=False)
LOGS = 1000
BINS = 10
AHEAD = 4
"""Turns within which an alarm is false if every gate passes."""
SMALL, OFTEN = 100, 12
LEAST_OF_12, MOST_OF_12 = 0.717, 1.651
"""Factors of the 95 % interval of a root mean square of 12 (chi-square)."""
States = tuple[TurnState, ...]


def naive(past: States) -> Action:
    """R0's rule as it is written: halt where the score is above one half."""
    if (past[-1].quality or 0) > 0.5:
        return Action.HALT
    return Action.ESCALATE if len(past) >= 5 else Action.CONTINUE


def explorer(seed: int) -> LoggedPolicy:
    """Log runs to learn from: at times one turn more than needed, at times a restart."""
    random = np.random.default_rng(seed)

    def decide(past: States) -> Action:
        if past[-1].gates:
            return Action.CONTINUE if random.random() < 0.3 else Action.HALT
        return Action.RESTART if random.random() < 0.12 else Action.CONTINUE

    return decide


def learned(count: int, seed: int) -> HalterModel:
    """Fit the halter to so many logged runs."""
    policy = explorer(seed)
    runs = [logged(f"run-{place}", run(task, policy)) for place, task in enumerate(tasks(count, seed))]
    return fit(runs) if runs else PRIORS


def spread(mean: Mean) -> str:
    """Return a mean with its 95 % interval."""
    return f"{mean.value:+.2f} $ [{mean.low:+.2f}, {mean.high:+.2f}]"


def between(mean: Mean) -> str:
    """Return a share with its 95 % interval."""
    return f"{mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}]"


def verdict(reached: bool) -> str:  # noqa: FBT001 - the only thing it says
    """Name whether an aim was reached."""
    return "reached" if reached else "MISSED"


def shares(done: Sequence[Ended]) -> tuple[float, float, float, float, float]:
    """Return success, wrong deliveries, cost, turns and value."""
    return (
        fmean(each.right for each in done),
        fmean(each.wrong for each in done),
        fmean(each.cost for each in done),
        fmean(len(each.turns) for each in done),
        fmean(each.value for each in done),
    )


def paired(new: Sequence[Ended], old: Sequence[Ended]) -> Mean:
    """Return the difference of value on the same tasks."""
    gains = [a.value - b.value for a, b in zip(new, old, strict=True)]
    return mean_by_group(gains, [str(place) for place in range(len(gains))])


def policies(models: Mapping[str, HalterModel]) -> dict[str, LoggedPolicy]:
    """Return what stands side by side in the table."""
    made = {name: make(TERMS) for name, make in NAMED.items() if name != "halter-v1"}
    made |= {"naive": naive, "first-pass-5": first_pass(TERMS, 5)}
    for name, model in models.items():
        made[f"halter-v1, {name}"] = NAMED["halter-v1"](HaltingTerms(model=model))
    return made


def print_table(done: Mapping[str, Sequence[Ended]]) -> None:
    """Print every policy on the same tasks."""
    print("| policy | success | wrong | cost $ | turns | value $ |\n|---|---|---|---|---|---|")
    for name, each in done.items():
        success, wrong, cost, turns, value = shares(each)
        print(f"| {name} | {success:.3f} | {wrong:.3f} | {cost:.2f} | {turns:.2f} | {value:.2f} |")


def recall_and_rules(done: Mapping[str, Sequence[Ended]], some: Sequence[Task]) -> None:
    """Print A2 and A3."""
    fixed = NAMED["fixed-10"](TERMS)
    last = [run(task, fixed, best=False) for task in some]
    gains = [float(new.right) - float(old.right) for new, old in zip(done["fixed-10"], last, strict=True)]
    gain = mean_by_group(gains, [str(place) for place in range(len(gains))])
    shown = f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
    print(f"A2 best instead of last of ten turns: success {shown} (aim 0.12): {verdict(gain.value >= 0.12)}")
    new, old = done["repeat-twice"], done["classic"]
    difference, at_least = paired(new, old), lower_bound(paired(new, old))
    success, wrong = shares(new)[:2]
    met = difference.value >= 0.60 and (at_least or 0) > 0 and success >= 0.63 and wrong <= 0.14
    print(
        f"A3 repeat-twice against R0's guards on gates: {spread(difference)} (aim +0.60), "
        f"success {success:.3f} (0.63) against {shares(old)[0]:.3f} (at most 0.50), "
        f"wrong {wrong:.3f} (at most 0.14): {verdict(met and shares(old)[0] <= 0.50)}"
    )


def halter_figures(done: Mapping[str, Sequence[Ended]], model: HalterModel) -> None:
    """Print A4."""
    name = f"halter-v1, {LOGS} runs"
    over_r0 = paired(done[name], done["classic"])
    over_rules = paired(done[name], done["rules-v1"])
    success, _, cost = shares(done[name])[:3]
    error = calibration(done[name], model)
    met = (lower_bound(over_r0) or 0) > 0 and over_rules.value > -0.30 and error <= 0.04
    print(
        f"A4 halter-v1 after {LOGS} runs: against R0's guards {spread(over_r0)}, "
        f"against rules-v1 {spread(over_rules)} (at least -0.30), "
        f"${cost:.2f} (1.90) at success {success:.3f} (0.60), ECE {error:.3f} (0.04): "
        f"{verdict(met and cost <= 1.90 and success >= 0.60)}"
    )


def calibration(done: Sequence[Ended], model: HalterModel) -> float:
    """Return the expected calibration error of P(verified) over what was delivered, in ten bins."""
    terms = HaltingTerms(model=model)
    bins: dict[int, list[tuple[float, bool]]] = {}
    for each in done:
        if each.delivered is not None and each.turns[each.delivered].state.gates:
            states = tuple(turn.state for turn in each.turns[: each.delivered + 1])
            said = choose(states, terms).values.p_verified
            bins.setdefault(min(BINS - 1, int(said * BINS)), []).append((said, each.right))
    count = sum(map(len, bins.values()))
    return (
        sum(abs(fmean(p for p, _ in each) - fmean(r for _, r in each)) * len(each) for each in bins.values())
        / count
    )


def variance_alone(past: States) -> bool:
    """R0's rule without its second half."""
    scores = [each.quality or 0.0 for each in past[-3:]]
    return len(scores) == 3 and pvariance(scores) < R0_VARIANCE


def never_rising(past: States) -> bool:
    """R0's rule without its first half."""
    scores = [each.quality or 0.0 for each in past[-3:]]
    return len(scores) == 3 and all(later <= earlier for earlier, later in pairwise(scores))


STAGNATION: Mapping[str, Callable[[States], bool]] = {
    "R0: variance or never rising": r0_stagnant,
    "variance alone": variance_alone,
    "never rising alone": never_rising,
    "the same problems once": lambda past: repeats(past) >= 1,
    "the same problems twice": lambda past: repeats(past) >= 2,
}


def alarms(some: Sequence[Task]) -> dict[str, tuple[Mean, Mean, Mean]]:
    """Return for each test: false alarms, those in improving tasks, and hopeless states that it finds."""
    cases: list[tuple[str, str, States, bool]] = []
    for number, task in enumerate(some):
        chain = task.chains[0]
        passed = next((place for place, turn in enumerate(chain) if turn.state.gates), len(chain))
        for place in range(2, min(passed, len(chain) - AHEAD)):  # no policy asks behind the first pass
            states = tuple(turn.state for turn in chain[: place + 1])
            cases.append((str(number), task.kind, states, passes_soon(chain, place)))
    found = {}
    for name, fires in STAGNATION.items():
        fired = [(task, kind, soon, fires(states)) for task, kind, states, soon in cases]
        found[name] = (
            _share([(alarm, task) for task, _, soon, alarm in fired if soon]),
            _share([(alarm, task) for task, kind, soon, alarm in fired if soon and kind == "improving"]),
            _share([(alarm, task) for task, _, soon, alarm in fired if not soon]),
        )
    return found


def _share(alarms: Sequence[tuple[bool, str]]) -> Mean:
    return mean_by_group([float(each) for each, _ in alarms], [task for _, task in alarms], share=True)


def passes_soon(chain: Sequence[Turn], place: int) -> bool:
    """Whether every gate passes within the next turns."""
    return any(turn.state.gates for turn in chain[place + 1 : place + 1 + AHEAD])


def stagnation(some: Sequence[Task], folder: Path | None) -> None:
    """Print A5 and draw it."""
    found = alarms(some)
    print("| alarm | false | false while improving | hopeless found |\n|---|---|---|---|")
    for name, (false, improving, hopeless) in found.items():
        print(f"| {name} | {false.value:.3f} | {improving.value:.3f} | {hopeless.value:.3f} |")
    false, improving, _ = found["the same problems twice"]
    met = false.value <= 0.05 and improving.value <= 0.01
    shown = f"{between(false)} (0.05), while improving {between(improving)} (0.01)"
    print(f"A5 the same problems twice: {shown}: {verdict(met)}")
    if folder is not None:
        plotted = {name: tuple(mean.value for mean in each) for name, each in found.items()}
        (folder / "halting-alarms.svg").write_text(stagnation_plot(plotted), "utf-8")


def replayed(seed: int) -> None:
    """Print A9: how far replay on full logs lies from the truth, and what it refuses."""
    make = {name: NAMED[name] for name in ("first-pass", "classic", "repeat-twice")}
    many = tasks(10_000, seed)
    truth = {
        name: fmean(run(task, policy(STOP_ONLY)).value for task in many) for name, policy in make.items()
    }
    away: dict[str, list[float]] = {name: [] for name in make}
    chosen = {name: policy(STOP_ONLY) for name, policy in make.items()}
    logs = [
        [full(f"{place}", task) for place, task in enumerate(tasks(LOGS, seed + 1 + n))] for n in range(OFTEN)
    ]
    for log in logs:
        for each in compare(log, chosen, "repeat-twice", Economics()):
            if each.utility_usd is not None:
                away[each.policy].append(each.utility_usd.value - truth[each.policy])
    worst = 0.0
    for name, off in away.items():
        rmse = fmean(each**2 for each in off) ** 0.5 if off else float("nan")
        worst = max(worst, rmse)
        ends = f"[{rmse * LEAST_OF_12:.2f}, {rmse * MOST_OF_12:.2f}]"
        print(f"A9 replay of {name} on {LOGS} full logs, {OFTEN} times: RMSE {rmse:.2f} $ {ends} (aim 0.25)")
    restarting = {"rules-v1": NAMED["rules-v1"](TERMS), **chosen}
    refused = compare(logs[0], restarting, "repeat-twice", Economics())[0].refused
    print(
        f"A9 a policy that restarts: {refused or 'NOT REFUSED'}: {verdict(worst <= 0.25 and bool(refused))}"
    )


def full(name: str, task: Task) -> LoggedRun:
    """Return a chain logged to its limit, with the outcome of every turn."""
    chain = task.chains[0]
    return LoggedRun(
        run=name,
        agent="simulated",
        group=name,
        turns=tuple(turn.state for turn in chain),
        verified=tuple(turn.right for turn in chain),
        full=True,
    )


def main() -> int:
    """Run all comparisons on one seed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--svg", type=Path, help="folder for the plots")
    asked = parser.parse_args()
    some = tasks(asked.tasks, asked.seed)
    models = {f"{count} runs": learned(count, asked.seed + 1000) for count in (0, SMALL, LOGS)}
    done = {name: [run(task, policy) for task in some] for name, policy in policies(models).items()}
    print(f"{asked.tasks} tasks, seed {asked.seed}; a verified delivery $10, a wrong one -$5\n")
    print_table(done)
    print()
    recall_and_rules(done, some)
    halter_figures(done, models[f"{LOGS} runs"])
    reference = done["first-pass"]
    before, after = (calibration(reference, models[f"{count} runs"]) for count in (0, SMALL))
    print(f"ECE of P(verified) for a new agent: {before:.3f} by priors, {after:.3f} after {SMALL} runs\n")
    stagnation(some, asked.svg)
    print()
    replayed(asked.seed + 5000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
