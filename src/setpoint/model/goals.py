"""The quality that a person sets: goals by metric, and how far a tree is from each."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from setpoint.model.mutation import MutantShare
from setpoint.model.value import Text, Value

BASE: Final = "base"
"""The target that is met by a value no worse than that of the base."""
PREFIX = "goal "
"""Begins the names of hard gates and of proofs that are goals."""
PERFORMANCE: Final = "performance."
"""Begins the names of goals for the time that a command takes."""
USUAL_RATIO: Final = 1.05
"""Of the time at the base, which a command may take where its goal gives no target."""


class GoalMode(StrEnum):
    """What a missed goal means for a run."""

    GATE = "gate"
    """The work goes back to the maker; while the goal is missed, the run does not end as verified."""
    ADVICE = "advice"
    """It is told in the verdict, and to the maker beside other problems."""
    OFF = "off"
    """Nothing is judged."""


class MetricGoal(Value):
    """The goal for one metric.

    A mode alone takes the metric's own target; a number alone is a gate at that value.
    """

    mode: GoalMode = GoalMode.GATE
    """gate, advice or off."""
    target: float | Literal["base"] | None = Field(default=None, union_mode="left_to_right")
    """The value to reach; `base`: no worse than the base; none: the metric's own target."""
    better: Literal["high", "low"] | None = None
    """For figures of your own checks: which values are better; none: low."""
    command: str = ""
    """For `performance.NAME`: what is timed, run by the shell at the root of the tree."""
    at_most_s: float | None = Field(default=None, gt=0)
    """For `performance.NAME`: seconds that the command may take, whatever it takes at the base."""


def _spelled(value: Any) -> Any:  # noqa: ANN401 - what a file says, before it is checked
    """Read `gate` and `0.8` as what they are short for."""
    if isinstance(value, str):
        return {"mode": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"mode": GoalMode.GATE, "target": value}
    return value


Goal = Annotated[MetricGoal, BeforeValidator(_spelled)]
"""A goal as people write it: a table, a mode or a number."""
_ADVICE, _OFF = MetricGoal(mode=GoalMode.ADVICE), MetricGoal(mode=GoalMode.OFF)


class Measure(NamedTuple):
    """What a metric measures and what is asked of it where nobody says more."""

    words: str
    """What is counted, as it is told."""
    target: float | str
    """Asked where the goal gives no target; `base`: no worse than the base."""
    high: bool = True
    """Whether higher values are better."""
    share: bool = True
    """Whether values are shares from 0 to 1; else they are counts."""
    of_base: bool = False
    """Whether the base has a value to compare with."""


MEASURES: dict[str, Measure] = {
    "diff_coverage": Measure("changed lines that the tests reach", 0.8, of_base=True),
    "coverage": Measure("lines that the tests reach", BASE, of_base=True),
    "mutation": Measure("mutants of the changed lines that the tests notice", 0.8),
    "complexity": Measure(
        "ways through the most complicated changed function", 10, high=False, share=False, of_base=True
    ),
    "duplication": Measure("changed lines that occur elsewhere too", 0.03, high=False),
    "documentation": Measure("changed public definitions that have a docstring", 0.8),
    "types": Measure("changed functions whose parameters and result have types", 0.9),
    "security": Measure("new findings about security", 0, high=False, share=False),
    "tests": Measure("tests that ran", BASE, share=False, of_base=True),
    "score": Measure("quality score", 0.8, of_base=True),
}
"""Every metric that can have a goal by name; `CHECK.COUNT` names a count of a check."""


class Goals(Value):
    """The goals of a project; every other key is a count of a check, as `CHECK.COUNT`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Goal]

    diff_coverage: Goal = _ADVICE
    """Share of changed lines that tests reach; its own target: 0.8, or that of the files, if less."""
    coverage: Goal = _OFF
    """Share of all lines that tests reach; its own target: that of the base."""
    mutation: Goal = _ADVICE
    """Share of mutants of the changed lines that tests notice; its own target: 0.8."""
    complexity: Goal = _OFF
    """Ways through the most complicated changed function; its own target: at most 10."""
    duplication: Goal = _OFF
    """Share of changed lines that occur elsewhere too; its own target: at most 0.03."""
    documentation: Goal = _OFF
    """Share of changed public definitions that have a docstring; its own target: 0.8."""
    types: Goal = _OFF
    """Share of changed functions whose parameters and result have types; its own target: 0.9."""
    security: Goal = _OFF
    """Number of new findings about security, whatever their severity; its own target: 0."""
    tests: Goal = _OFF
    """Number of tests; its own target: that of the base."""
    score: Goal = _OFF
    """The quality score; its own target: 0.8."""
    adaptive: bool = False
    """Ask more coverage of simple changes and less of complicated ones, ten points at most."""

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:  # noqa: ANN401 - what a file says, before it is checked
        """Name the commands of the table `performance` as goals of their own."""
        timed = given.get(PERFORMANCE.rstrip(".")) if isinstance(given, dict) else None
        if not isinstance(timed, dict):
            return given
        others = {name: goal for name, goal in given.items() if name != PERFORMANCE.rstrip(".")}
        return {**others, **{f"{PERFORMANCE}{name}": goal for name, goal in timed.items()}}

    @model_validator(mode="after")
    def _of_known_metrics(self) -> Self:
        for name, goal in self.by_name.items():
            known = MEASURES.get(name)
            if known is None and "." not in name:
                message = (
                    "no metric is called '{key}'; there are {known}, commands as performance.NAME, "
                    "and counts of checks as CHECK.COUNT"
                )
                raise PydanticCustomError("unknown_key", message, {"key": name, "known": ", ".join(MEASURES)})
            refuse_senseless(name, goal)
        return self

    @property
    def by_name(self) -> dict[str, MetricGoal]:
        """Every goal by its metric, those that are off too."""
        return {**{name: getattr(self, name) for name in MEASURES}, **(self.__pydantic_extra__ or {})}

    def overlaid(self, own: dict[str, MetricGoal]) -> Goals:
        """Return the goals where those of one story go before the project's.

        A story that gives no command asks something else of the project's command.
        """
        known = self.by_name
        kept = {
            name: goal.model_copy(update={"command": known[name].command})
            for name, goal in own.items()
            if not goal.command and name in known
        }
        return Goals.model_validate({**known, **own, **kept, "adaptive": self.adaptive})

    @property
    def timed(self) -> dict[str, MetricGoal]:
        """Return the goals for the time of commands, without those that are off."""
        return {
            name: goal
            for name, goal in self.by_name.items()
            if name.startswith(PERFORMANCE) and goal.mode is not GoalMode.OFF
        }


def refuse_senseless(name: str, goal: MetricGoal) -> None:
    """Raise `ValueError` where a goal asks what its metric cannot be."""
    measure = MEASURES.get(name)
    if name.startswith(PERFORMANCE):
        _refuse_timed(name, goal)
        return
    if goal.command or goal.at_most_s is not None:
        raise ValueError(f"{name}: 'command' and 'at_most_s' are for {PERFORMANCE}NAME")
    if goal.mode is GoalMode.OFF:
        return
    if measure is None:
        if goal.target is None:
            raise ValueError(f'{name}: a count of a check needs a target: a number, or "{BASE}"')
        return
    if goal.better is not None:
        raise ValueError(f"{name}: 'better' is for counts of checks; here it is known")
    if goal.target == BASE and not measure.of_base:
        raise ValueError(f"{name}: the base has no such value; the target has to be a number")
    if isinstance(goal.target, float) and not 0 <= goal.target <= (1 if measure.share else float("inf")):
        raise ValueError(f"{name}: a target is {'a share from 0 to 1' if measure.share else '0 or more'}")


def _refuse_timed(name: str, goal: MetricGoal) -> None:
    if not name.removeprefix(PERFORMANCE):
        raise ValueError(f"{name}: the command needs a name, for example {PERFORMANCE}import")
    if goal.better is not None:
        raise ValueError(f"{name}: 'better' is for counts of checks; less time is better")
    if goal.at_most_s is not None and goal.target is not None:
        raise ValueError(f"{name}: give 'target', a ratio to the base, or 'at_most_s', not both")
    if isinstance(goal.target, float) and not goal.target > 0:
        raise ValueError(f"{name}: a target is a ratio to the time at the base, for example {USUAL_RATIO}")


class GoalState(StrEnum):
    """How a goal stands."""

    MET = "met"
    MISSED = "missed"
    NOT_APPLICABLE = "not_applicable"
    """The change has nothing that the goal is about, or too little of it."""
    NOT_MEASURED = "not_measured"
    """No check could measure it."""


class GoalResult(Value):
    """How far one tree is from one goal."""

    name: str
    """The metric."""
    mode: GoalMode
    state: GoalState
    value: float | None = None
    """None where it was not measured."""
    target: float | None = None
    high: bool = True
    """Whether higher values are better."""
    reason: Text = ""
    """Value and target in words, or why there is no value."""
    missing: tuple[Text, ...] = ()
    """What to do to reach it, by name, most important first."""

    @property
    def gated(self) -> bool:
        """Whether it keeps the work from being verified."""
        return self.mode is GoalMode.GATE and self.state in (GoalState.MISSED, GoalState.NOT_MEASURED)

    @property
    def distance(self) -> float:
        """How much is missing, in the units of the value; 0 where it is met, infinite where unknown."""
        if self.state is not GoalState.MISSED:
            return float("inf") if self.gated else 0.0
        if self.value is None or self.target is None:
            return float("inf")
        return abs(self.target - self.value)

    @property
    def told(self) -> str:
        """What a person or a maker is told of it."""
        return f"{self.reason}{': ' if self.missing else ''}{'; '.join(self.missing)}"


def with_share(result: GoalResult, mutants: MutantShare) -> GoalResult:
    """Judge the goal for mutants by those that were tried to prove a change."""
    if result.target is None or not mutants.tried:
        return result
    value = mutants.noticed / mutants.tried
    met = value >= result.target
    words = MEASURES[result.name].words
    survivors = f"add assertions that fail on: {'; '.join(mutants.survivors)}"
    return result.model_copy(
        update={
            "value": value,
            "state": GoalState.MET if met else GoalState.MISSED,
            "reason": f"{words}: {mutants.noticed} of {mutants.tried}, wanted at least {result.target:.0%}",
            "missing": (survivors,) if mutants.survivors and not met else (),
        }
    )
