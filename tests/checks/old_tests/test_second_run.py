"""A base that runs twice: what differs between the runs is known, and blames nobody."""

from __future__ import annotations

import shutil

import pytest

from setpoint.checks.old_tests import second_run
from setpoint.checks.old_tests.second_run import differing
from setpoint.model import evidence
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Outcome
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
CODE = "def double(n):\n    return n + n\n\n\ndef half(n):\n    return n // 3\n"
HASHED = """\
import pytest

from num import double, half

CASES = {(text, (int(text),)) for text in ("1", "2", "3", "4", "5", "6")}


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_double(text, expected):
    assert double(int(text)) == expected[0] * 2


def test_half():
    assert half(6) == 3
"""
PATHS = {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'}
BASE = {**PATHS, "num.py": CODE, "tests/test_num.py": HASHED}
PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


async def test_names_that_hang_on_the_hash_seed_are_no_lost_tests(bench) -> None:
    made = await bench(BASE, settings=QUICK, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)
    await made.change({"num.py": CODE.replace("// 3", "// 2")})
    tested = await made.measure(Stage.TEST)

    assert base.test_counts == {"passed": 6, "failed": 1}
    assert base.unstable
    assert {each.partition("[")[0] for each in base.unstable} == {"tests/test_num.py::test_double"}
    assert (tested.test_counts, tested.failures, tested.blocking) == ({"passed": 7}, (), ())


async def test_what_breaks_is_blamed_though_names_are_unstable(bench) -> None:
    made = await bench(BASE, settings=QUICK)
    await made.measure(Stage.BASE)
    await made.change({"num.py": CODE.replace("n + n", "n")})

    tested = await made.measure(Stage.TEST)

    assert len(tested.failures) == 6


async def test_an_outcome_that_hangs_on_seed_or_place_blames_nobody(bench) -> None:
    by_seed = (
        "import os\nfrom num import half\n\n\n"
        "def test_seed():\n    assert os.environ['PYTHONHASHSEED'] == '0' and half(6) == 2\n"
    )
    made = await bench({**BASE, "tests/test_num.py": by_seed}, settings=QUICK)

    base = await made.measure(Stage.BASE)
    await made.change({"num.py": CODE.replace("// 3", "// 2")})
    tested = await made.measure(Stage.TEST)

    assert base.unstable == ("tests/test_num.py::test_seed",)
    assert (tested.failures, tested.known_red) == ((), ("tests/test_num.py::test_seed",))


async def test_where_all_fails_in_the_other_folder_it_is_compared_in_the_first(bench) -> None:
    here = (
        "import os\n\nimport pytest\n\n\n@pytest.mark.parametrize('n', range(30))\n"
        "def test_here(n):\n    assert not os.getcwd().endswith('.again')\n"
    )
    made = await bench({**PATHS, "tests/test_here.py": here}, settings=QUICK)

    base = await made.measure(Stage.BASE)

    assert (base.unstable, base.test_counts) == ((), {"passed": 30})


async def test_a_suite_that_takes_long_is_collected_only_and_none_twice(bench, monkeypatch) -> None:
    monkeypatch.setattr(second_run, "LONG_S", 0.0)
    made = await bench({**BASE, "tests/test_more.py": "def test_more():\n    assert True\n"}, settings=QUICK)
    ran = []

    async def noted(runner, measured, only):
        ran.append("--collect-only" in runner.args)
        return await run_once(runner, measured, only)

    run_once = second_run.run_once
    monkeypatch.setattr(second_run, "run_once", noted)

    base = await made.measure(Stage.BASE)
    (made.state / "seen" / "run-1.base.json").unlink()
    made.use(made.settings)
    again = await made.measure(Stage.BASE)

    assert ran == [True]
    assert base.unstable == again.unstable != ()


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
async def test_names_of_scripts_that_hold_the_time_are_unstable(bench) -> None:
    test = (
        "const test = require('node:test')\ntest(`at ${process.hrtime.bigint()}`, () => {})\n"
        "test('always', () => {})\n"
    )
    files = {
        "package.json": '{"scripts": {"test": "node --test"}}\n',
        "a.js": "exports.a = 1\n",
        "test/a.test.js": test,
    }
    made = await bench(files, settings=QUICK)

    base = await made.measure(Stage.BASE)
    await made.change({"a.js": "exports.a = 2\n"})
    tested = await made.measure(Stage.TEST)

    assert len(base.unstable) == 2
    assert all(each.startswith("test/a.test.js::at ") for each in base.unstable)
    assert (tested.failures, tested.blocking, tested.test_counts) == ((), (), {"passed": 2})


def test_what_differs_between_two_reports() -> None:
    first = evidence.TestReport(
        outcomes={
            "a.py::x[1]": PASSED,
            "a.py::y": PASSED,
            "a.py::z": SKIPPED,
            "b.py::w": PASSED,
            "c.py::v": FAILED,
        }
    )
    second = evidence.TestReport(
        outcomes={
            "a.py::x[2]": PASSED,
            "a.py::y": FAILED,
            "a.py::z": SKIPPED,
            "b.py": FAILED,
            "c.py::v": FAILED,
        }
    )

    assert differing(first, second) == (("a.py::x[1]", "a.py::x[2]"), ("a.py::y", "b.py::w"))
    assert differing(first, first) == ((), ())
