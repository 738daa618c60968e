"""Halting policies side by side in an invented world, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from setpoint.app.views.halting import INCUMBENT
from setpoint.errors import UsageError
from setpoint.model.facts.group_means import lower_bound, mean_by_group
from setpoint.model.halter.policies import NAMED
from setpoint.model.halter.prediction import HaltingTerms
from setpoint.model.halting import Economics
from setpoint.model.halting_replay import PolicyFigures
from setpoint.model.halting_tables import ReplayTable, calibration

if TYPE_CHECKING:
    from setpoint.learning.halting_simulator import Ended


def simulate(runs: int, seed: int, policies: Sequence[str], economics: Economics) -> ReplayTable:
    """Let policies, all of them where none is named, decide on the same invented tasks.

    `UsageError` for an unknown policy, and where numpy is missing.
    """
    if unknown := [each for each in policies if each not in NAMED]:
        raise UsageError(f"no halting policy is named '{unknown[0]}'", hint=f"one of {', '.join(NAMED)}")
    try:
        from setpoint.learning import halting_simulator as world
    except ImportError:
        raise UsageError(
            "numpy is not installed, and the simulator draws with it", hint="pip install 'setpoint[halting]'"
        ) from None
    drawn = world.tasks(runs, seed)
    terms = HaltingTerms(economics=economics)
    names = [name for name in NAMED if not policies or name in (*policies, INCUMBENT)]
    done = {name: [world.run(task, NAMED[name](terms), economics) for task in drawn] for name in names}
    before = done[INCUMBENT]
    logged = [world.logged(str(place), each) for place, each in enumerate(before)]
    return ReplayTable(
        agent="simulated",
        logged=runs,
        labelled=runs,
        restarts=True,
        figures=tuple(_figures(name, made, before) for name, made in done.items()),
        calibration=calibration(logged, terms),
    )


def _figures(name: str, done: Sequence[Ended], before: Sequence[Ended]) -> PolicyFigures:
    tasks = [str(place) for place in range(len(done))]
    pairs = list(zip(done, before, strict=True))
    gain = mean_by_group([new.value - old.value for new, old in pairs], tasks)
    taken = sum(len(each.turns) for each in done) / sum(len(each.turns) for each in before)
    return PolicyFigures(
        policy=name,
        runs=len(done),
        tasks=len(done),
        coverage=1.0,
        success=mean_by_group([each.right for each in done], tasks, share=True),
        wrong=mean_by_group([each.wrong for each in done], tasks, share=True),
        turns=mean_by_group([float(len(each.turns)) for each in done], tasks),
        cost_usd=mean_by_group([each.cost for each in done], tasks),
        utility_usd=mean_by_group([each.value for each in done], tasks),
        saved_turns=1 - taken,
        gain_usd=gain,
        gain_at_least_usd=lower_bound(gain),
        success_gain=mean_by_group([float(new.right) - float(old.right) for new, old in pairs], tasks),
        wrong_gain=mean_by_group([float(new.wrong) - float(old.wrong) for new, old in pairs], tasks),
    )
