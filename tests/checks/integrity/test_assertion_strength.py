"""Rule 4: what makes a test demand less, and what does not."""

import pytest

from setpoint.checks.integrity.assertion_strength import hollow, strengths, weaker

BASE = """
import pytest

def check_sum(value):
    assert value == 3

@pytest.mark.parametrize("a", [1, 2, 3])
def test_add(a):
    assert add(a, 2) == 3
    assert add(a, 2) is not None
    with pytest.raises(ValueError, match="no"):
        add(None)
    check_sum(add(1, 2))

TABLE = [(1, 2), (3, 4)]

@pytest.mark.parametrize(("a", "b"), TABLE)
def test_table(a, b):
    assert add(a, 1) == b

class TestOld:
    def test_close(self):
        self.assertAlmostEqual(add(0.1, 0.2), 0.3, places=7)
        assert add(0.1, 0.2) == pytest.approx(0.3, abs=1e-9)
"""
WEAKER = {
    "an assertion is gone": ("    assert add(a, 2) == 3\n", ""),
    "an exact one is vague": ("assert add(a, 2) == 3", "assert add(a, 2)"),
    "or True": ("assert add(a, 2) == 3", "assert add(a, 2) == 3 or True"),
    "a constant": ("assert add(a, 2) == 3", "assert 1 == 1"),
    "a tuple": ("assert add(a, 2) == 3", "assert (add(a, 2) == 3, 'why')"),
    "Python alone": ("assert add(a, 2) == 3", "assert len([1]) == 1"),
    "any exception": ("raises(ValueError", "raises(Exception"),
    "any message": (', match="no"', ""),
    "fewer cases": ("[1, 2, 3]", "[1]"),
    "fewer rows in a table of its own": ("[(1, 2), (3, 4)]", "[(1, 2)]"),
    "a weaker helper": ("assert value == 3", "assert value"),
    "a skip": ("def test_add", "@pytest.mark.skip\ndef test_add"),
    "an early return": ("    assert add(a, 2) == 3\n", "    return\n    assert add(a, 2) == 3\n"),
    "fewer places": ("places=7", "places=1"),
    "a larger tolerance": ("abs=1e-9", "abs=1"),
}
NOT_WEAKER = {
    "another name for a variable": ('"a", [1, 2, 3]', '"b", [1, 2, 3]'),
    "one more assertion": ("    check_sum", "    assert add(2, 2) == 4\n    check_sum"),
    "a helper written out": ("    check_sum(add(1, 2))", "    value = add(1, 2)\n    assert value == 3"),
    "another expectation": ("assert add(a, 2) == 3", "assert add(a, 2) == 4"),
}


def of_all(old, new):
    before, after = strengths(old), strengths(new)
    return [why for name in before if name in after for why in weaker(before[name], after[name])]


@pytest.mark.parametrize("name", WEAKER)
def test_a_test_that_demands_less_is_seen(name):
    assert of_all(BASE, BASE.replace(*WEAKER[name]))


@pytest.mark.parametrize("name", NOT_WEAKER)
def test_a_test_that_demands_as_much_is_left_alone(name):
    assert of_all(BASE, BASE.replace(*NOT_WEAKER[name])) == []


@pytest.mark.parametrize(
    "wrapped",
    [
        "try:\n        assert add(1) == 2\n    except Exception:\n        pass",
        "try:\n        assert add(1) == 2\n    except:\n        ...",
        "with suppress(AssertionError):\n        assert add(1) == 2",
    ],
)
def test_a_swallowed_failure_is_weaker_and_hollow(wrapped):
    before, after = (
        strengths("def test_a():\n    assert add(1) == 2\n"),
        strengths(f"def test_a():\n    {wrapped}\n"),
    )

    assert "swallowed failures 0 -> 1" in weaker(before["test_a"], after["test_a"])
    assert hollow(after["test_a"])


def test_names_are_qualified_and_files_that_do_not_parse_have_none():
    assert set(strengths(BASE)) == {"check_sum", "test_add", "test_table", "TestOld::test_close"}
    assert strengths("def (") == {}


def test_a_new_test_with_a_constant_alone_is_hollow_and_one_without_assertions_is_not():
    found = strengths("def test_a():\n    assert True\n\ndef test_b():\n    run()\n")

    assert hollow(found["test_a"])
    assert not hollow(found["test_b"])
