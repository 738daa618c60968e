"""What counts of a test that runs as it was at the base and as it is now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from setpoint.checks.old_tests.joined import GREEN, QUIET, Versions
from setpoint.checks.old_tests.lost import lost
from setpoint.model import evidence
from setpoint.model.evidence import Cause, Failure, Outcome

PASSED, FAILED, ERROR, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED
A, B = "tests/test_a.py::test_a", "tests/test_b.py::test_b"


def report(*, complete: bool = True, cause: Cause = Cause.ASSERTION, **outcomes: Outcome):
    """Make a report of tests `a` and `b`, and of their files `file_a` and `file_b`."""
    names = {"a": A, "b": B, "file_a": "tests/test_a.py", "file_b": "tests/test_b.py"}
    found = {names.get(name, name): outcome for name, outcome in outcomes.items()}
    failures = tuple(
        Failure(test=test, cause=cause, message="no") for test, outcome in found.items() if outcome.red
    )
    return evidence.TestReport(outcomes=found, failures=failures, complete=complete)


def joined(base, old, now, **how):
    """Put three reports together."""
    return Versions(base=base, old=old, now=now, **how).joined()


def only_a(test: str) -> bool:
    return test.startswith("tests/test_a.py")


def test_a_test_that_passes_as_it_was_is_what_it_is_now() -> None:
    for now in (PASSED, FAILED, SKIPPED):
        made = joined(report(a=PASSED), report(a=PASSED), report(a=now))
        assert (made.outcomes, made.contradicted) == ({A: now}, ())


def test_a_file_that_does_not_load_as_it_was_is_contradicted_in_each_test() -> None:
    made = joined(report(a=PASSED, b=PASSED), report(file_a=ERROR, b=PASSED), report(a=PASSED), again=only_a)

    assert (made.outcomes, made.contradicted, made.failures) == ({A: PASSED, B: PASSED}, (A,), ())


def test_an_untouched_file_that_does_not_load_is_a_failure() -> None:
    made = joined(report(a=PASSED, b=PASSED), report(file_b=ERROR, a=PASSED), report(a=PASSED), again=only_a)

    assert made.red == {"tests/test_b.py"}
    assert [each.message for each in made.failures] == ["no"]
    assert lost(report(a=PASSED, b=PASSED), made) == ()


def test_a_test_that_settings_leave_out_of_an_untouched_file_counts_as_it_was() -> None:
    base = report(a=PASSED, b=PASSED)

    fails = joined(base, report(a=PASSED, b=FAILED), report(a=PASSED), edited=only_a)
    passes = joined(base, report(a=PASSED, b=PASSED), report(a=PASSED), edited=only_a)
    unloaded = joined(base, report(a=PASSED, file_b=ERROR), report(a=PASSED), edited=only_a)

    assert (fails.red, fails.contradicted) == ({B}, ())
    assert lost(base, passes) == ()
    assert unloaded.red == {"tests/test_b.py"}


def test_what_cannot_run_as_it_was_at_all_is_contradicted_where_it_passes_now() -> None:
    made = joined(report(a=PASSED, b=PASSED), None, report(a=PASSED, b=FAILED))

    assert (made.contradicted, made.red) == ((A,), {B})


def test_a_build_that_fails_as_it_was_says_nothing_of_single_tests() -> None:
    base = evidence.TestReport(outcomes={"src/lib.rs::one": PASSED, "tests/api.rs::two": PASSED})
    old = report(complete=False, cause=Cause.SYNTAX, **{"tests/api.rs": ERROR})

    made = joined(base, old, base)

    assert (set(made.contradicted), made.red) == (set(base.outcomes), frozenset())


OUTCOMES = st.sampled_from([PASSED, FAILED, ERROR, SKIPPED, Outcome.XFAILED, Outcome.FLAKY])
REPORTS = st.dictionaries(st.sampled_from(["a", "b"]), OUTCOMES).map(lambda outcomes: report(**outcomes))


@given(base=REPORTS, old=REPORTS, now=REPORTS, anywhere=st.booleans())
def test_nothing_that_failed_as_it_was_is_excused_without_a_passing_version(base, old, now, anywhere) -> None:
    made = joined(base, old, now, **({} if anywhere else {"again": only_a}))

    for test in (each for each in old.red if base.outcomes.get(each, SKIPPED) not in QUIET):
        excused = test in made.contradicted
        assert excused is (test not in made.red)
        assert not excused or (base.outcomes[test] in GREEN and now.outcomes.get(test, PASSED) in GREEN)
    assert {each.test for each in made.failures} == made.red
    assert now.red <= made.red
    silent = {
        test
        for test in base.outcomes
        if base.outcomes[test] in GREEN
        and made.outcomes.get(test) in QUIET
        and old.outcomes.get(test) in QUIET
    }
    assert silent <= {*lost(base, made)}
