"""What may be added inside what stood, where the tests of the base run apart from the maker's files."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.additions import lines_added
from setpoint.checks.integrity.syntax_comparison import changes
from setpoint.model.evaluation import Stage
from setpoint.settings import ChecksSettings

BASE = """import pytest

ALLOWED = {"os", "sys"}
CASES = [(1, 2), (3, 4)]

@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])
def test_next(a, b):
    assert a + 1 == b
    with pytest.raises(TypeError):
        a + "x"

class TestA:
    def test_one(self):
        assert one() == 1
"""
GROWN = {
    "a statement": ("    assert a + 1 == b\n", "    assert a + 1 == b\n    c = a\n    assert c + 1 == b\n"),
    "a statement in a block": ('        a + "x"', '        a + "x"\n        a - "x"'),
    "a row of its table": ("[(1, 2), (3, 4)])", "[(1, 2), (5, 6), (3, 4)])"),
    "a row of a table at the top": ("CASES = [(1, 2),", "CASES = [(0, 1), (1, 2),"),
    "an element of a set": ('"sys"}', '"sys", "re"}'),
    "a statement in a method": (
        "        assert one() == 1\n",
        "        assert one() == 1\n        assert two() == 2\n",
    ),
}
NOT_GROWN = {
    "another expectation": ("one() == 1", "one() == 2"),
    "an early return": ("    assert a + 1 == b\n", "    return\n    assert a + 1 == b\n"),
    "a skip": ("@pytest.mark.param", "@pytest.mark.skip\n@pytest.mark.param"),
    "a skip in the body": ("    assert a + 1 == b\n", "    pytest.skip()\n    assert a + 1 == b\n"),
    "a longer tuple": ("CASES = [(1, 2),", "CASES = [(1, 2, 3),"),
    "less in a table": ("CASES = [(1, 2), (3, 4)]", "CASES = [(1, 2)]"),
    "another order": ("CASES = [(1, 2), (3, 4)]", "CASES = [(3, 4), (1, 2)]"),
    "a handler around it": (
        "    assert a + 1 == b\n",
        "    try:\n        assert a + 1 == b\n    except AssertionError:\n        pass\n",
    ),
    "or True": ("a + 1 == b\n", "a + 1 == b or True\n"),
    "another argument": ("def test_next(a, b)", "def test_next(a, b, c=1)"),
}


@pytest.mark.parametrize("name", GROWN)
def test_what_only_grew_is_no_change(name):
    now = BASE.replace(*GROWN[name])

    assert changes(BASE, now, may_grow=True) == ()
    assert changes(BASE, now)


@pytest.mark.parametrize("name", NOT_GROWN)
def test_all_else_is_one(name):
    assert changes(BASE, BASE.replace(*NOT_GROWN[name]), may_grow=True)


def test_lines_of_data_may_be_added_and_none_may_go():
    assert lines_added("a\nb\n", "a\nnew\nb\n")
    assert not lines_added("a\nb\n", "b\na\n")
    assert not lines_added("a\nb\n", "a\n")


TEST = "tests/test_calc.py"
TESTS = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"
QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)


async def test_a_test_that_grew_stays_and_both_its_versions_have_to_pass(bench):
    made = await bench({"calc.py": "def add(a, b):\n    return a + b\n", TEST: TESTS}, settings=QUICK)
    await made.measure(Stage.BASE)

    await made.change({TEST: TESTS + "    assert add(2, 2) == 5\n"})
    red = await made.measure(Stage.TEST)
    await made.change({TEST: TESTS + "    assert add(2, 2) == 4\n"})
    green = await made.measure(Stage.TEST)

    assert made.restored == [(), ()]
    assert [each.test for each in red.failures] == ["tests/test_calc.py::test_add"]
    assert green.failures == ()
    assert green.findings == ()


async def test_a_test_that_grew_may_not_bring_itself_to_be_skipped(bench):
    made = await bench({"calc.py": "def add(a, b):\n    return a + b\n", TEST: TESTS}, settings=QUICK)
    await made.measure(Stage.BASE)

    skips = "    import unittest\n    if add(1, 1) == 2:\n        raise unittest.SkipTest('later')\n"
    await made.change({TEST: TESTS.replace("    assert", f"{skips}    assert")})
    evaluated = await made.measure(Stage.TEST)

    assert [(each.rule, each.blocking) for each in evaluated.findings] == [("silenced", True)]
