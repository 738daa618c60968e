"""Mutants of code that runs at import: children of a fork server say what a process of its own would say."""

import shutil
import subprocess
import sys

import pytest

from probe.conftest import ENVIRONMENT
from setpoint.model.mutation import Fate

RATES = """\
    from decimal import Decimal

    BASE = 2
    DOUBLE = BASE * 2
    NAMES = ("low", "high")
    UNUSED = 7


    class Rate:
        LIMIT = DOUBLE + 1
        NAMED = {name: place for place, name in enumerate(NAMES)}


    def price(rate, by=Decimal(3)):
        return min(rate.LIMIT, DOUBLE) * by
"""
TESTS = """\
    import rates


    def test_price():
        assert rates.price(rates.Rate) == 12


    def test_names():
        assert rates.Rate.NAMED["high"] == 1
        assert rates.Rate.LIMIT == 5
"""


def by_hand(root, mutants, place):
    """Write each mutant to a copy, and ask an ordinary pytest."""
    told = {}
    for number, mutant in enumerate(mutants):
        tree = place / str(number)
        shutil.copytree(root, tree)
        lines = (tree / mutant.file).read_text().splitlines()
        was = lines[mutant.line - 1]
        lines[mutant.line - 1] = was.replace(mutant.before, mutant.after)
        assert lines[mutant.line - 1] != was
        (tree / mutant.file).write_text("\n".join(lines) + "\n")
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
        done = subprocess.run(argv, cwd=tree, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        passed = done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        told[mutant.line, mutant.after] = Fate.SURVIVED if passed else Fate.KILLED
    return told


def verdicts(report):
    return {(each.line, each.after): each.verdict for each in report.mutants if each.fresh}


def test_they_say_what_an_ordinary_run_says(project, scored, tmp_path):
    root = project(rates=RATES, tests__test_rates=TESTS)
    _, report = scored(root, {"rates.py": ()}, jobs=2)
    found = verdicts(report)
    assert set(found.values()) == {Fate.KILLED, Fate.SURVIVED}
    assert len(found) > 6
    assert found == by_hand(root, [each for each in report.mutants if each.fresh], tmp_path / "by-hand")


ODD = {
    "who imports it is who a warning at import names": {
        "core": "LIMIT = 3\n",
        "old_name": """\
            import warnings

            import core

            warnings.warn("gone", DeprecationWarning, stacklevel=2)
            LIMIT = core.LIMIT
        """,
        "tests__test_core": """\
            import warnings


            def test_named():
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    import old_name
                assert seen[0].filename == __file__
                assert old_name.LIMIT > 2
        """,
    },
    "it is run by its name": {
        "core": "LIMIT = 3\nFOUND = LIMIT + 1\n",
        "tests__test_core": """\
            import runpy


            def test_run():
                assert runpy.run_module("core")["FOUND"] == 4
        """,
    },
    "tests run in their order": {
        "core": "import time\n\nSTATE = {'n': 0}\n",
        "tests__test_core": """\
            import time

            import core


            def test_step():
                time.sleep(0.02)
                assert core.STATE["n"] == 0


            def test_reset():
                core.STATE["n"] = 0
        """,
    },
    "a file of tests skips itself": {
        "core": "HAS = True\n",
        "tests__test_core": """\
            import pytest

            import core

            if not core.HAS:
                pytest.skip("without", allow_module_level=True)


            def test_there():
                assert core.HAS
        """,
    },
    "a file of tests with fixtures skips itself": {
        "core": "HAS = True\n",
        "tests__test_core": """\
            import pytest

            import core

            if not core.HAS:
                pytest.skip("without", allow_module_level=True)


            def test_there(tmp_path):
                assert core.HAS
        """,
    },
    "a test is there or not": {
        "core": "HAS = True\n",
        "tests__test_core": """\
            import core

            if core.HAS:
                def test_there():
                    assert core.HAS


            def test_other():
                assert core
        """,
    },
    "statements share a line": {
        "core": "LIMIT = 3; OTHER = 2\nMORE = LIMIT + OTHER\n",
        "tests__test_core": "import core\n\n\ndef test_more():\n    assert core.MORE == 5\n",
    },
}


@pytest.mark.parametrize("what", ODD)
def test_what_a_fork_could_get_wrong_is_what_an_ordinary_run_says(project, scored, tmp_path, what):
    root = project(**ODD[what])
    _, report = scored(root, {"core.py": ()})
    found = verdicts(report)
    assert found
    assert report.unsteady == ()
    assert found == by_hand(root, [each for each in report.mutants if each.fresh], tmp_path / "by-hand")


def test_a_test_that_looks_for_garbage_finds_none_of_before(project, scored):
    text = """\
        from weakref import WeakSet

        ALIVE, HELD = WeakSet(), []


        class Node:
            pass


        def hold():
            node = Node()
            node.itself = node
            ALIVE.add(node)
            HELD.append(node)


        def alive(x):
            y = x + 2
            return len(ALIVE) if y else y
    """
    tests = (
        "import gc\n\nimport core\n\n\ndef test_alive():\n    gc.collect()\n    assert core.alive(1) == 0\n"
    )
    old = """\
        import gc

        import core


        def pytest_collection_finish():
            core.hold()
            gc.collect()  # what outlives it is looked at seldom
            core.HELD.clear()
    """
    root = project(core=text, tests__test_core=tests, conftest=old)
    _, report = scored(root, {"core.py": (18,)})
    assert {each.verdict for each in report.mutants} == {Fate.SURVIVED}


def test_a_file_of_tests_that_no_longer_imports_is_named(project, scored):
    tests = "import core\n\nassert core.LIMIT == 3\n\n\ndef test_it():\n    assert core.LIMIT\n"
    root = project(core="LIMIT = 3\n", tests__test_core=tests)
    _, report = scored(root, {"core.py": ()})
    assert [(each.verdict, each.test) for each in report.mutants] == [(Fate.KILLED, "tests/test_core.py")]


def test_what_a_conftest_imports_is_still_mutated(project, scored):
    root = project(rates=RATES, tests__test_rates=TESTS, conftest="import rates\n\nassert rates.price\n")
    _, report = scored(root, {"rates.py": ()})
    found = verdicts(report)
    assert found[3, "BASE = 3"] is Fate.KILLED
    assert found[6, "UNUSED = 8"] is Fate.SURVIVED
    assert report.unsteady == ()


def test_an_endless_import_is_noticed(project, scored):
    counted = """\
        STEPS = 0
        while STEPS < 3:
            STEPS += 1
        FIRST = 1
        SECOND = 2
    """
    tests = """\
        from counted import FIRST, SECOND, STEPS


        def test_steps():
            assert (STEPS, FIRST, SECOND) == (3, 1, 2)
    """
    root = project(counted=counted, tests__test_counted=tests)
    _, report = scored(root, {"counted.py": ()})
    found = verdicts(report)
    assert found[3, "STEPS -= 1"] is Fate.TIMEOUT
    assert {fate for (line, _), fate in found.items() if line > 3} == {Fate.KILLED}


def test_tests_that_fail_without_those_of_other_files_do_not_judge_and_are_named(project, scored):
    leaning = """\
        import rates
        import registry


        def test_registered():
            assert registry.KNOWN == ["early"]
            assert rates.UNUSED
    """
    early = """\
        import registry

        registry.KNOWN.append("early")


        def test_early():
            assert registry.KNOWN
    """
    root = project(
        rates=RATES,
        registry="KNOWN = []\n",
        tests__test_early=early,
        tests__test_leaning=leaning,
        tests__test_rates=TESTS,
    )
    _, report = scored(root, {"rates.py": ()})
    assert report.unsteady == ("tests/test_leaning.py::test_registered",)
    found = verdicts(report)
    assert found[6, "UNUSED = 8"] is Fate.SURVIVED
    assert found[3, "BASE = 3"] is Fate.KILLED


AT_IMPORT = {
    "functions that are called at import, and a decorator": {
        "core": """\
            def build(n):
                if n > 2:
                    return {"a": n + 1}
                return {}


            RATES = build(3)


            def registered(mark):
                def keep(function):
                    function.mark = mark
                    return function
                return keep


            @registered(7)
            def work():
                return 1
        """,
        "tests__test_core": """\
            from core import RATES, work


            def test_rates():
                assert RATES["a"] == 4


            def test_mark():
                assert work.mark == 7
        """,
    },
    "a test calls it too, and compares with what the import made of it": {
        "core": "def build(n):\n    return n + 1\n\n\nRATES = build(3)\n",
        "tests__test_core": """\
            from core import RATES, build


            def test_same():
                assert build(3) == RATES
        """,
    },
    "class bodies and defaults of data classes, read through another module": {
        "core": """\
            from dataclasses import dataclass, field


            class Steps:
                FIRST = 3
                SECOND = FIRST * 2


            @dataclass
            class Point:
                x: int = 2 + Steps.FIRST
                ys: list[int] = field(default_factory=lambda: [1])


            def unused(by=4):
                return by
        """,
        "shop__inner": "import core\n\n\ndef at():\n    p = core.Point()\n    return p.x + p.ys[0]\n",
        "shop__outer": "from .inner import at\n\nAT = at()\n",
        "tests__test_shop": "from shop import outer\n\n\ndef test_at():\n    assert outer.AT == 6\n",
    },
    "another module decorates with it": {
        "core": "KNOWN = []\n\n\ndef register(each):\n    KNOWN.append(each.__name__)\n    return each\n",
        "plugs": "from core import register\n\n\n@register\ndef one():\n    return 1\n",
        "tests__conftest": "import importlib\n\nimportlib.import_module('plugs')\n",
        "tests__test_core": """\
            import sys


            def test_one():
                assert sys.modules["core"].KNOWN == ["one"]
        """,
    },
}


@pytest.mark.parametrize("what", AT_IMPORT)
def test_what_runs_at_import_is_judged_as_an_ordinary_run_judges_it(project, scored, tmp_path, what):
    root = project(**AT_IMPORT[what])
    _, report = scored(root, {"core.py": ()}, jobs=2)
    found = {(each.line, each.after): each.verdict for each in report.mutants}
    unreached = {place for place, verdict in found.items() if verdict is Fate.UNCOVERED}
    lines = root.joinpath("core.py").read_text().splitlines()
    never = {"return {}", "def unused(by=4):", "return by", "return 1"}
    assert {lines[line - 1].strip() for line, _ in unreached} <= never
    told = {place: Fate.SURVIVED if place in unreached else verdict for place, verdict in found.items()}
    assert told == by_hand(root, report.mutants, tmp_path / "by-hand")
