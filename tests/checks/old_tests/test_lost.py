"""Tests of the base that do not run any more, matched by identifier, or else by function and count."""

from __future__ import annotations

from setpoint.checks.baseline import red_tests, unstable_failures
from setpoint.checks.old_tests.lost import lost
from setpoint.model import evidence
from setpoint.model.evidence import Cause, Failure, Outcome, whole_suite
from setpoint.model.stories.story import KnownRed

PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
X = "tests/test_a.py::test_x"


def passing(*tests: str, **more: object) -> evidence.TestReport:
    return evidence.TestReport(outcomes=dict.fromkeys(tests, PASSED), **more)


def failing(*tests: str, cause: Cause = Cause.ASSERTION) -> evidence.TestReport:
    failures = tuple(Failure(test=test, cause=cause, message="no") for test in tests)
    return evidence.TestReport(outcomes=dict.fromkeys(tests, FAILED), failures=failures)


def test_parameters_may_have_other_names_each_time() -> None:
    base = passing(f"{X}[10:01]", f"{X}[10:02]", f"{X}[10:03]")

    assert lost(base, passing(f"{X}[11:01]", f"{X}[11:02]", f"{X}[10:03]")) == ()
    assert lost(base, passing(f"{X}[11:01]", f"{X}[10:03]")) == (f"{X}[10:02]",)


def test_subtests_and_scripts_are_matched_as_well() -> None:
    assert lost(passing("shop::TestTotal/at_10:01"), passing("shop::TestTotal/at_10:02")) == ()
    assert lost(passing("a.test.js::at > 10:01"), passing("a.test.js::at > 10:02")) == ()
    assert lost(passing("a.test.js::at > 10:01"), passing("b.test.js::at > 10:02")) != ()


def test_what_ran_as_it_was_is_not_lost() -> None:
    now = passing("tests/test_b.py::test_y", as_they_were={X: PASSED})

    assert lost(passing(X), now) == ()


def test_skipped_tests_are_lost_and_failing_files_are_not() -> None:
    skipped = evidence.TestReport(outcomes={X: SKIPPED})
    broken = evidence.TestReport(outcomes={"tests/test_a.py": Outcome.ERROR})

    assert lost(passing(X), skipped) == (X,)
    assert lost(passing(X), skipped.model_copy(update={"as_they_were": {X: PASSED}})) == ()
    assert lost(passing(X), broken) == ()
    assert lost(skipped, evidence.TestReport(outcomes={})) == ()


def test_what_is_unstable_contradicted_or_an_example_of_code_is_not_lost() -> None:
    empty = evidence.TestReport(outcomes={})

    assert lost(passing(X, unstable=(X,)), empty) == ()
    assert lost(passing(X), evidence.TestReport(outcomes={}, contradicted=(X,))) == ()
    assert lost(passing("src/shop.py::shop.price", "doc src/lib.rs - price (line 3)"), empty) == ()
    assert lost(passing(X), evidence.TestReport(outcomes={}, complete=False)) == ()


def test_runners_are_put_together_with_how_their_tests_were() -> None:
    python = passing(as_they_were={X: PASSED}, contradicted=("y",), unstable=("z",))
    whole = whole_suite([python, passing("a.test.js::one")])

    assert whole is not None
    assert whole.as_they_were == {X: PASSED, "a.test.js::one": PASSED}
    assert (whole.contradicted, whole.unstable) == (("y",), ("z",))
    assert whole.with_outcome((), PASSED) == whole


def test_a_test_that_failed_in_one_run_of_the_base_alone_blames_nobody() -> None:
    base = passing(X, unstable=(X,))

    assert red_tests(failing(X), base, KnownRed.TOLERATE).failures == ()
    assert red_tests(failing(X), base, KnownRed.FIX).known == (X,)
    assert red_tests(failing(X), passing(X), KnownRed.TOLERATE).failures != ()


def test_of_tests_with_other_names_each_time_as_many_may_fail_as_at_the_base() -> None:
    one, other, third = f"{X}[10:01]", f"{X}[10:02]", f"{X}[10:03]"
    stood, red = passing(one, unstable=(one, other)), failing(one)
    red = red.changed(unstable=(one, other))

    assert unstable_failures(failing(other), red) == {other}
    assert unstable_failures(failing(other), stood) == frozenset()
    assert unstable_failures(failing(other, third), red) == frozenset()


def test_a_test_that_failed_at_the_base_is_asked_by_its_name() -> None:
    base = failing(X).changed(unstable=(X,))

    assert [each.test for each in red_tests(failing(X), base, KnownRed.FIX).failures] == [X]
    assert red_tests(failing(X), base, KnownRed.TOLERATE).known == (X,)
