"""Goals that a person sets for one run: read from flags, said at the start, measured where they are gates."""

from __future__ import annotations

import re

from pydantic import TypeAdapter, ValidationError

from setpoint.errors import UsageError
from setpoint.model.goals import BASE, MEASURES, PERFORMANCE, USUAL_RATIO, Goal, GoalMode, Goals, MetricGoal
from setpoint.model.stories.story import Story
from setpoint.settings import Settings

_HINT = (
    "write METRIC=gate, METRIC=advice, METRIC=off, METRIC=0.8 or METRIC=base; "
    f"metrics: {', '.join(MEASURES)}, and CHECK.COUNT; "
    f"for the time of a command {PERFORMANCE}NAME='COMMAND'"
)
_NUMBER = re.compile(r"[\d.]+%?")
_MODES = tuple(str(mode) for mode in GoalMode)


def goals_of(given: tuple[str, ...]) -> dict[str, MetricGoal]:
    """Read goals as flags spell them, for example `diff_coverage=gate` or `mutation=0.7`."""
    found: dict[str, MetricGoal] = {}
    for text in given:
        name, equals, value = text.partition("=")
        try:
            if not equals:
                raise ValueError(f"'{text}' names no value")
            found[name.strip()] = _goal(name.strip(), value.strip())
            Goals.model_validate(found)
        except ValidationError as error:
            raise UsageError(f"--goal {text}: {error.errors()[0]['msg']}", hint=_HINT) from None
        except ValueError as error:
            raise UsageError(f"--goal {text}: {error}", hint=_HINT) from None
    return found


def _goal(name: str, value: str) -> MetricGoal:
    if value == BASE:
        return MetricGoal(mode=GoalMode.GATE, target=BASE)
    if name.startswith(PERFORMANCE) and value not in _MODES and not _NUMBER.fullmatch(value):
        return MetricGoal(mode=GoalMode.GATE, command=value)
    try:
        given: str | float = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        given = value
    made: MetricGoal = TypeAdapter(Goal).validate_python(given)
    return made


def goal_notes(goals: Goals, story: Story) -> tuple[str, ...]:
    """Say which goals the run has, those that are gates first; refuse a time of no command."""
    for name, goal in goals.overlaid(story.goals).timed.items():
        if not goal.command:
            hint = f"name it in setpoint.toml: [goals.{name}] command = \"...\", or --goal {name}='COMMAND'"
            raise UsageError(f"the goal {name} names no command whose time is measured", hint=hint)
    asked = [(name, each) for name, each in goals.overlaid(story.goals).by_name.items()]
    told = [
        f"{name} ({mode}, {_target(name, each)})"
        for mode in (GoalMode.GATE, GoalMode.ADVICE)
        for name, each in asked
        if each.mode is mode
    ]
    return (f"goals: {', '.join(told)}",) if told else ()


def _target(name: str, goal: MetricGoal) -> str:
    if name.startswith(PERFORMANCE):
        return _time(goal)
    measure = MEASURES.get(name)
    target = goal.target if goal.target is not None or measure is None else measure.target
    if target == BASE or target is None:
        return "no worse than the base"
    high = measure.high if measure else goal.better == "high"
    number = f"{float(target):.0%}" if measure and measure.share else f"{float(target):g}"
    own = name == "diff_coverage" and goal.target is None
    return f"{'at least' if high else 'at most'} {number}{', or as the touched files had' if own else ''}"


def _time(goal: MetricGoal) -> str:
    if goal.at_most_s is not None:
        return f"`{goal.command}` in at most {goal.at_most_s:g} s"
    if goal.target == BASE:
        return f"`{goal.command}` no slower than at the base"
    return f"`{goal.command}` in at most {float(goal.target or USUAL_RATIO):g} times the time of the base"


def measuring_goals(settings: Settings, story: Story) -> Settings:
    """Switch on the mutation score where it is a gate: nothing else measures it."""
    wanted = settings.goals.overlaid(story.goals).mutation.mode is GoalMode.GATE
    if not wanted or settings.checks.mutation:
        return settings
    return settings.model_copy(update={"checks": settings.checks.model_copy(update={"mutation": True})})
