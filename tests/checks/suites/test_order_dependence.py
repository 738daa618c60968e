"""A test that fails only apart from the whole suite is not the work's doing."""

from __future__ import annotations

from setpoint.checks.judge import FullReport
from setpoint.checks.suites.order_dependence import stood
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import CheckState, Outcome
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

CODE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
TESTS = (
    "import time\nfrom calc import add, sub\nSEEN = []\n\n\n"
    "def test_first():\n    time.sleep(0.2)\n    SEEN.append(1)\n\n\n"
    "def test_second():\n    assert SEEN, 'nothing ran before'\n    assert add(1, 2) == 3\n\n\n"
    "def test_third():\n    assert sub(2, 1) == 1\n    assert add(1, 1) == 2\n"
)
SLOW = {"tests/test_zzz.py": "import time\ndef test_long():\n    time.sleep(0.2)\n"}
SHORT = ChecksSettings(bandit=False, coverage=False, reruns=0, evaluate_s=0.2)
"""There is no time for the long test at `evaluate`, and enough for the others."""
FILES = {"calc.py": CODE, "tests/test_calc.py": TESTS, **SLOW}
SECOND, THIRD = (f"tests/test_calc.py::test_{name}" for name in ("second", "third"))


def outcomes(made, evaluation: Evaluation) -> dict[str, Outcome]:
    report = FullReport.model_validate_json(made.artifacts.read(evaluation.report))
    return next((dict(each.tests.outcomes) for each in report.results if each.tests), {})


async def test_what_fails_alone_at_the_base_too_does_not_bounce(bench) -> None:
    made = await bench(FILES, settings=SHORT)
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a + b", "b + a")})
    evaluated = await made.measure(Stage.EVALUATE)

    assert outcomes(made, evaluated) == {SECOND: Outcome.ORDER_DEPENDENT, THIRD: Outcome.PASSED}
    assert (evaluated.failures, evaluated.flaky) == ((), ())
    told = evaluated.evidence_of("pytest")
    assert told.state is CheckState.PASS
    assert SECOND in told.reason

    whole = await made.measure(Stage.TEST)
    assert set(outcomes(made, whole).values()) == {Outcome.PASSED}


async def test_what_the_work_breaks_counts_beside_it(bench) -> None:
    made = await bench(FILES, settings=ChecksSettings(bandit=False, coverage=False, reruns=1, evaluate_s=0.2))
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a + b", "a * b")})
    evaluated = await made.measure(Stage.EVALUATE)

    assert [each.test for each in evaluated.failures] == [THIRD]
    assert outcomes(made, evaluated)[SECOND] is Outcome.ORDER_DEPENDENT


async def test_many_red_tests_are_compared_in_the_selection_itself(bench) -> None:
    many = "".join(
        f"def test_{number}():\n    assert SEEN\n    assert add(1, {number}) == {number} + 1\n"
        for number in range(25)
    )
    begin = "def test_begin():\n    time.sleep(0.2)\n    SEEN.append(1)\n"
    tests = f"import time\nfrom calc import add\nSEEN = []\n{begin}{many}"
    made = await bench({"calc.py": CODE, "tests/test_calc.py": tests, **SLOW}, settings=SHORT)
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a + b", "b + a")})
    assert (await made.measure(Stage.EVALUATE)).failures == ()


async def test_a_file_that_only_the_others_make_collectable_is_left_to_the_whole_suite(bench) -> None:
    files = {
        **SLOW,
        "calc.py": CODE,
        "tests/a/test_a.py": "import time, shared_words\ndef test_a():\n    assert not time.sleep(0.2)\n",
        "tests/a/shared_words.py": "WORD = 'a'\n",
        "tests/b/test_b.py": (
            "import shared_words\nfrom calc import add\ndef test_b():\n    assert add(1, 1) == 2\n"
        ),
    }
    made = await bench(files, settings=SHORT)
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a + b", "b + a")})
    evaluated = await made.measure(Stage.EVALUATE)
    assert outcomes(made, evaluated) == {"tests/b/test_b.py": Outcome.ORDER_DEPENDENT}
    assert evaluated.failures == ()


async def test_a_mended_test_that_needs_others_does_not_bounce(bench) -> None:
    broken = CODE.replace("a + b", "a * b")
    made = await bench({**FILES, "calc.py": broken}, known_red=KnownRed.FIX)
    base = await made.measure(Stage.BASE)
    assert [each.test for each in base.failures] == [SECOND, THIRD]

    await made.change({"calc.py": CODE})
    evaluated = await made.measure(Stage.EVALUATE, SECOND, THIRD)
    assert evaluated.failures == ()
    assert (await made.measure(Stage.TEST)).failures == ()


async def test_a_test_that_is_still_broken_bounces(bench) -> None:
    made = await bench({**FILES, "calc.py": CODE.replace("a + b", "a * b")}, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)
    await made.change({"calc.py": CODE.replace("a + b", "b * a")})
    evaluated = await made.measure(Stage.EVALUATE, SECOND, THIRD)
    assert [each.test for each in evaluated.failures] == [THIRD]


def test_a_file_stands_where_one_of_its_tests_ran() -> None:
    ran = {"tests/test_a.py::test_a": Outcome.PASSED, "tests/test_b.py": Outcome.ERROR}
    assert stood("tests/test_a.py", ran)
    assert not stood("tests/test_b.py", ran)
    assert not stood("tests/test_c.py", ran)
