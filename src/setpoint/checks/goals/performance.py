"""Time a command on the work and on its base, in turn, each in a copy of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from setpoint.checks import results
from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.goals.timing import Middle, Timing, within
from setpoint.checks.run import Group
from setpoint.checks.suites.pytest import Runner
from setpoint.checks.trees.checkout import TIMED, nothing_more, place_beside, put_at
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.goals import BASE, USUAL_RATIO, GoalResult, GoalState, MetricGoal
from setpoint.model.ids import Commit
from setpoint.ports import Measured
from setpoint.system.processes import Command, Completed, run

FEWEST, MOST = 7, 15
"""Runs of a command on each tree."""
BUDGET_S = 60.0
"""Where the runs would take longer, there are fewer of them, down to the fewest."""
FAILED = "failed"
"""The metric that says that the command fails."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Where the trees lie that are timed."""

    repository: Path
    """Where their objects lie."""
    base: Commit | None
    """None where there is nothing to compare with."""
    link: Callable[[Path], Awaitable[None]] = nothing_more
    """Brings what the user has installed beside the tree into a copy."""


@dataclass(frozen=True, kw_only=True)
class Performance:
    """One command whose time is a goal."""

    name: str
    command: str
    compared: Compared
    runner: Runner
    """Holds the interpreter, the folders and the bounds that commands of the project run with."""

    async def run(self, measured: Measured) -> CheckResult:
        """Run the command several times on each tree; one that fails has no time.

        At the base one run says whether there will be anything to compare with.
        """
        if not self.command:
            return results.unmeasured(self.name, measured.tree, "the goal names no command")
        trees = (measured.commit, *([self.compared.base] if self.compared.base else []))
        runs: list[list[Completed]] = [[] for _ in trees]
        wanted = 1
        while len(runs[0]) < wanted:
            turn = list(range(len(trees)))
            for number in turn if len(runs[0]) % 2 else turn[::-1]:
                done = await self._once(measured, TIMED[number], trees[number])
                if not done.ok:
                    return self._failed(measured, done, of_base=bool(number))
                runs[number].append(done)
            if wanted == 1 and measured.stage is not Stage.BASE:  # the first runs warm up and do not count
                least = sum(each.pop().duration_s for each in runs)
                wanted = max(FEWEST, min(MOST, int(BUDGET_S / max(least, 0.001))))
        times = [tuple(done.duration_s for done in each) for each in runs]
        return self._gave(
            measured, runs[0][-1], Timing(now=times[0], base=times[1] if len(times) > 1 else ())
        )

    async def _once(self, measured: Measured, place: str, commit: Commit) -> Completed:
        """Run it in a copy that holds the tree and nothing else, so that no run helps the next one."""
        tree = place_beside(Path(measured.copy.path), place)
        await put_at(tree, self.compared.repository, commit)
        await self.compared.link(tree)
        return await run(
            Command(
                argv=("/bin/sh", "-c", self.command),
                cwd=tree,
                environment=environment_of_tests(self.runner.interpreter, tree, self.runner.layout),
                timeout_s=self.runner.timeout_s,
            )
        )

    def _failed(self, measured: Measured, done: Completed, *, of_base: bool) -> CheckResult:
        where = "at the base" if of_base or measured.stage is Stage.BASE else "on the changed code"
        reason = f"`{self.command}` fails {where}: {done.ending}{results.tail(done)}"
        made = self._ran(measured, done).gave(CheckState.NOT_MEASURED, reason)
        return made.model_copy(update={"metrics": {} if of_base else {FAILED: 1.0}})

    def _gave(self, measured: Measured, done: Completed, timing: Timing) -> CheckResult:
        made = self._ran(measured, done).gave(CheckState.PASS)
        figures = {f"now_{number}": value for number, value in enumerate(timing.now)}
        figures |= {f"base_{number}": value for number, value in enumerate(timing.base)}
        return made.model_copy(update={"metrics": figures})

    def _ran(self, measured: Measured, done: Completed) -> results.Ran:
        return results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.runner.artifacts, tool="sh"
        )


def timing_checks(goals: Mapping[str, MetricGoal], compared: Compared, runner: Runner) -> tuple[Group, ...]:
    """Make the checks that time the commands of goals; a time is never kept."""
    checks = (
        Performance(name=name, command=goal.command, compared=compared, runner=runner)
        for name, goal in goals.items()
    )
    return tuple(Group(checks=(check,), identity=None) for check in checks)


def timing_of(made: CheckResult) -> Timing | None:
    """Read the times of a result; none where the command failed."""
    now, base = (
        tuple(value for name, value in made.metrics.items() if name.startswith(prefix))
        for prefix in ("now_", "base_")
    )
    return Timing(now=now, base=base) if now else None


def timed(
    name: str, goal: MetricGoal, made: CheckResult | None, *, compared: bool, missing: tuple[str, ...]
) -> GoalResult:
    """Judge the time of a command; `missing` says what to make faster."""
    given = GoalResult(name=name, mode=goal.mode, state=GoalState.NOT_MEASURED, high=False)
    timing = timing_of(made) if made else None
    if made is None or timing is None:
        why = (
            made.evidence.reason
            if made
            else "the command was not run, because the full suite was not reached"
        )
        broken = made is not None and FAILED in made.metrics and compared
        state = GoalState.MISSED if broken else GoalState.NOT_MEASURED
        return given.model_copy(update={"state": state, "reason": f"time of `{goal.command}`: {why}"})
    value, target, met, told = _judged(goal, timing)
    state = GoalState.MET if met else GoalState.MISSED
    if goal.at_most_s is None and timing.ratio is None:
        state = GoalState.NOT_APPLICABLE
    return given.model_copy(
        update={
            "state": state,
            "value": value,
            "target": target,
            "reason": f"time of `{goal.command}`: {told}",
            "missing": missing if state is GoalState.MISSED else (),
        }
    )


def _judged(goal: MetricGoal, timing: Timing) -> tuple[float, float, bool, str]:
    """Return value, target, whether it is met, and all of it in words."""
    seconds, ratio = timing.seconds, timing.ratio
    runs = f"{len(timing.now)} runs"
    if goal.at_most_s is not None:
        limit = goal.at_most_s
        words = f"{_spread(seconds, ' s')} ({runs}), wanted at most {limit:g} s"
        return seconds.value, limit, seconds.low <= limit, words
    limit = 1.0 if goal.target == BASE else float(goal.target or USUAL_RATIO)
    if ratio is None:
        return (
            seconds.value,
            limit,
            True,
            f"{_spread(seconds, ' s')} ({runs}), with no base to compare it with",
        )
    met = within(timing, limit)
    least = timing.least_mean_ratio
    apart = ", not distinguished from the base" if ratio.low <= 1 <= ratio.high else ""
    if not met and ratio.low <= limit and limit >= 1 and least is not None:
        apart = f", and in some runs much longer: the mean is at least {least:.2f} times that of the base"
    words = (
        f"{_spread(ratio, ' times')} that of the base{apart} "
        f"({median(timing.base):.3g} s before, {seconds.value:.3g} s now, {runs} on each in turn), "
        f"wanted at most {limit:g} times"
    )
    return ratio.value, limit, met, words


def _spread(found: Middle, unit: str) -> str:
    return f"{found.value:.3g}{unit} ({found.low:.3g} to {found.high:.3g})"
