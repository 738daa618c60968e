"""Mutants are judged by live tests: what is noticed, what is not, and what must not decide."""

from collections import Counter

import pytest

from setpoint.model.mutation import Fate

CALC = """\
    def clamp(x, low, high):
        if x < low:
            return low
        return min(x, high)


    def never(x):
        return x * 2


    def steps(n):
        taken = 0
        while n > 1:
            n -= 1
            taken += 1
        return taken
"""
TESTS = """\
    from calc import clamp, steps


    def test_clamp():
        assert clamp(1, 0, 2) == 1
        assert clamp(-1, 0, 2) == 0
        assert clamp(5, 0, 2) == 2


    def test_steps():
        assert steps(3) == 2
"""


def fates(report):
    return {(each.line, each.operator, each.after): each.verdict for each in report.mutants}


def test_what_tests_notice_and_what_they_do_not(project, scored):
    root = project(calc=CALC, tests__test_calc=TESTS)
    before = {path: path.read_bytes() for path in root.rglob("*.py")}

    status, report = scored(root, {"calc.py": ()}, jobs=2)

    assert status == "measured"
    found = fates(report)
    assert found[2, "negate", "if not (x < low):"] is Fate.KILLED
    assert found[2, "comparison", "if x <= low:"] is Fate.SURVIVED
    assert found[8, "arithmetic", "return x / 2"] is Fate.UNCOVERED
    assert found[14, "augmented", "n += 1"] is Fate.TIMEOUT
    assert (report.tests, report.traced, report.touching) == (2, 2, 2)
    killer = next(each for each in report.mutants if each.after == "if not (x < low):")
    assert (killer.test, killer.before) == ("tests/test_calc.py::test_clamp", "if x < low:")
    assert report.score is not None
    assert 0 < report.score < 1
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == before


def test_tests_that_come_last_are_named_only_where_no_other_notices(project, scored):
    again = TESTS.replace("test_clamp", "test_again").replace("test_steps", "test_more")
    root = project(calc=CALC, tests__test_calc=TESTS, tests__test_again=again)
    new = ("tests/test_again.py::test_again", "tests/test_again.py::test_more")

    _, report = scored(root, {"calc.py": ()}, last=(*new, "tests/test_calc.py::test_steps"))

    killers = {each.test for each in report.mutants if each.verdict is Fate.KILLED}
    assert "tests/test_calc.py::test_clamp" in killers
    assert "tests/test_again.py::test_again" not in killers  # test_clamp notices all of it, and goes first
    assert "tests/test_again.py::test_more" in killers
    assert "tests/test_calc.py::test_steps" not in killers  # it comes behind test_more

    _, slowly = scored(root, {"calc.py": (2, 3)}, last=new, fresh=True, most=2)
    assert {each.test for each in slowly.mutants if each.test} == {"tests/test_calc.py::test_clamp"}


def test_only_the_wanted_lines_are_changed_and_a_sample_is_told(project, scored):
    root = project(calc=CALC, tests__test_calc=TESTS)
    _, report = scored(root, {"calc.py": (2, 4)}, most=3)
    assert {each.line for each in report.mutants} <= {2, 4}
    assert (len(report.mutants), report.made) == (3, 4)


def test_a_mutant_that_spoils_the_process_decides_about_itself_alone(project, scored):
    root = project(
        memo="""\
            KNOWN = {}


            def square(n):
                if n not in KNOWN:
                    KNOWN[n] = n * n
                return KNOWN[n]


            def more(n):
                limit = 1000
                return min(limit, square(n) + 1)
        """,
        test_memo="""\
            from memo import more, square


            def test_square():
                assert square(3) == 9


            def test_more():
                assert more(3) == 10
        """,
    )
    _, warm = scored(root, {"memo.py": ()})
    _, fresh = scored(root, {"memo.py": ()}, fresh=True)
    assert fates(warm) == fates(fresh)
    assert fates(warm)[11, "number", "limit = 1001"] is Fate.SURVIVED
    assert all(each.fresh for each in fresh.mutants)


def test_what_an_earlier_test_cached_hides_no_mutant_that_others_came_before(project, scored):
    plain = "\n\n".join(f"def plain{n}(x):\n    return x + {n + 1}\n" for n in range(30))
    asserts = "\n".join(f"    assert memo.plain{n}(1) == {n + 2}" for n in range(30))
    square = "def square(n):\n    if n not in KNOWN:\n        KNOWN[n] = n * n\n    return KNOWN[n]\n"
    root = project(
        memo=f"KNOWN = {{}}\n\n\n{square}\n\n{plain}\n\ndef loose(x):\n    return x > 0\n",
        test_memo=f"""\
import memo


def test_plain():
{asserts}


def test_loose():
    assert memo.loose(3)


def test_square():
    assert memo.square(3) == 9
""",
    )
    _, warm = scored(root, {"memo.py": ()})
    _, fresh = scored(root, {"memo.py": ()}, fresh=True)
    assert fates(warm) == fates(fresh)
    assert Counter(fates(warm).values())[Fate.SURVIVED] == 2  # x >= 0, x > 1
    assert len(warm.mutants) > 64, "no child was given several mutants"


def test_code_that_runs_at_import_is_judged_in_fresh_processes(project, scored):
    root = project(
        sizes="""\
            SIZES = {"small": 1, "large": 2}
            LARGEST = max(SIZES.values())
            FACTOR = 3


            def scaled(name, by=FACTOR):
                return SIZES[name] * by
        """,
        test_sizes="""\
            import sizes

            assert sizes.LARGEST


            def test_scaled():
                assert sizes.scaled("large") == 6
        """,
    )
    _, report = scored(root, {"sizes.py": (1, 3)}, jobs=2)
    found = fates(report)
    assert found[3, "number", "FACTOR = 4"] is Fate.KILLED
    assert found[1, "number", 'SIZES = {"small": 2, "large": 2}'] is Fate.SURVIVED
    assert found[1, "number", 'SIZES = {"small": 1, "large": 3}'] is Fate.KILLED
    assert any(each.fresh for each in report.mutants)


def test_a_warning_notices_a_mutant_where_the_project_says_that_warnings_are_errors(project, scored):
    text = """\
            import warnings


            def grow(x):
                if x > 3:
                    warnings.warn("large", stacklevel=2)
                return x + 1
    """
    asks = "from calc import grow\n\n\ndef test_grow():\n    assert grow(3) == 4\n"
    root = project(calc=text, test_calc=asks)
    assert fates(scored(root, {"calc.py": ()})[1])[5, "comparison", "if x >= 3:"] is Fate.SURVIVED
    (root / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", "utf-8")
    assert fates(scored(root, {"calc.py": ()})[1])[5, "comparison", "if x >= 3:"] is Fate.KILLED


def test_a_mutant_that_ends_the_process_is_noticed(project, scored):
    root = project(
        leave="""\
            import os


            def leave(really):
                if really:
                    os._exit(3)
                return "stayed"
        """,
        test_leave="""\
            from leave import leave


            def test_stays():
                assert leave(False) == "stayed"
        """,
    )
    _, report = scored(root, {"leave.py": ()})
    (negated,) = [each for each in report.mutants if each.operator == "negate"]
    assert (negated.verdict, "ended the process" in negated.test) == (Fate.KILLED, True)


UNSTEADY = """\
    import calc

    SEEN = []


    def test_red():
        assert calc.clamp(1, 0, 2) == 7


    def test_once():
        SEEN.append(1)
        assert len(SEEN) == 1
        assert calc.clamp(1, 0, 2) == 1


    def test_good():
        assert calc.clamp(-1, 0, 2) == 0
"""


def test_red_and_unsteady_tests_do_not_judge(project, scored):
    root = project(
        calc=CALC,
        tests__test_calc=UNSTEADY,
        conftest="""\
            import pathlib, pytest


            @pytest.fixture(autouse=True)
            def _(request, tmp_path_factory):
                if request.node.name == "test_once":
                    mark = pathlib.Path(__file__).with_name("mark.txt")
                    assert not mark.exists()
                    mark.write_text("run before")
        """,
    )
    status, report = scored(root, {"calc.py": (2, 3, 4)}, jobs=2)
    assert status == "measured"
    assert report.red == ("tests/test_calc.py::test_red",)
    assert report.unsteady == ("tests/test_calc.py::test_once",)
    assert {each.test for each in report.mutants if each.verdict is Fate.KILLED} == {
        "tests/test_calc.py::test_good"
    }


def test_red_tests_end_it_where_green_ones_are_asked_for(project, scored):
    root = project(calc=CALC, tests__test_calc=TESTS.replace("== 2", "== 3"))
    status, report = scored(root, {"calc.py": (2,)}, green_only=True)
    assert (status, report.score) == ("not_possible", None)
    assert "red tests reach the lines" in report.reason
    known = ("tests/test_calc.py::test_clamp", "tests/test_calc.py::test_steps")
    assert scored(root, {"calc.py": (2,)}, green_only=True, known_red=known)[0] == "measured"


def test_what_there_was_no_time_for_counts_neither_way(project, scored):
    root = project(calc=CALC, tests__test_calc=TESTS)
    _, report = scored(root, {"calc.py": ()}, wall_s=0.01)
    assert Counter(each.verdict for each in report.mutants) == {Fate.UNTRIED: len(report.mutants)}
    assert report.score is None
    assert "could be looked at" in report.reason


def test_a_tree_without_tests_says_so(project, scored):
    root = project(calc=CALC)
    status, report = scored(root, {"calc.py": ()})
    assert (status, report.reason) == ("not_possible", "no test was collected")
    missing, told = scored(root, {"gone.py": ()})
    assert (missing, "gone.py" in told.reason) == ("not_possible", True)


BURN = "import time\n\ndef burn():\n    end = time.process_time() + 0.15\n"
BURN += "    while time.process_time() < end:\n        pass\n"
LATE = {
    "burning": BURN,
    "slow": "import burning\n\nburning.burn()\n",
    "calc": """\
            from functools import lru_cache

            import burning


            @lru_cache
            def table():
                burning.burn()
                return 2


            def double(x):
                import slow

                return x * 2


            def twice(x):
                return x * table()


            def steps(n):
                while n > 1:
                    n -= 1
                return n
    """,
    "test_calc": """\
            from calc import double, steps, twice


            def test_first():
                assert double(0) == twice(0) == 0


            def test_middle():
                assert double(3) > 0
                assert twice(3) > 0


            def test_last():
                assert double(0) == twice(0) == 0


            def test_steps():
                assert steps(3) == 1
    """,
}


@pytest.mark.parametrize(("jobs", "given"), [(2, ""), (1, ""), (1, "tmp_path")])
def test_a_loop_is_lost_and_what_is_imported_late_is_not(project, scored, jobs, given):
    tests = LATE["test_calc"].replace("():", f"({given}):")
    root = project(**{**LATE, "test_calc": tests})
    _, report = scored(root, {"calc.py": ()}, jobs=jobs)
    of_steps = {each.verdict for each in report.mutants if "n" in each.before}
    others = {each.verdict for each in report.mutants if " * " in each.before}
    assert others == {Fate.KILLED, Fate.SURVIVED}
    assert Fate.TIMEOUT in of_steps


def test_a_table_that_another_module_reads_is_judged_by_the_tests_of_that_module(project, scored):
    root = project(
        rates="RATES = {\n    'de': 19,\n    'fi': 25,\n}\n",
        gross="from rates import RATES\n\n\ndef gross(country):\n    return 100 + RATES[country]\n",
        tests__test_gross="from gross import gross\n\n\ndef test_fi():\n    assert gross('fi') == 125\n",
    )

    _, report = scored(root, {"rates.py": (2, 3)})

    found = {(each.line, each.verdict) for each in report.mutants}
    assert (3, Fate.KILLED) in found
    assert (2, Fate.SURVIVED) in found
