"""Goals are judged on measured trees: what is missing is named, and what cannot be judged says why."""

from __future__ import annotations

import pytest

from plain_pytest import PLAIN
from setpoint.app.runs.asked_goals import goal_notes, goals_of, measuring_goals
from setpoint.checks.goals.missing import functions_of_file
from setpoint.errors import UsageError
from setpoint.model.evaluation import Stage
from setpoint.model.goals import Goals, GoalState, with_share
from setpoint.model.mutation import MutantShare
from setpoint.settings import ChecksSettings, Settings

BASE = {
    "shop.py": "def old(price):\n    if price > 1:\n        return price\n    return 0\n",
    "tests/test_shop.py": "from shop import old\n\n\ndef test_old():\n    assert old(5) == 5\n",
}
ADDED = """

def lowered(price, percent):
    if percent < 0:
        raise ValueError(percent)
    return price - price * percent / 100


def label(price):
    if price > 100:
        return "dear"
    return "cheap"
"""
TEST = "from shop import lowered\n\n\ndef test_lowered():\n    assert lowered(100, 10) == 90\n"


def settings(**more):
    plain = {"bandit": False, "coverage": True, "reruns": 0, "pytest_args": PLAIN}
    return ChecksSettings(**{**plain, **more})


async def judged(bench, goals, files, checks=None):
    made = await bench(BASE, settings=checks or settings())
    asked = goals_of(goals)
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"goals": asked})})
    await made.measure(Stage.BASE)
    await made.change(files)
    full = await made.measure(Stage.TEST)
    return full, {each.name: each for each in full.goals}


async def test_a_function_that_is_too_complicated_for_the_target_is_named(bench) -> None:
    _, goals = await judged(bench, ("complexity=1",), {"shop.py": BASE["shop.py"] + ADDED})
    assert goals["complexity"].state is GoalState.MISSED
    assert goals["complexity"].missing == ("split: shop.py: lowered, shop.py: label",)


async def test_a_gate_for_mutants_that_no_time_was_left_for_is_not_met(bench) -> None:
    slow = (
        "import time\nfrom shop import label\n\n\ndef test_label():\n    time.sleep(3)\n    assert label(1)\n"
    )
    changed = {"shop.py": BASE["shop.py"] + ADDED, "tests/test_label.py": slow}
    checks = settings(mutation=True, mutation_budget_s=1)
    _, goals = await judged(bench, ("mutation=0.5",), changed, checks)
    assert (goals["mutation"].state, goals["mutation"].gated) == (GoalState.NOT_MEASURED, True)


async def test_a_gate_for_mutants_does_not_apply_where_no_code_is_changed(bench) -> None:
    _, goals = await judged(bench, ("mutation=0.5",), {"notes.md": "no code\n"}, settings(mutation=True))
    assert goals["mutation"].state is GoalState.NOT_APPLICABLE


async def test_missing_coverage_is_named_by_function_and_line(bench) -> None:
    changed = {"shop.py": BASE["shop.py"] + ADDED, "tests/test_lowered.py": TEST}
    full, goals = await judged(bench, ("diff_coverage=0.9", "coverage=base", "documentation=gate"), changed)

    covered = goals["diff_coverage"]
    assert (covered.state, covered.gated) == (GoalState.MISSED, True)
    assert covered.value == 0.5
    assert covered.missing == (
        "priority 1: add tests for functions that no test calls: shop.py: label",
        "priority 2: add tests for lines that no test reaches: shop.py: lowered (lines 9)",
    )
    assert goals["coverage"].state is GoalState.MISSED
    assert "as at the base" in goals["coverage"].reason
    assert goals["documentation"].missing == ("write docstrings for: shop.py: lowered, shop.py: label",)
    assert not full.blocking  # a gate goes back to the maker by itself


@pytest.mark.parametrize(
    ("changed", "target"),
    [
        ({"shop.py": BASE["shop.py"] + ADDED}, 0.75),  # 3 of 4 lines of shop.py
        ({"fees.py": ADDED.lstrip()}, 0.8),
    ],
)
async def test_the_own_target_of_changed_lines_is_what_the_files_had(bench, changed, target) -> None:
    _, goals = await judged(bench, ("diff_coverage=gate",), changed)
    assert goals["diff_coverage"].target == pytest.approx(target)


async def test_few_changed_lines_are_not_judged(bench) -> None:
    few = {"shop.py": BASE["shop.py"].replace("return 0", "return 1")}
    _, goals = await judged(bench, ("diff_coverage=gate",), few)
    assert goals["diff_coverage"].state is GoalState.NOT_APPLICABLE
    assert not goals["diff_coverage"].gated


async def test_advice_becomes_a_finding_that_blocks_nothing(bench) -> None:
    many = {"shop.py": BASE["shop.py"] + ADDED}
    full, goals = await judged(bench, ("diff_coverage=advice", "pytest.passed=3"), many)
    assert [(each.rule, each.blocking) for each in full.findings if each.source == "goals"] == [
        ("diff_coverage", False)
    ]
    assert goals["pytest.passed"].state is GoalState.MET  # counts of checks are better where they are low


async def test_a_gate_that_no_check_measures_is_known_at_the_base(bench) -> None:
    made = await bench(BASE, settings=settings(coverage=False))
    asked = goals_of(("diff_coverage=gate", "bundle.bytes=100", "documentation=gate"))
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"goals": asked})})
    base = await made.measure(Stage.BASE)
    assert [each.name for each in base.goals] == ["diff_coverage", "bundle.bytes"]
    assert "no check called bundle was made" in base.goals[1].reason


def test_goals_are_read_as_people_write_them() -> None:
    given = goals_of(("diff_coverage=gate", "mutation=70%", "coverage=base", "complexity=8", "types=off"))
    goals = Goals().overlaid(given)
    assert (goals.diff_coverage.mode, goals.diff_coverage.target) == ("gate", None)
    assert (goals.mutation.target, goals.coverage.target, goals.complexity.target) == (0.7, "base", 8)
    assert goals.types.mode == "off"
    for wrong in ("diff_coverage", "beauty=gate", "coverage=1.5", "mutation=base", "types=maybe"):
        with pytest.raises(UsageError, match=f"--goal {wrong}"):
            goals_of((wrong,))


def test_what_a_run_asks_is_said_and_measured() -> None:
    from setpoint.model.ids import StoryId
    from setpoint.model.stories.story import Story

    story = Story(id=StoryId("s"), title="t", goals=goals_of(("mutation=0.7",)))
    (note,) = goal_notes(Goals(), story)
    assert note.startswith("goals: mutation (gate, at least 70%), diff_coverage (advice, at least 80%")
    assert measuring_goals(Settings(), story).checks.mutation
    assert not measuring_goals(Settings(), story.model_copy(update={"goals": {}})).checks.mutation


def test_mutants_that_were_tried_for_the_proof_judge_the_goal() -> None:
    from setpoint.model.goals import GoalMode, GoalResult

    open_goal = GoalResult(name="mutation", mode=GoalMode.ADVICE, state=GoalState.NOT_MEASURED, target=0.8)
    share = MutantShare(noticed=4, tried=10, survivors=("shop.py:3 as return 1",))
    judged = with_share(open_goal, share)
    assert (judged.state, judged.value) == (GoalState.MISSED, 0.4)
    assert judged.missing == ("add assertions that fail on: shop.py:3 as return 1",)
    assert with_share(open_goal, share.model_copy(update={"noticed": 9})).state is GoalState.MET


SCRIPT = """export class Shop {
  label(price: number): string {
    // what people read
    return price > 100 ? "dear" : "cheap";
  }
}

export const lowered = (price: number) => {
  return price / 2;
};
"""


def test_functions_of_other_languages_are_named_with_the_line_that_every_call_enters() -> None:
    assert list(functions_of_file("shop.ts", SCRIPT)) == [("Shop.label", 2, 5, 4), ("lowered", 8, 10, 9)]
    go = "package shop\n\nfunc (s *Shop) Label() string {\n\treturn s.name\n}\n"
    assert [each[1:] for each in functions_of_file("shop.go", go)] == [(3, 5, 4)]
    assert list(functions_of_file("shop.css", "a {}")) == []


TYPESCRIPT = {"src/shop.ts": "export function old(price: number): number {\n  return price;\n}\n"}


async def test_what_is_measured_in_python_alone_is_refused_at_a_base_without_python(bench) -> None:
    made = await bench(TYPESCRIPT, settings=settings(mutation=True))
    asked = goals_of(("complexity=gate", "documentation=gate", "types=gate", "mutation=gate", "tests=1"))
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"goals": asked})})
    first = await made.measure(Stage.BASE)
    told = {each.name: each.reason for each in first.goals if each.gated}
    assert set(told) == {"complexity", "documentation", "types", "mutation"}
    assert "measured in Python alone, and no code here is Python" in told["types"]
    assert "mutants are judged with pytest alone" in told["mutation"]


async def test_definitions_in_blocks_and_docstrings_without_words_are_judged(bench) -> None:
    inside = "\n".join(f"    {line}" if line else "" for line in ADDED.strip().splitlines())
    said = 'def dear(price):\n    """."""\n    return price > 9\n'
    changed = {"shop.py": f"{BASE['shop.py']}\n\nif True:\n{inside}\n\n\n{said}"}
    _, goals = await judged(bench, ("documentation=gate", "types=gate"), changed)
    assert goals["documentation"].missing == (
        "write docstrings for: shop.py: lowered, shop.py: label, shop.py: dear",
    )
    assert goals["types"].value == 0
