import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.cover import CoveredFile, CoveredFunction, CoverGoals, CoverReport
from setpoint.model.cover_quality import adapted, instructions, missed, quality, weights_told
from setpoint.model.finding import Severity


def function(name, *, missed_lines=(), lines=4, missed_branches=(), owner="", first=1):
    return CoveredFunction(
        name=name,
        owner=owner,
        first=first,
        last=first + lines,
        complexity=2,
        lines=lines,
        missed_lines=missed_lines,
        branches=2,
        missed_branches=missed_branches,
    )


def report(*functions, tests=None, failing=(), mutation=None, **goals):
    file = CoveredFile(
        file="shop.py",
        lines=sum(each.lines for each in functions),
        missed_lines=tuple(line for each in functions for line in each.missed_lines),
        branches=sum(each.branches for each in functions),
        missed_branches=tuple(branch for each in functions for branch in each.missed_branches),
        functions=functions,
    )
    return CoverReport(
        files=(file,),
        tests={"passed": 4} if tests is None else tests,
        failing=failing,
        mutation=mutation,
        asked=CoverGoals(**goals),
    )


def test_quality_is_that_of_r1():
    half = report(
        function("one"),
        function("two", missed_lines=(1, 2, 3, 4), missed_branches=((1, True), (1, False))),
        tests={"passed": 3, "failed": 1},
    )

    assert half.coverage == 0.5
    assert half.success == 0.75
    assert half.functions == 0.5
    assert half.methods is None
    assert quality(half) == 0.5 * 0.5 + 0.3 * 0.75 + 0.2 * 0.5


def test_what_quality_is_made_of_can_be_weighed_otherwise():
    weights = {"coverage": 1, "success": 0, "complete": 0, "mutation": 3}
    half = report(function("one", missed_lines=(1, 2, 3)), mutation=0.25, weights=weights)

    assert quality(half) == pytest.approx((0.5 + 3 * 0.25) / 4)
    assert weights_told(half.asked.weights) == "25% lines and branches reached, 75% mutants noticed"
    assert quality(half.model_copy(update={"mutation": None})) == 0.5
    nothing = half.model_copy(update={"asked": CoverGoals(weights=dict.fromkeys(weights, 0))})
    assert quality(nothing) is None


def test_without_a_test_nothing_succeeds_and_without_code_nothing_is_measured():
    assert quality(report(function("one"), tests={})) == 0.5 + 0.2
    assert quality(report()) is None
    assert "coverage not measured, asked 80%" in missed(report())


def test_goals_that_are_met_ask_for_nothing():
    good = report(function("one"), mutation=0.9)

    assert missed(good) == ()
    assert instructions(good) == ()


def test_a_mutation_goal_is_compared_with_the_score():
    assert missed(report(function("one"), mutation=0.4)) == ()
    low = report(function("one"), mutation=0.4)
    low = low.model_copy(update={"asked": CoverGoals(mutation=0.5)})
    assert missed(low) == ("mutation score 40.0%, asked 50%",)


def test_a_mutation_goal_without_a_score_is_missed_and_blocks():
    unscored = report(function("one"), mutation=None)
    unscored = unscored.model_copy(
        update={"asked": CoverGoals(mutation=0.5), "unscored": "no test that passes reaches the files"}
    )

    told = "mutation score not measured: no test that passes reaches the files, asked 50%"
    assert missed(unscored) == (told,)
    assert [(each.rule, each.blocking) for each in instructions(unscored)] == [("goals", True)]
    assert missed(unscored.model_copy(update={"asked": CoverGoals()})) == ()


def test_instructions_name_functions_before_methods_before_branches():
    found = instructions(
        report(
            function("subtract", missed_lines=(1, 2, 3, 4), first=10),
            function("Shop.open", owner="Shop", missed_lines=(1, 2, 3, 4), first=20),
            function("greet", missed_branches=((31, True),), missed_lines=(32,), first=30),
            failing=("tests/test_shop.py::test_bad",),
        )
    )

    assert [each.rule for each in found] == ["goals", "failing", "functions", "methods", "branches", "lines"]
    assert all(each.severity is Severity.ERROR for each in found)
    texts = [each.message for each in found]
    assert "coverage" in texts[0]
    assert "test_bad" in texts[1]
    assert texts[2] == "priority 1: add tests for functions that no test calls: subtract"
    assert texts[3] == "priority 2: add tests for methods that no test calls: Shop.open"
    assert texts[4].endswith("greet at line 31 (never entered)")
    assert (found[2].file, found[2].line) == ("shop.py", 10)


def test_what_is_left_is_told_and_does_not_block_where_the_goals_are_met():
    found = instructions(report(function("one", missed_lines=(3,)), coverage=0.5, quality=0.5))

    assert [each.severity for each in found] == [Severity.INFO]


def test_a_file_that_could_not_be_measured_is_told_and_does_not_block():
    partly = report(function("one")).model_copy(update={"skipped": ("old.py: SyntaxError: print",)})

    assert missed(partly) == ()
    (told,) = instructions(partly)
    assert (told.rule, told.blocking) == ("skipped", False)
    assert told.message == "not measured: old.py: SyntaxError: print"


def test_adapted_goals_ask_more_of_simple_code():
    goals = CoverGoals(adaptive=True)

    assert adapted(CoverGoals(), 1.0).coverage == 0.8
    assert adapted(goals, 1.0).coverage == 0.86
    assert adapted(goals, 4.0).coverage == 0.8
    assert adapted(goals, 50.0).coverage == 0.7


@given(st.floats(0, 1), st.floats(1, 1000))
def test_adapted_goals_stay_shares_and_move_ten_points_at_most(goal, complexity):
    found = adapted(CoverGoals(coverage=goal, adaptive=True), complexity).coverage

    assert 0 <= found <= 1
    assert abs(found - goal) <= 0.1005
