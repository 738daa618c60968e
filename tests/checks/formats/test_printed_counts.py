"""Counts of tests, read from what runners print for people; the samples are the runners' own last lines."""

from __future__ import annotations

import pytest

from setpoint.checks.formats.tests.printed_counts import printed_counts

ANT = """\
    [junit] Running org.example.CalcTest
    [junit] Testsuite: org.example.CalcTest
    [junit] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.1 sec
    [junit] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.1 sec
    [junit] Running org.example.ShopTest
    [junit] Tests run: 3, Failures: 0, Errors: 0, Time elapsed: 0.2 sec

BUILD SUCCESSFUL
"""


@pytest.mark.parametrize(
    ("output", "passed", "failed"),
    [
        ("ℹ tests 5\nℹ pass 4\nℹ fail 1\n", 4, 1),  # noqa: RUF001 - node prints it
        ("# tests 3\n# pass 3\n# fail 0\n", 3, 0),
        ("\x1b[2m      Tests \x1b[22m \x1b[32m23 passed\x1b[39m (23)\n", 23, 0),
        ("      Tests  2 failed | 21 passed (23)\n", 21, 2),
        ("Tests:       1 failed, 2 skipped, 59 passed, 62 total\n", 59, 1),
        ("  Total:     32\n  Passed:    30\n  Skipped:   0\n", 30, 2),
        ("  47 passing (38ms)\n  2 pending\n  1 failing\n", 47, 1),
        ("  20 tests passed\n", 20, 0),
        ("  1 test failed\n", 0, 1),
        ("# { total: 213, pass: 210 }\n", 210, 3),
        ("test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 1 failed\n", 5, 1),
        ("=== 2 failed, 56 passed, 1 skipped in 1.02s ===\n", 56, 2),
        ("Ran 52 tests in 0.080s\n\nOK (skipped=14)\n", 38, 0),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n", 3, 2),
        (ANT, 5, 2),
        ("--- PASS: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n", 1, 1),
    ],
)
def test_counts_are_read(output, passed, failed):
    assert printed_counts(output) == (passed, failed)


@pytest.mark.parametrize("output", ["", "all good\n", "compiled 3 files\n", "ok\n"])
def test_nothing_is_made_up_where_no_line_tells(output):
    assert printed_counts(output) is None
