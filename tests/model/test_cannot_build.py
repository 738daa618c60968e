"""What does not compile is said before the tests that could not run."""

from __future__ import annotations

import pytest

from setpoint.model.evidence import Cause, Failure


@pytest.mark.parametrize(
    ("test", "cause", "unbuilt"),
    [
        ("example.com/calc", Cause.SYNTAX, True),
        ("src/lib.rs", Cause.SYNTAX, True),
        ("src/main/java/Calc.java", Cause.SYNTAX, True),
        ("example.com/calc::TestAdd", Cause.SYNTAX, False),
        ("example.com/calc", Cause.CRASH, False),
        ("tests/test_calc.py", Cause.SYNTAX, False),
        ("test/calc.test.ts", Cause.SYNTAX, False),
    ],
)
def test_what_cannot_be_built_is_told_from_failing_tests(test, cause, unbuilt):
    assert Failure(test=test, cause=cause, message="undefined: c").unbuilt is unbuilt
