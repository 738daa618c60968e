from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from setpoint_mechanic.engine import start
from setpoint_mechanic.engine.wire.repair import Request
from setpoint_probe.wire.exchange import read_order

CALC = """\
    def clamp(x, low, high):
        if x < low:
            return low
        if x > high:
            return low
        return x


    def total(xs):
        result = 0
        for x in xs:
            result += x
        return result
"""
PARAMETRISED = """\
    import pytest
    from calc import clamp, total


    @pytest.mark.parametrize(("x", "expected"), [(1, 1), (-1, 0), (5, 2)])
    def test_clamp(x, expected):
        assert clamp(x, 0, 2) == expected


    def test_total():
        assert total([1, 2]) == 3
"""
STEPS = """\
    def steps(n):
        taken = 0
        while n > 1:
            n -= 1
            taken += 1
        return taken
"""


def changed(result):
    """Give the lines that the best patch puts in."""
    lines = result.patches[0].diff.splitlines()
    return [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]


def test_a_file_stands_for_its_failing_tests_and_those_that_pass_are_guarded(project, repair):
    root = project(
        calc="""\
            def positive(x):
                return x > -1
        """,
        tests__test_calc="""\
            from calc import positive

            def test_one(): assert positive(1) is True
            def test_less(): assert positive(-1) is False
            def test_none(): assert positive(0) is False
        """,
    )
    result = repair(root, "tests/test_calc.py")
    assert result.failing == ["tests/test_calc.py::test_none"]
    assert ast.literal_eval(changed(result)[0].removeprefix("return x > ")) == 0


def test_one_wrong_name_is_mended_and_the_tree_stays_as_it_was(project, repair):
    root = project(calc=CALC, tests__test_calc=PARAMETRISED)
    before = {path: path.read_bytes() for path in root.rglob("*.py")}
    result = repair(root, "tests/test_calc.py::test_clamp[5-2]")
    assert result.status == "repaired"
    assert changed(result) == ["return high"]
    best = result.patches[0]
    assert (best.file, best.line, best.cleared, best.remaining) == (
        "calc.py",
        5,
        ("tests/test_calc.py::test_clamp[5-2]",),
        (),
    )
    assert best.confirmed
    assert best.checked == 2
    assert result.mode == "hot_swap"
    assert result.suspects[0].line == 5
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == before


def test_a_patch_that_is_to_be_avoided_is_not_offered_again(project, repair):
    root = project(calc=CALC, tests__test_calc=PARAMETRISED)
    first = repair(root, "tests/test_calc.py::test_clamp[5-2]")
    again = repair(root, "tests/test_calc.py::test_clamp[5-2]", avoid=[first.patches[0].digest])
    assert again.patches
    assert first.patches[0].text not in [patch.text for patch in again.patches]


def test_two_bugs_are_mended_one_after_the_other(project, repair):
    root = project(calc=CALC.replace("result += x", "result -= x"), tests__test_calc=PARAMETRISED)
    failing = ["tests/test_calc.py::test_clamp[5-2]", "tests/test_calc.py::test_total"]
    first = repair(root, *failing)
    assert first.status == "partial"
    best = first.patches[0]
    assert len(best.cleared) == len(best.remaining) == 1
    (root / "calc.py").write_text(best.text)
    second = repair(root, *best.remaining)
    assert second.status == "repaired"
    assert sorted(changed(first) + changed(second)) == ["result += x", "return high"]


def test_unittest_classes_and_set_up_work(project, repair):
    root = project(
        box="""\
            class Box:
                def __init__(self):
                    self.things = []

                @property
                def full(self):
                    return len(self.things) > 3
        """,
        test_box="""\
            import unittest
            from box import Box


            class BoxTest(unittest.TestCase):
                def setUp(self):
                    self.box = Box()
                    self.box.things.extend("abc")

                def test_full(self):
                    self.assertTrue(self.box.full)

                def test_not_full(self):
                    self.box.things.pop()
                    self.assertFalse(self.box.full)
        """,
    )
    result = repair(root, "test_box.py::BoxTest::test_full")
    assert result.status == "repaired"
    assert changed(result) == ["return len(self.things) >= 3"]


def test_a_failed_subtest_fails_its_test(project, repair):
    root = project(
        signs="def sign(x):\n    return 1 if x >= 0 else -1\n",
        test_signs="""\
            import unittest
            from signs import sign


            class SignTest(unittest.TestCase):
                def test_sign(self):
                    for x, expected in ((3, 1), (-3, -1), (0, 0)):
                        with self.subTest(x=x):
                            self.assertEqual(sign(x), expected)

                def test_one(self):
                    self.assertEqual(sign(1), 1)
        """,
    )
    result = repair(root, "test_signs.py::SignTest::test_sign")
    assert result.failing == ["test_signs.py::SignTest::test_sign"]
    assert result.patches
    text = result.patches[0].text
    scope: dict[str, object] = {}
    exec(text, scope)
    assert [scope["sign"](x) for x in (3, -3, 0, 1)] == [1, -1, 0, 1]


def test_fixtures_of_every_scope_are_set_up_for_each_trial(project, repair):
    root = project(
        shelf="def put(shelf, thing):\n    shelf.extend(thing)\n    return shelf\n",
        test_shelf="""\
            import pytest
            from shelf import put


            @pytest.fixture(scope="module")
            def shelf():
                return []


            @pytest.fixture
            def book(shelf, tmp_path):
                (tmp_path / "seen").write_text("yes")
                yield put(shelf, "book")
                shelf.clear()


            def test_put(book, shelf):
                assert put(shelf, "pen") == ["book", "pen"]
                assert put(shelf, "cup") == ["book", "pen", "cup"]


            def test_one(book):
                assert book == ["book"]
        """,
    )
    result = repair(root, "test_shelf.py::test_put", "test_shelf.py::test_one")
    assert result.status == "repaired"
    assert changed(result) == ["shelf.append(thing)"]


def test_candidates_without_end_cost_little(project, repair):
    root = project(
        count=STEPS.replace("taken += 1", "taken += 2"),
        test_count="from count import steps\n\n\ndef test_steps():\n    assert steps(4) == 3\n",
    )
    result = repair(root, "test_count.py::test_steps", extra_s=1.0)
    assert result.status == "repaired"
    assert changed(result) == ["taken += 1"]
    assert result.timeouts > 0


def test_a_test_without_end_is_mended(project, repair):
    root = project(
        count=STEPS.replace("n -= 1", "n += 1"),
        test_count="from count import steps\n\n\ndef test_steps():\n    assert steps(4) == 3\n",
    )
    result = repair(root, "test_count.py::test_steps", wall_s=30.0)
    assert result.status == "repaired"
    assert changed(result) == ["n -= 1"]


def test_tests_that_share_state_are_judged_in_their_order(project, repair):
    root = project(
        bank="BALANCE = []\n\n\ndef pay(n):\n    BALANCE.append(n)\n    return sum(BALANCE) + 1\n",
        test_bank="""\
            from bank import pay


            def test_first():
                assert pay(1) >= 1


            def test_second():
                assert pay(2) == 3
        """,
    )
    result = repair(root, "test_bank.py::test_second")
    assert "share state" in result.mode_reason


def test_a_constant_that_shapes_other_constants_is_mended_in_fresh_processes(project, repair):
    root = project(
        rates="PERCENT = 5\nFACTOR = PERCENT / 100\n\n\ndef tax(x):\n    return round(x * FACTOR, 2)\n",
        test_rates="from rates import tax\n\n\ndef test_tax():\n    assert (tax(100), tax(50)) == (10, 5)\n",
    )
    result = repair(root, "test_rates.py::test_tax")
    assert result.status == "repaired"
    assert result.patches[0].confirmed


def test_a_module_that_breaks_on_import_is_mended(project, repair):
    root = project(
        table="def build(n):\n    return [x for x in range(n)]\n\n\nFIRST = build(3)[3]\n",
        test_table="from table import FIRST\n\n\ndef test_first():\n    assert FIRST == 2\n",
    )
    result = repair(root, "test_table.py")
    assert result.status == "repaired"
    assert result.mode == "fresh_process"
    assert "collected" in result.mode_reason


@pytest.mark.parametrize("name", ["tests", "check_table"])
def test_where_a_file_of_tests_breaks_on_import_it_is_not_what_is_changed(project, repair, name):
    files = {name: "def build(n):\n    return [n]\n\n\nFIRST = build(3)[3]\n\n\ndef test_it():\n    pass\n"}
    root = project(table="X = 1\n", **files)
    (root / "pytest.ini").write_text("[pytest]\npython_files = tests.py check_*.py\n")
    result = repair(root, f"{name}.py", wall_s=15.0, cpu_s=8.0)
    assert result.patches == []
    assert "no line of the project" in result.reason


def test_what_breaks_on_import_is_found_with_the_projects_own_words_for_pytest(project, repair):
    root = project(
        table="def build(n):\n    return [x for x in range(n)]\n\n\nFIRST = build(3)[3]\n",
        test_table="from table import FIRST\n\n\ndef test_first():\n    assert FIRST == 2\n",
        needed="def pytest_addoption(parser):\n    parser.addoption('--level')\n",
        conftest="def pytest_configure(config):\n    assert config.getoption('--level') == 'two'\n",
    )
    result = repair(root, "test_table.py", pytest_args=["-p", "needed", "--level=two"])
    assert result.status == "repaired"


def test_only_named_sources_are_changed(project, repair):
    root = project(
        low="def add(a, b):\n    return a - b\n",
        high="from low import add\n\n\ndef double(a):\n    return add(a, a)\n",
        test_high="from high import double\ndef test_it():\n    assert (double(3), double(4)) == (6, 8)\n",
    )
    assert {patch.file for patch in repair(root, "test_high.py::test_it").patches} <= {
        "low.py",
        "high.py",
    }
    only = repair(root, "test_high.py::test_it", sources=["high.py"])
    assert {patch.file for patch in only.patches} <= {"high.py"}


def test_a_test_is_never_changed(project, repair):
    root = project(
        ok="def one():\n    return 1\n",
        test_ok="from ok import one\ndef two():\n    return 2\n\n\ndef test_one():\n    assert two() == 1\n",
    )
    result = repair(root, "test_ok.py::test_one")
    assert result.status == "not_possible"
    assert "no file that may be changed" in result.reason
    assert result.patches == []


def test_an_exhausted_search_says_where_it_looked(project, repair):
    root = project(
        word="def greet(name):\n    return name\n",
        test_word="from word import greet\ndef test_greet():\n    assert greet('x') == 'Hello, dear x?'\n",
    )
    result = repair(root, "test_word.py::test_greet")
    assert result.status == "exhausted"
    assert result.patches == []
    assert result.tried > 20
    assert [(each.file, each.line) for each in result.suspects] == [("word.py", 2)]


def test_tests_that_pass_here_are_named(project, repair):
    root = project(calc=CALC, tests__test_calc=PARAMETRISED)
    result = repair(root, "tests/test_calc.py::test_total", "tests/test_calc.py::test_gone")
    assert result.status == "not_possible"
    assert result.not_failing == ["tests/test_calc.py::test_total", "tests/test_calc.py::test_gone"]


def test_a_project_that_ends_its_process_leaves_a_reason(project, repair):
    root = project(bad="import os\nos._exit(3)\n", test_bad="import bad\n\n\ndef test_x():\n    assert bad\n")
    result = repair(root, "test_bad.py::test_x")
    assert result.status == "not_possible"
    assert result.reason


@pytest.mark.parametrize("text", ['{"tree": "/x"}', '{"tree": "/x", "failing": [], "colour": 1}', "{"])
def test_a_wrong_request_is_told_apart(tmp_path, text):
    asked = tmp_path / "request.json"
    asked.write_text(text)
    with pytest.raises(ValueError, match=r"request\.json|Expecting"):
        read_order(Request, str(asked))
    done = subprocess.run(
        [*start.start(sys.executable, "repair.repair"), str(asked), str(tmp_path / "r.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "request" in done.stderr


def test_a_request_survives_the_way_through_json(tmp_path):
    asked = tmp_path / "request.json"
    asked.write_text(json.dumps({"tree": "/x", "failing": ["a"], "avoid": ["b"], "wall_s": 3}))
    assert read_order(Request, str(asked)) == Request(tree="/x", failing=("a",), avoid=("b",), wall_s=3)
