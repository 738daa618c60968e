"""The time of a command is compared with the base by runs in turn, and noise is not a miss."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain_pytest import PLAIN
from setpoint.app.runs.asked_goals import goal_notes, goals_of
from setpoint.checks.goals.timing import Timing, middle, within
from setpoint.errors import UsageError
from setpoint.model.evaluation import Stage
from setpoint.model.goals import Goals, GoalState
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.settings import ChecksSettings

PLAIN_LOOP = "def total(prices):\n    return sum(prices)\n"
SLOW_LOOP = "import time\n\n\ndef total(prices):\n    time.sleep(0.15)\n    return sum(prices)\n"
BENCH = "from shop import total\n\ntotal(range(10))\n"
BASE = {
    "shop.py": PLAIN_LOOP,
    "bench.py": BENCH,
    "test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
}


def drawn(seed, factor, count=15, noise=0.2):
    chance = random.Random(seed)
    base = [0.1 * chance.lognormvariate(0, noise) for _ in range(count)]
    return Timing(base=tuple(base), now=tuple(0.1 * factor * chance.lognormvariate(0, noise) for _ in base))


def test_equal_times_are_seldom_told_apart_and_double_ones_nearly_always_are() -> None:
    wrong = sum(not within(drawn(seed, 1.0), 1.0) for seed in range(1000))
    seen = sum(not within(drawn(seed, 2.0), 1.05) for seed in range(1000))
    assert wrong <= 20
    assert seen >= 990


def test_faster_has_to_be_shown() -> None:
    assert sum(within(drawn(seed, 1.0), 0.8) for seed in range(1000)) <= 10
    assert sum(within(drawn(seed, 0.5), 0.8) for seed in range(1000)) >= 990


def test_a_command_that_is_slow_in_some_runs_misses_its_limit() -> None:
    base = (0.1,) * 15
    assert not within(Timing(base=base, now=(0.1, 0.3) * 7 + (0.1,)), 1.05)


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=40))
def test_the_interval_holds_the_median(values) -> None:
    found = middle(values)
    assert min(values) <= found.low <= found.value <= found.high <= max(values)


async def timed(bench, files, *goals):
    plain = ChecksSettings(bandit=False, coverage=False, reruns=0, pytest_args=PLAIN)
    made = await bench(BASE, settings=plain)
    story = made.order.story.model_copy(update={"goals": goals_of(goals)})
    made.order = made.order.model_copy(update={"story": story})
    first = await made.measure(Stage.BASE)
    await made.change(files)
    full = await made.measure(Stage.TEST)
    return first, next(each for each in full.goals if each.name == "performance.total")


async def test_a_slower_command_is_missed_and_the_changed_function_is_named(bench) -> None:
    first, goal = await timed(bench, {"shop.py": SLOW_LOOP}, "performance.total=python bench.py")
    assert not first.goals
    assert goal.state is GoalState.MISSED
    assert goal.missing == ("make faster what the command runs of the changed code: shop.py: total",)
    assert "wanted at most 1.05 times" in goal.reason


async def test_seconds_can_be_asked_for(bench) -> None:
    changed = {"shop.py": PLAIN_LOOP.replace("sum(prices)", "sum(prices, 0)")}
    asked = {"command": "python bench.py", "at_most_s": 60.0}
    plain = ChecksSettings(bandit=False, coverage=False, reruns=0, pytest_args=PLAIN)
    made = await bench(BASE, settings=plain)
    goals = Goals.model_validate({"performance": {"total": asked}}).timed
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"goals": goals})})
    await made.measure(Stage.BASE)
    await made.change(changed)
    full = await made.measure(Stage.TEST)
    goal = next(each for each in full.goals if each.name == "performance.total")
    assert (goal.state, goal.target) == (GoalState.MET, 60.0)


async def test_a_command_that_fails_at_the_base_is_found_there(bench) -> None:
    first, _ = await timed(bench, {"shop.py": SLOW_LOOP}, "performance.total=python none.py")
    assert [(each.name, each.gated) for each in first.goals] == [("performance.total", True)]
    assert "`python none.py` fails at the base" in first.goals[0].reason


async def test_a_command_that_the_work_breaks_is_a_miss(bench) -> None:
    _, goal = await timed(
        bench, {"shop.py": "def sums():\n    return 1\n"}, "performance.total=python bench.py"
    )
    assert goal.state is GoalState.MISSED
    assert "fails on the changed code" in goal.reason


async def test_a_file_that_the_command_leaves_helps_no_later_run(bench) -> None:
    cached = (
        "import pathlib\nimport time\n\n\ndef total(prices):\n    kept = pathlib.Path('kept')\n"
        "    if not kept.exists():\n        time.sleep(0.15)\n        kept.touch()\n    return sum(prices)\n"
    )
    _, goal = await timed(bench, {"shop.py": cached}, "performance.total=python bench.py")
    assert goal.state is GoalState.MISSED


def test_a_time_of_no_command_is_refused() -> None:
    story = Story(id=StoryId("s"), title="s", goals=goals_of(("performance.total=gate",)))
    with pytest.raises(UsageError, match="names no command"):
        goal_notes(Goals(), story)
    known = Goals.model_validate({"performance": {"total": {"command": "make bench", "mode": "off"}}})
    assert "`make bench` in at most 1.05 times" in goal_notes(known, story)[0]
    assert known.overlaid(story.goals).timed["performance.total"].command == "make bench"


@pytest.mark.parametrize(
    "wrong",
    [
        {"coverage": {"command": "make"}},
        {"performance": {"a": {"command": "make", "target": 1.1, "at_most_s": 1}}},
        {"performance": {"a": {"command": "make", "target": 0}}},
        {"performance": {"a": {"command": "make", "better": "low"}}},
    ],
)
def test_senseless_goals_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match=r"performance|coverage"):
        Goals.model_validate(wrong)
