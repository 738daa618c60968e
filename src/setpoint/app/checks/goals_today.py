"""How far the working tree is from each goal, and which goals the project's own runs would bear."""

from __future__ import annotations

from statistics import quantiles
from typing import NamedTuple

from setpoint.app.checks.measure import measure_tree
from setpoint.app.checks.watch import WITHOUT_SUSPECTS
from setpoint.checks.measurement import CheckListener
from setpoint.history.queries import RunState, runs
from setpoint.history.replay import history
from setpoint.model.ending import Ending
from setpoint.model.goals import MEASURES, GoalMode, GoalResult, Measure
from setpoint.model.quality import QualityVector
from setpoint.wiring.project import Project, open_project

FEWEST_RUNS = 3
"""Verified runs without which no goal is proposed."""
MOST_RUNS = 50
"""Newest runs that are looked at."""
OF_RUNS = {
    "diff_coverage": "diff_coverage",
    "coverage": "line_coverage",
    "mutation": "mutation",
    "complexity": "worst_complexity",
    "types": "type_coverage",
    "security": "vulnerabilities",
    "tests": "test_count",
}
"""Metrics by their name in the quality vector of a run."""


class Proposal(NamedTuple):
    """A goal that three of four verified runs of the project reached."""

    target: float
    runs: int
    """Verified runs that measured the metric."""


class GoalToday(NamedTuple):
    """One goal, the value of the working tree, and what the project's runs reached."""

    goal: GoalResult
    mode: GoalMode
    """As it is set."""
    proposal: Proposal | None


def goals_today(project: Project, told: CheckListener = lambda *_: None) -> tuple[GoalToday, ...]:
    """Measure the working tree by every metric that can have a goal; nothing is changed."""
    asked = project.settings.goals.by_name
    shown = {name: {"mode": GoalMode.ADVICE} for name, goal in asked.items() if goal.mode is GoalMode.OFF}
    asking = open_project(project.root, {"goals": shown, **WITHOUT_SUSPECTS})
    measured = measure_tree(asking, told, since=None)
    proposals = proposed(project)
    return tuple(GoalToday(each, asked[each.name].mode, proposals.get(each.name)) for each in measured.goals)


def proposed(project: Project) -> dict[str, Proposal]:
    """Propose for each metric what three of four verified runs reached; none where too few measured it."""
    ended = runs(project.store, lambda _: None, limit=MOST_RUNS, recorded=(RunState.FINISHED,))
    verified = [each.trace_id for each in ended if each.ending is Ending.VERIFIED]
    past = [history(project.log.replay(each)).rounds for each in verified]
    vectors = [rounds[-1].latest.quality for rounds in past if rounds]
    found = {name: _quartile(MEASURES[name], field, vectors) for name, field in OF_RUNS.items()}
    return {name: each for name, each in found.items() if each is not None}


def _quartile(measure: Measure, field: str, vectors: list[QualityVector]) -> Proposal | None:
    values = [float(value) for each in vectors if (value := getattr(each, field)) is not None]
    if len(values) < FEWEST_RUNS:
        return None
    first, _, third = quantiles(values, n=4, method="inclusive")
    target = first if measure.high else third
    return Proposal(round(target, 2) if measure.share else float(round(target)), len(values))
