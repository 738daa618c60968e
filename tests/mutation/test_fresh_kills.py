"""Mutants of code that runs at import: children of a fork server say what a process of its own would say."""

import shutil
import subprocess
import sys

from mutation.conftest import ENVIRONMENT
from setpoint.domain.mutation import Fate

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
        told[mutant.line, mutant.after] = Fate.KILLED if done.returncode else Fate.SURVIVED
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
