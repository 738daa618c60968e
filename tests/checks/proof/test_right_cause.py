"""Why a test fails without a change, judged from what the runner reports."""

import pytest

from setpoint.checks.proof.witness.added_names import added_names
from setpoint.checks.proof.witness.right_cause import Lack
from setpoint.model.evidence import Cause, Failure, Frame, Outcome

OLD = b"""def rate(code):
    return None


def price(n):
    return n * rate(n)


def other():
    raise OSError
"""
NEW = (
    OLD.replace(b"return None", b"return 1") + b"\n\ndef discount(n, strict=False):\n    return {'half': n}\n"
)
TEST = """import shop


def test_it():
    value = shop.rate(1)
    assert value.total == 2
    raise OSError
"""
LACK = Lack(
    added=added_names({"shop.py": OLD}, {"shop.py": NEW, "cart.py": b""}),
    request="price() raises ZeroDivisionError",
    tests={"tests/test_it.py": TEST},
)


def failure(cause, message, *, test="tests/test_it.py::test_it", frames=(("tests/test_it.py", 7),), **values):
    places = tuple(Frame(file=file, line=line) for file, line in frames)
    return Failure(
        test=test, cause=cause, message=message, error=message.partition(":")[0], frames=places, **values
    )


@pytest.mark.parametrize(
    "right",
    [
        failure(Cause.ASSERTION, "assert 1 == 2"),
        failure(Cause.RUNTIME, "AttributeError: module 'shop' has no attribute 'discount'"),
        failure(Cause.RUNTIME, "TypeError: price() got an unexpected keyword argument 'strict'"),
        failure(Cause.RUNTIME, "KeyError: 'half'"),
        failure(Cause.ENVIRONMENT, "ModuleNotFoundError: No module named 'cart'"),
        failure(Cause.RUNTIME, "ZeroDivisionError: division by zero"),
        failure(Cause.RUNTIME, "TypeError: no number", frames=(("tests/test_it.py", 5), ("shop.py", 6))),
        failure(Cause.RUNTIME, "AttributeError: 'NoneType' object", frames=(("tests/test_it.py", 6),)),
        failure(Cause.SYNTAX, "undefined: discount", test="example.com/shop", frames=()),
    ],
    ids=lambda each: each.message,
)
def test_a_failure_for_the_lack_of_the_change_counts(right):
    assert LACK.other_reason(right, Outcome.FAILED) == ""


@pytest.mark.parametrize(
    ("wrong", "outcome"),
    [
        (failure(Cause.TIMEOUT, "Timeout"), Outcome.FAILED),
        (failure(Cause.ASSERTION, "assert False"), Outcome.ERROR),
        (failure(Cause.ENVIRONMENT, "ModuleNotFoundError: No module named 'quantumlib'"), Outcome.FAILED),
        (failure(Cause.RUNTIME, "OSError: busy"), Outcome.FAILED),
        (
            failure(Cause.RUNTIME, "OSError: busy", frames=(("tests/test_it.py", 7), ("shop.py", 10))),
            Outcome.FAILED,
        ),
        (failure(Cause.CRASH, "the test process died in this test", frames=()), Outcome.ERROR),
        (failure(Cause.SYNTAX, "undefined: somewhere", test="example.com/shop", frames=()), Outcome.ERROR),
    ],
    ids=lambda each: each.message if isinstance(each, Failure) else str(each),
)
def test_a_failure_for_another_reason_does_not_count(wrong, outcome):
    assert "reason" in LACK.other_reason(wrong, outcome) or "times out" in LACK.other_reason(wrong, outcome)
