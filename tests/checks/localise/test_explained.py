"""What an evaluation says about red tests: near which change, which lines are suspicious, what was told."""

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause
from setpoint.model.finding import Nearness
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

CODE = "def add(a, b):\n    if a:\n        return a - b\n    return b\n\n\ndef first(x):\n    return x[0]\n"
TESTS = """\
from calc import add, first

def test_add():
    assert add(1, 2) == 3

def test_nothing():
    assert add(0, 2) == 2

def test_first():
    assert first([1]) == 1
"""
BASE = {"src/calc/__init__.py": CODE, "tests/test_calc.py": TESTS}
ADD, FIRST = "tests/test_calc.py::test_add", "tests/test_calc.py::test_first"


async def test_red_tests_of_the_base_are_localised_for_the_first_brief(bench) -> None:
    made = await bench(BASE, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert [(each.test, each.new, each.nearness) for each in base.failures] == [(ADD, False, None)]
    assert [(each.file, each.line) for each in base.suspects][:1] == [("src/calc/__init__.py", 3)]
    assert "1 failing and 2 passing" in base.localised
    assert ">    4     assert add(1, 2) == 3" in base.failures[0].code


async def test_a_new_failure_is_placed_on_the_changed_line(bench) -> None:
    made = await bench(BASE)
    await made.measure(Stage.BASE)
    await made.change({"src/calc/__init__.py": CODE.replace("x[0]", "x.first")})

    tested = await made.measure(Stage.TEST)

    (failure,) = tested.failures
    assert (failure.test, failure.new, failure.cause) == (FIRST, True, Cause.RUNTIME)
    assert (failure.file, failure.line, failure.nearness) == ("src/calc/__init__.py", 8, Nearness.LINE)
    assert failure.error == "AttributeError"
    first = tested.suspects[0]
    assert (first.line, first.changed, first.text) == (8, True, "return x.first")


async def test_what_was_red_at_base_is_not_run_again_even_where_it_is_to_be_mended(bench, tmp_path) -> None:
    count = tmp_path / "count"
    counting = f"open({str(count)!r}, 'a').write('x')\n"
    tests = TESTS.replace("def test_add():\n", f"def test_add():\n    {counting}")
    checks = ChecksSettings(bandit=False, coverage=False, reruns=2)
    made = await bench({**BASE, "tests/test_calc.py": tests}, settings=checks, known_red=KnownRed.FIX)

    await made.measure(Stage.BASE)
    at_base = len(count.read_text())
    await made.change({"src/calc/more.py": "x = 1\n"})
    tested = await made.measure(Stage.TEST)

    assert [failure.test for failure in tested.failures] == [ADD]
    traced = without_our_variables = 1
    at_last = len(count.read_text()) - at_base
    assert (at_base, at_last) == (3 + traced + without_our_variables, 1 + traced)
