"""Which tests of the base do not run any more."""

from __future__ import annotations

from collections import Counter

from setpoint.checks.baseline import family
from setpoint.checks.old_tests.joined import GREEN, QUIET, above
from setpoint.checks.old_tests.places import collected
from setpoint.model.evidence import TestReport


def lost(base: TestReport, now: TestReport) -> tuple[str, ...]:
    """Name tests that passed at the base and do not run on the result; for a report of a selection, none.

    A test runs where it runs as it was at the base, whatever the change made of it: one that is edited,
    moved, skipped or deleted is not lost. One that is skipped as it was, or expected to fail, is. Parameters
    may have other names each time, so missing tests are matched with as many unknown ones of the same
    function. Left out are
    tests that are unstable at the base, contradicted, failing together with their file, and examples in
    docstrings, which belong to the code. Each name returned is meant to become a blocking finding of category
    integrity: "N tests of the base do not run any more: ...".

    Args:
        base: What all runners gave at the base.
        now: What all runners gave on the result; `as_they_were` holds the tests as they were at the base.

    """
    if not now.complete:
        return ()
    was = now.outcomes if now.as_they_were is None else now.as_they_were
    red = now.red | {test for test, outcome in was.items() if outcome.red}
    excused, files = {*base.unstable, *now.contradicted}, collected(base.outcomes)
    quiet, missing = list[str](), list[str]()
    for test, outcome in base.outcomes.items():
        if outcome not in GREEN or test in excused or not _is_test(test, files):
            continue
        before, after = was.get(test), now.outcomes.get(test)
        if (after if before is None else before) in QUIET:
            quiet.append(test)
        elif after is None and before is None and red.isdisjoint(above(test)):
            missing.append(test)
    unknown = (test for test, outcome in was.items() if test not in base.outcomes and outcome not in QUIET)
    return (*quiet, *_unmatched(missing, Counter(map(family, unknown))))


def _unmatched(missing: list[str], unknown: Counter[str]) -> list[str]:
    """Return missing tests for which no unknown one of their function runs."""
    left = []
    for test in missing:
        if unknown[family(test)]:
            unknown[family(test)] -= 1
        else:
            left.append(test)
    return left


def _is_test(test: str, files: frozenset[str]) -> bool:
    """Whether an identifier names a test, and no file and no example in the documentation of code."""
    file, has, _ = test.partition("::")
    return bool(has) and (file in files if file.endswith(".py") else not file.startswith("doc "))
