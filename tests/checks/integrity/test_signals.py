"""The signals of rules 4, 5, 7 and 8 through the evaluator, and base tests run apart from the maker's."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.metric import mark
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import IntegrityMode
from setpoint.settings import ChecksSettings

TEST = "tests/test_calc.py"
CODE = "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n"
RIGHT = CODE.replace("a - b", "a + b")
TESTS = """from calc import add, twice

def test_add():
    assert add(123, 2) == 125

def test_twice():
    assert twice(4) == 8
    assert twice(50) == 100
"""
BASE = {"calc.py": CODE, TEST: TESTS}
QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
OFF = ChecksSettings(pytest=False, bandit=False)


def rules(evaluation):
    return {each.rule for each in evaluation.findings if each.category is Category.INTEGRITY}


async def test_a_hard_coded_value_and_a_question_for_the_runner_are_signals_that_do_not_block(bench):
    made = await bench(BASE, settings=OFF)
    text = CODE.replace("    return a - b", "    if a == 123:\n        return 125\n    return a - b")

    await made.change({"calc.py": "import sys\n\nTESTED = 'pytest' in sys.modules\n" + text})
    evaluated = await made.measure(Stage.EVALUATE)

    assert rules(evaluated) == {"hard-coded", "under-test"}
    assert not evaluated.blocking
    assert 0 < evaluated.quality.integrity < 0.5
    assert evaluated.evidence_of("integrity").state is CheckState.FAIL


async def test_what_a_suppression_hides_is_run_for_and_told(bench):
    made = await bench(
        {**BASE, "ruff.toml": 'lint.select = ["F", "S"]\nlint.per-file-ignores = {"tests/*" = ["S"]}\n'},
        settings=ChecksSettings(pytest=False, bandit=False, ruff=True),
    )
    hidden = "import subprocess\nsubprocess.call('ls', shell=True)  # noqa: S602, S607\n"

    await made.change({"calc.py": RIGHT + hidden})
    evaluated = await made.measure(Stage.EVALUATE)

    (finding,) = [each for each in evaluated.findings if each.rule == "suppression"]
    assert "hides ruff S602" in finding.message
    assert finding.severity is Severity.WARNING
    assert evaluated.evidence_of("ruff").state is CheckState.PASS
    assert (made.tree / "calc.py").read_text() == RIGHT + hidden


async def test_in_mode_free_a_weaker_test_is_a_signal(bench):
    made = await bench(BASE, settings=OFF, integrity=IntegrityMode.FREE)

    await made.change({TEST: TESTS.replace("== 125", "is not None"), "calc.py": RIGHT})
    evaluated = await made.measure(Stage.EVALUATE)

    assert rules(evaluated) == {"strength"}
    assert "exact assertions 1 -> 0" in evaluated.findings[0].message


BENT = "import calc\n\ncalc.add = lambda a, b: a + b\n\n"
CHEATS = {
    "a new conftest of fixtures bends the code": {
        "tests/test_new.py": BENT + "def test_new():\n    assert calc.add(1, 1) == 2\n"
    },
    "an appended test comes first and bends the code": {
        TEST: TESTS
        + "\ndef test_a0():\n    import calc, sys\n    sys.modules[__name__].add = lambda a, b: a + b\n"
    },
    "a file that is collected before": {
        "tests/a/test_first.py": BENT + "def test_first():\n    assert True\n"
    },
    "a module beside the tests": {
        "tests/calc.py": RIGHT,
        "tests/test_new.py": "def test_new():\n    assert 1 + 1 == 2\n",
    },
}


@pytest.mark.parametrize("name", CHEATS)
async def test_added_tests_cannot_bring_a_test_of_the_base_to_pass(bench, name):
    made = await bench(BASE, settings=QUICK)
    await made.measure(Stage.BASE)

    await made.change(CHEATS[name])
    evaluated = await made.measure(Stage.TEST)

    assert "tests/test_calc.py::test_add" in {
        *evaluated.known_red,
        *(each.test for each in evaluated.failures),
    }


async def test_added_tests_count_and_have_evidence_of_their_own(bench):
    made = await bench(BASE, settings=QUICK)
    base = await made.measure(Stage.BASE)
    more = "from calc import twice\n\ndef test_more():\n    assert twice(3) == 6\n\n"
    more += "def test_red():\n    assert twice(3) == 7\n"

    await made.change(
        {
            "calc.py": RIGHT,
            "tests/test_more.py": more,
            TEST: TESTS + "\ndef test_zero():\n    assert add(0, 0) == 0\n",
        }
    )
    evaluated = await made.measure(Stage.TEST)

    assert base.known_red == ("tests/test_calc.py::test_add",)
    assert evaluated.test_counts == {"passed": 4, "failed": 1}
    assert [each.test for each in evaluated.failures] == ["tests/test_more.py::test_red"]
    assert evaluated.evidence_of("pytest").state is CheckState.FAIL
    assert evaluated.evidence_of("pytest-base").counts == {"passed": 2}
    assert evaluated.evidence_of("pytest-added").counts == {"passed": 4, "failed": 1}
    assert evaluated.known_red == ()


async def test_coverage_of_both_runs_is_one(bench):
    made = await bench(BASE, settings=ChecksSettings(bandit=False, coverage=True, reruns=0))
    await made.measure(Stage.BASE)
    code = RIGHT + "\n\ndef thrice(a):\n    return a * 3\n"

    await made.change(
        {
            "calc.py": code,
            "tests/test_thrice.py": "from calc import thrice\n\ndef test_it():\n    assert thrice(2) == 6\n",
        }
    )
    evaluated = await made.measure(Stage.TEST)

    assert evaluated.coverage is not None
    assert evaluated.coverage.lines == 1.0


async def test_suspects_are_asked_for_where_they_stand(bench):
    made = await bench(BASE, settings=QUICK)
    await made.measure(Stage.BASE)

    await made.change({"tests/test_more.py": "def test_red():\n    assert 1 == 2\n"})
    evaluated = await made.measure(
        Stage.EVALUATE, "tests/test_calc.py::test_twice", "tests/test_more.py::test_red"
    )

    assert evaluated.test_counts == {"passed": 1, "failed": 1}


async def test_a_released_file_is_judged_as_the_maker_leaves_it(bench):
    made = await bench(BASE, settings=QUICK, may_change=(TEST,))
    await made.measure(Stage.BASE)

    await made.change({TEST: TESTS.replace("== 125", "== 121").replace("def test_twice", "def test_double")})
    evaluated = await made.measure(Stage.TEST)

    assert made.restored == [()]
    assert evaluated.test_counts == {"passed": 2}
    assert not evaluated.blocking
    assert TEST in evaluated.evidence_of("integrity").reason


async def test_tests_are_protected_whatever_their_file_is_called(bench):
    files = {
        "pytest.ini": "[pytest]\npython_files = check_*.py\n",
        "calc.py": CODE,
        "checks/check_calc.py": TESTS,
    }
    made = await bench(files, settings=QUICK)
    await made.measure(Stage.BASE)

    await made.change({"checks/check_calc.py": TESTS.replace("== 125", "== 121")})
    evaluated = await made.measure(Stage.EVALUATE)

    assert evaluated.restored == ("checks/check_calc.py",)
    assert evaluated.blocking


async def test_ruff_settings_of_a_folder_with_code_are_put_back(bench):
    made = await bench({**BASE, "shop/till.py": "x = 1\n"}, settings=OFF)

    await made.change({"shop/ruff.toml": 'lint.select = ["E9"]\n', "new/ruff.toml": 'lint.select = ["E9"]\n'})

    assert made.restored == [("shop/ruff.toml",)]


def test_the_mark_falls_by_declared_weights():
    def finding(rule, severity=Severity.WARNING):
        return Finding(
            source="integrity", rule=rule, severity=severity, category=Category.INTEGRITY, message="m"
        )

    assert mark(()) == 1.0
    assert mark([finding("suppression")]) == pytest.approx(0.95)
    assert mark([finding("under-test"), finding("hard-coded")]) == pytest.approx(0.42)
    assert mark([finding("vanished", Severity.CRITICAL)]) == 0.0
