"""The evaluator end to end: real git, real pytest, real tools on small projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.checks.judge import FullReport
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.survey import Surveyor
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.errors import SettingsError
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts

CODE = "def add(a, b):\n    return a - b\n"
TESTS = """\
from calc import add

def test_add():
    assert add(1, 2) == 3

def test_none():
    assert True
"""
BASE = {"src/calc/__init__.py": CODE, "tests/test_calc.py": TESTS}
ADD, NONE = "tests/test_calc.py::test_add", "tests/test_calc.py::test_none"


def states(evaluation):
    return {evidence.check: evidence.state for evidence in evaluation.evidence}


async def test_a_bug_is_mended_and_the_difference_is_told(bench) -> None:
    made = await bench(
        BASE, known_red=KnownRed.FIX, acceptance=("python -c 'import calc; calc.add(1, 1)'", "exit 3")
    )

    base = await made.measure(Stage.BASE)
    await made.change({"src/calc/__init__.py": "def add(a, b):\n    return a + b\n"})
    evaluated = await made.measure(Stage.EVALUATE, ADD)
    tested = await made.measure(Stage.TEST)

    assert [failure.test for failure in base.failures] == [ADD]
    assert base.failures[0].cause is Cause.ASSERTION
    assert base.test_counts == {"failed": 1, "passed": 1}
    assert evaluated.failures == ()
    assert states(evaluated) == {
        "parse": CheckState.PASS, "pytest": CheckState.PASS, "integrity": CheckState.PASS,
    }  # fmt: skip
    assert evaluated.quality.tests == 1.0  # of the suspects that ran
    assert states(tested)["pytest"] is CheckState.PASS
    assert (states(tested)["acceptance:1"], states(tested)["acceptance:2"]) == (
        CheckState.PASS,
        CheckState.FAIL,
    )
    assert [(finding.source, finding.severity) for finding in tested.findings] == [
        ("acceptance:2", Severity.ERROR)
    ]
    assert (tested.quality.tests, tested.quality.test_count) == (1.0, 2)
    assert tested.evidence_of("pytest").argv[1:3] == ("-m", "pytest")
    report = FullReport.model_validate_json(made.artifacts.read(tested.report))
    assert {result.evidence.check for result in report.results} >= {"parse", "pytest"}


async def test_known_red_is_tolerated_and_new_red_counts(bench) -> None:
    made = await bench(BASE)

    base = await made.measure(Stage.BASE)
    await made.change({"tests/test_more.py": "def test_more():\n    assert 1 == 2\n"})
    tested = await made.measure(Stage.TEST)

    assert (base.failures, base.known_red) == ((), (ADD,))
    assert base.evidence_of("pytest").state is CheckState.FAIL
    assert tested.known_red == (ADD,)
    assert [failure.test for failure in tested.failures] == ["tests/test_more.py::test_more"]
    assert tested.agent_wrote_tests


async def test_red_by_the_environment_is_never_asked_to_be_fixed(bench) -> None:
    made = await bench(
        {"tests/test_a.py": "import no_such_module_anywhere\n\ndef test_a():\n    pass\n"},
        known_red=KnownRed.FIX,
    )

    base = await made.measure(Stage.BASE)

    assert (base.failures, base.known_red) == ((), ("tests/test_a.py",))
    assert base.test_counts == {"error": 1}


async def test_the_same_tree_is_not_measured_twice_but_confirmed_anew(bench) -> None:
    made = await bench(BASE)
    await made.measure(Stage.BASE)

    await made.change({"src/calc/__init__.py": "def add(a, b):\n    return a + b\n"})
    first = await made.measure(Stage.TEST)
    second = await made.measure(Stage.TEST)
    confirmed = await made.measure(Stage.CONFIRM)

    cached = [evaluation.evidence_of("pytest").cached for evaluation in (first, second, confirmed)]
    assert cached == [False, True, False]
    assert second.test_counts == first.test_counts == confirmed.test_counts


async def test_a_tree_that_does_not_parse_is_measured_no_further(bench) -> None:
    made = await bench({**BASE, "old/py2.py": "print 'never'\n"})

    base = await made.measure(Stage.BASE)
    await made.change({"src/calc/__init__.py": "def add(a, b)\n    return a + b\n"})
    evaluated = await made.measure(Stage.EVALUATE, ADD)

    assert states(base)["parse"] is CheckState.PASS, "what stood at the base does not count"
    assert base.existing == 1
    assert base.evidence_of("parse").against_base == "nothing new (1 known at the base)"
    assert states(evaluated)["parse"] is CheckState.FAIL
    assert states(evaluated)["pytest"] is CheckState.NOT_MEASURED
    assert [(f.file, f.severity) for f in evaluated.findings] == [("src/calc/__init__.py", Severity.CRITICAL)]


async def test_only_new_findings_count_and_fixes_are_carried(bench) -> None:
    settings = ChecksSettings(pytest=False, bandit=True, mypy=True)
    files = {
        "pyproject.toml": "[tool.ruff]\n[tool.mypy]\nstrict = true\n",
        "calc.py": "import os\n\n\ndef add(a: int) -> int:\n    return a\n",
    }
    made = await bench(files, settings=settings)

    base = await made.measure(Stage.BASE)
    code = (
        "import os\nimport subprocess\nimport json\n\n\ndef add(a: int) -> str:\n"
        "    subprocess.call(str(a), shell=True)\n    return a\n"
    )
    await made.change({"calc.py": code})
    evaluated = await made.measure(Stage.EVALUATE)

    assert (base.findings, base.existing) == ((), 1)
    assert evaluated.evidence_of("ruff").against_base == "2 new (1 known at the base)"
    rules = {finding.rule: finding for finding in evaluated.findings}
    assert {"F401", "return-value", "B602"} <= set(rules)
    assert "json" in rules["F401"].message
    assert rules["F401"].fix is not None
    assert rules["F401"].fix.safe
    assert (rules["return-value"].category, rules["return-value"].severity) == (
        Category.TYPES,
        Severity.ERROR,
    )
    assert (rules["B602"].category, rules["B602"].severity) == (Category.SECURITY, Severity.CRITICAL)
    assert evaluated.quality.vulnerabilities == 1
    assert evaluated.quality.type_errors == 1
    assert evaluated.quality.security == 0.0
    assert evaluated.quality.documentation == 0.0
    assert evaluated.score is not None


async def test_coverage_of_the_changed_lines(bench) -> None:
    made = await bench(BASE, settings=ChecksSettings(bandit=False, reruns=0))
    await made.measure(Stage.BASE)

    dead = "".join(f"    a += {number}\n" for number in range(12))
    await made.change(
        {"src/calc/__init__.py": f"def add(a, b):\n    return a + b\n\n\ndef dead(a):\n{dead}    return a\n"}
    )
    tested = await made.measure(Stage.TEST)

    assert states(tested)["coverage"] is CheckState.PASS
    assert tested.coverage.changed_lines == 2 / 15
    assert tested.coverage.uncovered_changed == {"src/calc/__init__.py": tuple(range(6, 19))}
    assert tested.quality.coverage == (2 / 15) / 0.8


async def test_what_the_maker_leaves_ignored_does_not_help(bench) -> None:
    made = await bench({**BASE, ".gitignore": ".setpoint\n__pycache__\nhidden.py\n"}, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change({
        "src/calc/__init__.py": "from calc.hidden import add\n",
        "src/calc/hidden.py": "def add(a, b):\n    return a + b\n",
    })  # fmt: skip
    tested = await made.measure(Stage.TEST)

    assert [failure.cause for failure in tested.failures] == [Cause.IMPORT]


async def test_what_tests_leave_behind_stays_out_of_the_work(bench) -> None:
    made = await bench({"tests/test_a.py": "def test_a():\n    open('left.txt', 'w').close()\n"})

    await made.measure(Stage.BASE)
    again = await made.change({})

    assert again.empty


async def test_a_test_that_passes_alone_is_flaky_and_no_failure(bench, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    lines = (
        "from pathlib import Path",
        "def test_a():",
        f"    counter = Path({str(counter)!r})",
        "    before = counter.read_text() if counter.exists() else ''",
        "    counter.write_text(before + 'x')",
        "    assert before",
    )
    test = "\n".join(lines)
    made = await bench(
        {"tests/test_a.py": test}, settings=ChecksSettings(bandit=False, coverage=False, reruns=1)
    )

    base = await made.measure(Stage.BASE)

    assert (base.flaky, base.failures) == (("tests/test_a.py::test_a",), ())
    assert states(base)["pytest"] is CheckState.FLAKY


async def test_a_lost_base_is_measured_again(bench) -> None:
    made = await bench(BASE)
    await made.measure(Stage.BASE)
    (made.state / "seen" / "run-1.base.json").unlink()

    await made.change({"notes.txt": "nothing\n"})
    tested = await made.measure(Stage.TEST)

    assert tested.known_red == (ADD,)


async def test_the_checks_and_their_reasons(bench) -> None:
    made = await bench({**BASE, "mypy.ini": "[mypy]\n"}, settings=ChecksSettings(bandit=False))

    toolbox = await made.evaluator.prepare(made.order, made.copy)

    assert toolbox.checks["mypy"] == "mypy is configured in mypy.ini"
    assert "ruff" not in toolbox.checks
    assert "tests/test_calc.py" in toolbox.checks["pytest"]
    assert toolbox.python == made.evaluator.interpreter()


async def test_the_users_tree_is_measured_as_it_stands_and_left_alone(bench) -> None:
    made = await bench(BASE)
    (made.root / "src/calc/__init__.py").write_text("def add(a, b):\n    return a + b\n")
    (made.root / "tests/test_new.py").write_text("def test_new():\n    assert 0\n")
    before = _contents(made.root / ".git")

    measured = await made.standing()

    assert [failure.test for failure in measured.failures] == ["tests/test_new.py::test_new"]
    assert measured.test_counts == {"passed": 2, "failed": 1}
    assert _contents(made.root / ".git") == before
    assert [path.name for path in (made.copies / "measured").iterdir()] == []


async def test_a_place_made_while_an_interpreter_is_asked_goes_when_it_does_not_answer(bench) -> None:
    made = await bench(BASE)
    slow = made.state / "slow"
    slow.write_text(f"#!/bin/sh\nwhile [ ! -d {made.copies}/measured ]; do sleep 0.05; done\nexit 3\n")
    slow.chmod(0o755)
    settings = Settings(checks=ChecksSettings(python=str(slow), bandit=False))
    evaluator = TreeEvaluator(settings, Artifacts(made.state / "a"), made.folders)

    with pytest.raises(SettingsError, match="is not a working Python"):
        await evaluator.measure(made.root)

    assert [path.name for path in (made.copies / "measured").iterdir()] == []

    wanted = f"{made.copies}/repositories/check-*"
    slow.write_text(f"#!/bin/sh\nwhile ! ls {wanted}; do sleep 0.01; done\nexit 3\n")
    with pytest.raises(SettingsError, match="is not a working Python"):
        await evaluator.measure(made.root)
    assert [path.name for path in (made.copies / "repositories").glob("check-*")] == []


async def test_nothing_is_made_where_the_interpreter_is_known_not_to_work(bench) -> None:
    made = await bench(BASE)
    settings = Settings(checks=ChecksSettings(python="/nowhere/python", bandit=False))
    surveyor = Surveyor(settings, Artifacts(made.state / "a"), made.folders)

    with pytest.raises(SettingsError, match="is not a working Python"):
        await surveyor.survey(made.root)

    assert [*(made.copies / "measured").glob("*")] == [*(made.copies / "repositories").glob("check-*")] == []


async def test_no_tests_at_all(bench) -> None:
    made = await bench({"calc.py": CODE})

    base = await made.measure(Stage.BASE)

    assert states(base)["pytest"] is CheckState.NOT_MEASURED
    assert base.quality.tests is None


async def test_an_interpreter_without_pytest_is_an_error_with_its_mend(bench) -> None:
    made = await bench(BASE)
    bare = made.state / "bare"
    bare.mkdir()
    (bare / "python").write_text(
        '#!/bin/sh\necho \'{"version": "3", "build": "x", "prefix": "/", "path": ()}\'\n'
    )
    (bare / "python").chmod(0o755)
    settings = Settings(checks=ChecksSettings(python=str(bare / "python"), bandit=False))
    evaluator = ProjectEvaluator(settings, Artifacts(made.state / "a"), made.folders)
    made.evaluator = evaluator

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("pytest").state is CheckState.ERROR
    assert "checks.python" in base.evidence_of("pytest").reason


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
