"""The best state of a run, and whether it may replace the base."""

from hypothesis import given
from hypothesis import strategies as st

from phase.policy.rounds import BASE, a_past, a_round, finding
from setpoint.model.evaluation import Stage
from setpoint.model.finding import Severity
from setpoint.phase.policy.best_state import best_first, no_worse_than_base, rank, worth_delivering
from setpoint.testing import Scene, evaluation

NAMES = ("t::a", "t::b", "t::c", "t::d")
SCENES = st.builds(
    Scene,
    score=st.none() | st.floats(0, 1),
    failing=st.lists(st.sampled_from(NAMES), unique=True, min_size=1).map(tuple),
    findings=st.sampled_from([(), (finding(),), (finding("one"), finding("two"))]),
)


def measured(*failing, **more):
    return evaluation(Stage.TEST, "commit-1", "tree-1", Scene(failing=failing, **more))


@given(scenes=st.lists(SCENES, min_size=2, max_size=6))
def test_more_red_tests_never_rank_above_fewer(scenes):
    rounds = [a_round(number, scene) for number, scene in enumerate(scenes, start=1)]
    ordered = best_first(a_past(*rounds))
    reds = [len(past.tests.failures) for past in ordered]
    assert sorted(past.number for past in ordered) == [past.number for past in rounds]
    assert reds == sorted(reds)


def test_ranks_are_lexicographic():
    rounds = [
        a_round(1, Scene(failing=NAMES[:2], score=0.99)),
        a_round(2, Scene(failing=NAMES[:1], score=0.10, findings=(finding("one"), finding("two")))),
        a_round(3, Scene(failing=NAMES[:1], score=0.10, findings=(finding(),))),
        a_round(4, Scene(failing=NAMES[:1], score=0.20, findings=(finding(),))),
        a_round(5, Scene(failing=NAMES[:1], score=0.20, findings=(finding(),))),
        a_round(6, Scene(score=0.01)),
    ]
    assert [past.number for past in best_first(a_past(*rounds))] == [6, 5, 4, 3, 2, 1]
    assert rank(rounds[5])[0] is True


def test_a_tie_goes_to_the_smaller_change_then_to_the_later_one():
    sizes = {1: 40, 2: 12, 3: 90, 4: 12}
    rounds = [
        a_round(number, Scene(failing=NAMES[:1])).model_copy(update={"lines": lines})
        for number, lines in sizes.items()
    ]
    assert [past.number for past in best_first(a_past(*rounds))] == [4, 2, 1, 3]


def test_scores_are_compared_by_what_every_round_measured():
    """The first round scores higher as a whole, because nobody measured its coverage."""
    early = a_round(
        1, Scene(failing=NAMES[:1], findings=(finding("x", severity=Severity.WARNING),)), reached=False
    )
    late = a_round(2, Scene(failing=NAMES[:1], coverage=0.1))
    smaller = [each.model_copy(update={"lines": lines}) for each, lines in ((early, 50), (late, 10))]
    assert early.latest.score > late.latest.score
    assert [past.number for past in best_first(a_past(*smaller))] == [2, 1]


def test_a_broken_tool_is_worse_than_a_working_one():
    broken, whole = a_round(2, Scene(broken=("coverage",))), a_round(1, Scene(findings=(finding(),)))
    assert best_first(a_past(whole, broken))[0] is whole


def test_a_round_without_a_change_is_no_candidate():
    assert best_first(a_past(a_round(1, diff=""))) == ()


def test_nothing_is_delivered_that_breaks_what_worked():
    assert no_worse_than_base(measured("t::a"), BASE)
    assert not no_worse_than_base(measured("t::new"), BASE)
    assert not no_worse_than_base(measured(findings=(finding(),)), BASE)
    assert not no_worse_than_base(measured(broken=("pytest",)), BASE)


def test_tolerated_red_is_not_new():
    base = BASE.model_copy(update={"known_red": ("t::known",)})
    assert no_worse_than_base(measured("t::known"), base)


def test_fewer_red_tests_are_worth_delivering():
    assert worth_delivering(a_round(1, Scene(failing=("t::a",))), BASE)
    assert not worth_delivering(a_round(1, Scene(failing=("t::a", "t::b"))), BASE)
    assert not worth_delivering(a_round(1, Scene(failing=("t::new",))), BASE)


def test_where_nothing_was_red_a_harmless_change_is_offered():
    green = evaluation(Stage.BASE, "base", "tree", Scene())
    assert worth_delivering(a_round(1, review=(finding(severity=Severity.ERROR),)), green)
    assert not worth_delivering(a_round(1, Scene(failing=("t::new",))), green)


def test_what_is_critical_is_never_offered():
    assert not worth_delivering(a_round(1, review=(finding(severity=Severity.CRITICAL),)), BASE)
