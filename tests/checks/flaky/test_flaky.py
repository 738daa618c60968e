"""One rule for flaky tests: who runs again, how often, and what a pass does to the report."""

from collections.abc import Mapping

import pytest

from setpoint.checks.flaky.flaky import (
    MORE_TRIES,
    MOST_RERUN,
    STEADY,
    FlakyRule,
    flaky_tests,
    state_of,
    steadily_green,
)
from setpoint.model.evidence import Cause, CheckState, Failure, Outcome
from setpoint.model.evidence import TestReport as Report


def report(*failing: str, passing: tuple[str, ...] = ("t.py::ok",)) -> Report:
    return Report(
        outcomes={**dict.fromkeys(failing, Outcome.FAILED), **dict.fromkeys(passing, Outcome.PASSED)},
        failures=tuple(Failure(test=test, cause=Cause.ASSERTION, message="no") for test in failing),
        complete=True,
    )


class Reruns:
    """Runs a selection again: a test passes from the given try on."""

    def __init__(self, passes_at: Mapping[str, int], *, breaks_at: int = 99) -> None:
        self.asked: list[tuple[str, ...]] = []
        self._passes_at, self._breaks_at = passes_at, breaks_at

    async def __call__(self, tests: tuple[str, ...]) -> Mapping[str, Outcome] | None:
        self.asked.append(tests)
        tried = len(self.asked)
        if tried == self._breaks_at:
            return None
        passes = {test: tried >= self._passes_at.get(test, 99) for test in tests}
        return {test: Outcome.PASSED if good else Outcome.FAILED for test, good in passes.items()}


async def test_what_passes_alone_is_flaky_and_its_failure_is_dropped() -> None:
    again = Reruns({"a": 2})
    after, last = await FlakyRule(reruns=2).apply(report("a", "b"), None, again)

    assert (again.asked, last) == ([("a", "b"), ("a", "b")], ("a", "b"))
    assert (flaky_tests(after), [each.test for each in after.failures]) == (("a",), ["b"])
    assert (after.red, after.counts) == ({"b"}, {"flaky": 1, "failed": 1, "passed": 1})
    assert (after.outcomes["a"], after.outcomes["b"]) == (Outcome.FLAKY, Outcome.FAILED)


@pytest.mark.parametrize(
    ("rule", "failing", "skip"),
    [
        (FlakyRule(), ("a",), ()),
        (FlakyRule(reruns=0, shaky=frozenset("a")), ("a",), ()),
        (FlakyRule(reruns=2, settled=frozenset("a")), ("a",), ()),
        (FlakyRule(reruns=2), ("a",), ("a",)),
        (FlakyRule(reruns=2), tuple(map(str, range(MOST_RERUN + 1))), ()),
    ],
)
async def test_these_do_not_run_again(rule: FlakyRule, failing: tuple[str, ...], skip) -> None:
    again = Reruns({})
    after, last = await rule.apply(report(*failing), ("x",), again, skip)

    assert (again.asked, after, last) == ([], report(*failing), ("x",))


async def test_a_test_that_was_flaky_at_the_base_gets_more_tries_alone() -> None:
    again = Reruns({"a": 1 + MORE_TRIES})
    after, last = await FlakyRule(reruns=1, shaky=frozenset("a")).apply(report("a", "b"), None, again)

    assert again.asked == [("a", "b"), ("a",), ("a",)]
    assert (flaky_tests(after), last) == (("a",), ("a", "b"))


async def test_a_runner_that_breaks_ends_the_tries_and_excuses_nothing() -> None:
    again = Reruns({"a": 1}, breaks_at=1)
    after, last = await FlakyRule(reruns=3).apply(report("a"), None, again)

    assert (len(again.asked), after, last) == (1, report("a"), None)


def test_the_state_says_flaky_only_where_no_failure_counts() -> None:
    flaky = Report(outcomes={"a": Outcome.FLAKY}, complete=True)
    states = [state_of(report("a")), state_of(flaky), state_of(report())]
    assert states == [CheckState.FAIL, CheckState.FLAKY, CheckState.PASS]
    assert state_of(report("a"), failing=False) is CheckState.PASS


async def test_only_a_pass_in_every_run_at_the_base_is_steady() -> None:
    again = Reruns({"a": 1, "b": 2})
    assert await steadily_green(("a", "b"), again) == {"a"}
    assert again.asked == [("a", "b"), *[("a",)] * (STEADY - 1)]
    assert await steadily_green(("a",), Reruns({"a": 1}, breaks_at=STEADY)) == frozenset()
