from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from setpoint.checks.baseline import new_findings, red_tests
from setpoint.model import evidence
from setpoint.model.evidence import Cause, Failure, Outcome
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import KnownRed

FINDINGS = st.builds(
    Finding,
    source=st.just("ruff"),
    rule=st.sampled_from(["F401", "E501"]),
    severity=st.just(Severity.WARNING),
    category=st.just(Category.STYLE),
    message=st.sampled_from(["unused", "too long"]),
    file=st.sampled_from(["a.py", "b.py"]),
    line=st.integers(1, 99),
)
LISTS = st.lists(FINDINGS, max_size=12)


def counted(findings) -> Counter[str]:
    return Counter(finding.fingerprint for finding in findings)


@given(now=LISTS, base=LISTS)
def test_new_is_what_there_is_more_of(now, base) -> None:
    new = new_findings(now, base)

    assert counted(new) == counted(now) - counted(base)
    assert all(finding in now for finding in new)


@given(base=LISTS, more=LISTS)
def test_what_stood_is_never_new_wherever_it_moved(base, more) -> None:
    moved = [finding.model_copy(update={"line": finding.line + 7}) for finding in base]

    assert new_findings(moved, base) == ()
    assert counted(new_findings([*moved, *more], base)) == counted(more)


def failure(test: str, cause: Cause = Cause.ASSERTION) -> Failure:
    return Failure(test=test, cause=cause, message="x")


def report(**causes: Cause) -> evidence.TestReport:
    return evidence.TestReport(
        outcomes=dict.fromkeys(causes, Outcome.FAILED),
        failures=tuple(failure(test, cause) for test, cause in causes.items()),
    )


def test_which_red_tests_count() -> None:
    base = report(old=Cause.ASSERTION, net=Cause.ENVIRONMENT)
    now = report(old=Cause.ASSERTION, net=Cause.ENVIRONMENT, new=Cause.RUNTIME)

    tolerated = red_tests(now, base, KnownRed.TOLERATE)
    fixed = red_tests(now, base, KnownRed.FIX)

    assert [each.test for each in tolerated.failures] == ["new"]
    assert tolerated.known == ("old", "net")
    assert [each.test for each in fixed.failures] == ["old", "new"]
    assert fixed.known == ("net",)


def test_tests_of_a_file_that_could_not_be_collected_were_red_too() -> None:
    base = evidence.TestReport(outcomes={"t.py": Outcome.ERROR}, failures=(failure("t.py"),))
    now = evidence.TestReport(outcomes={"t.py::a": Outcome.FAILED}, failures=(failure("t.py::a"),))

    assert red_tests(now, base, KnownRed.TOLERATE).known == ("t.py::a",)


def test_a_test_that_was_to_be_mended_and_passes_only_at_the_second_try_counts():
    red = Failure(test="t::a", cause=Cause.ASSERTION, message="no")
    base = evidence.TestReport(outcomes={"t::a": Outcome.FAILED}, failures=(red,))
    now = evidence.TestReport(outcomes={"t::a": Outcome.FLAKY})
    assert [each.test for each in red_tests(now, base, KnownRed.FIX).failures] == ["t::a"]
    assert red_tests(now, base, KnownRed.TOLERATE).failures == ()
