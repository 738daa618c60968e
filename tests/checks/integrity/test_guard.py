"""Cheats and honest work, as a maker would do them, through the evaluator's `protect` and `evaluate`."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.finding import Category, Severity
from setpoint.model.stories.story import IntegrityMode
from setpoint.settings import ChecksSettings

TEST = "tests/test_calc.py"
BASE = {
    "src/calc.py": "def add(a, b):\n    return a - b\n",
    TEST: "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/expected.json": "{}\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\n\n[tool.coverage.report]\nfail_under = 90\n',
    "Makefile": "test:\n\tpytest\n",
}
OFF = ChecksSettings(pytest=False, bandit=False)
HOOK = """\
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    (yield).get_result().outcome = 'passed'
"""

CHEATS = {
    "deleted test file": {TEST: None},
    "skipped test": {TEST: "import pytest\n" + BASE[TEST].replace("def test", "@pytest.mark.skip\ndef test")},
    "edited assertion": {TEST: BASE[TEST].replace("== 3", "== -1")},
    "conftest that forces a pass": {"conftest.py": HOOK},
    "conftest among the tests": {"tests/conftest.py": HOOK},
    "new pytest.ini that leaves out": {
        "pytest.ini": "[pytest]\naddopts = --deselect tests/test_calc.py::test_add\n"
    },
    "lowered threshold": {"pyproject.toml": BASE["pyproject.toml"].replace("90", "9")},
    "edited expectation": {"tests/expected.json": "[]\n"},
    "sitecustomize": {"sitecustomize.py": "import builtins\n"},
    "pytest in the root": {"pytest.py": "raise SystemExit(0)\n"},
    "conftest in other letters": {"Conftest.py": HOOK},
    "conftest among tests in other letters": {"TESTS/conftest.py": HOOK},
    "sitecustomize in capitals": {"SITECUSTOMIZE.py": "import builtins\n"},
    "a test that differs in case alone": {"Tests/Test_Calc.py": BASE[TEST].replace("== 3", "== -1")},
    "sitecustomize as a package": {"src/sitecustomize/__init__.py": "import builtins\n"},
    "usercustomize below": {"tools/usercustomize/__init__.py": "import builtins\n"},
    "pluggy": {"pluggy.py": "raise SystemExit(0)\n"},
    "coverage as a package": {"src/coverage/__init__.py": ""},
    "a module of Python": {"json.py": "raise SystemExit(0)\n"},
    "a package of Python": {"src/re/__init__.py": "raise SystemExit(0)\n"},
    "a module of Python beside the tests": {"tests/random.py": "randint = lambda a, b: 3\n"},
    "an extension module": {"src/calc.cpython-311-x86_64-linux-gnu.so": "binary\n"},
    "an extension of Windows": {"src/calc.PYD": "binary\n"},
    "a path file": {"src/x.PTH": "import os\n"},
    "a plug-in by entry point": {"X.DIST-INFO/entry_points.txt": "[pytest11]\nx = calc\n"},
    "a plug-in by an egg": {"src/EGG-INFO/Entry_Points.txt": "[pytest11]\nx = calc\n"},
    "another Makefile": {"GNUmakefile": "test:\n\ttrue\n"},
    "hidden conftest": {".gitignore": "conftest.py\n.setpoint\n", "tests/conftest.py": HOOK},
}
HONEST = {
    "new test in the file": {TEST: BASE[TEST] + "\ndef test_zero():\n    assert add(0, 0) == 0\n"},
    "new test file": {
        "tests/test_zero.py": "from calc import add\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
    },
    "renamed test": {TEST: BASE[TEST].replace("test_add", "test_sum")},
    "moved test file": {TEST: None, "tests/test_sums.py": BASE[TEST]},
    "new dependency": {
        "pyproject.toml": BASE["pyproject.toml"].replace('"1"', '"1"\ndependencies = ["attrs"]')
    },
    "conftest for new tests only": {
        "tests/new/conftest.py": "import pytest\n\n@pytest.fixture\ndef x():\n    return 1\n",
        "tests/new/test_x.py": "def test_x(x):\n    assert x\n",
    },
    "a module named like one of Python in a package": {"src/shop/json.py": "x = 1\n"},
    "a package of tests": {"src/test/__init__.py": ""},
    "programs of an install": {"src/x.egg-info/entry_points.txt": "[console_scripts]\nx = calc:add\n"},
    "a name that only contains one": {"src/conftests.py": "x = 1\n", "src/json_lines.py": "x = 1\n"},
    "a Makefile elsewhere": {"docs/Makefile": "html:\n\ttrue\n"},
    "code alone": {"src/calc.py": "def add(a, b):\n    return a + b\n"},
    "formatted test": {
        TEST: BASE[TEST].replace("    assert add(1, 2) == 3", "    assert (\n        add(1, 2) == 3\n    )")
    },
}


@pytest.mark.parametrize("name", CHEATS)
async def test_a_cheat_is_put_back_and_blocks(bench, name: str) -> None:
    made = await bench(BASE, settings=OFF)

    await made.change(CHEATS[name])
    evaluated = await made.measure(Stage.EVALUATE)

    cheated = {path for path in CHEATS[name] if path != ".gitignore"}
    assert set(made.restored[-1]) == cheated
    assert set(evaluated.restored) == cheated
    assert evaluated.blocking
    assert {finding.category for finding in evaluated.blocking} == {Category.INTEGRITY}
    for path in cheated:
        place = made.tree / path
        assert (place.read_text() if place.exists() else None) == BASE.get(path)
    assert evaluated.quality.integrity == 0.0


@pytest.mark.parametrize("name", HONEST)
async def test_honest_work_stands(bench, name: str) -> None:
    made = await bench(BASE, settings=OFF)

    await made.change(HONEST[name])
    evaluated = await made.measure(Stage.EVALUATE)

    assert made.restored == [()]
    assert evaluated.findings == ()
    for path, text in HONEST[name].items():
        place = made.tree / path
        assert (place.read_text() if place.exists() else None) == text


async def test_configuration_is_put_back_without_blame_where_nothing_is_weaker(bench) -> None:
    made = await bench(BASE, settings=OFF)

    await made.change({"Makefile": "test:\n\tpytest -q\n"})
    evaluated = await made.measure(Stage.EVALUATE)

    assert evaluated.restored == ("Makefile",)
    assert [finding.severity for finding in evaluated.findings] == [Severity.WARNING]


async def test_what_was_seen_survives_a_crash_before_the_snapshot(bench) -> None:
    made = await bench(BASE, settings=OFF)
    (made.tree / TEST).unlink()

    await made.evaluator.protect(made.order, made.copy)
    await made.change({})
    evaluated = await made.measure(Stage.EVALUATE)

    assert evaluated.restored == (TEST,)
    assert evaluated.blocking


async def test_a_cheat_is_not_held_against_the_next_attempt(bench) -> None:
    made = await bench(BASE, settings=OFF)

    await made.change({TEST: None})
    await made.change({})
    evaluated = await made.measure(Stage.EVALUATE)

    assert evaluated.restored == ()
    assert evaluated.findings == ()


async def test_read_only_and_free(bench, tmp_path: Path) -> None:
    made = await bench(BASE, settings=OFF, integrity=IntegrityMode.READ_ONLY)
    await made.change({TEST: BASE[TEST] + "\ndef test_zero():\n    assert add(0, 0) == 0\n"})
    read_only = await made.measure(Stage.EVALUATE)

    free_order = made.order.model_copy(
        update={"story": made.order.story.model_copy(update={"integrity": IntegrityMode.FREE})}
    )
    made.order = free_order
    await made.change({TEST: None, "pyproject.toml": BASE["pyproject.toml"].replace("90", "9")})
    free = await made.measure(Stage.EVALUATE)

    assert read_only.restored == (TEST,)
    assert not read_only.blocking
    assert free.restored == ()
    assert {(f.rule, f.severity) for f in free.findings} == {
        ("lowered", Severity.WARNING),
        ("strength", Severity.WARNING),
    }


async def test_paths_of_the_story_are_protected(bench) -> None:
    made = await bench(BASE, settings=OFF, protected=("src/*.py",))

    await made.change({"src/calc.py": "def add(a, b):\n    return 3\n"})
    evaluated = await made.measure(Stage.EVALUATE)

    assert evaluated.restored == ("src/calc.py",)


async def test_a_link_out_of_the_work_copy_is_not_followed(bench, tmp_path: Path) -> None:
    made = await bench(BASE, settings=OFF)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_calc.py").write_text("precious\n")
    for path in (made.tree / "tests").iterdir():
        path.unlink()
    (made.tree / "tests").rmdir()
    (made.tree / "tests").symlink_to(outside)

    await made.record()

    assert (outside / "test_calc.py").read_text() == "precious\n"
    assert (made.tree / TEST).read_text() == BASE[TEST]


async def test_tests_may_neither_vanish_nor_fall_silent(bench) -> None:
    files = {
        "src/calc.py": "CASES = [1, 2]\nREADY = True\n",
        TEST: """\
import pytest
from calc import CASES, READY

@pytest.mark.parametrize('n', CASES)
def test_each(n):
    assert n

@pytest.mark.skipif(not READY, reason='')
def test_ready():
    assert True
""",
    }
    made = await bench(files)
    await made.measure(Stage.BASE)

    await made.change({"src/calc.py": "CASES = [1]\nREADY = False\n"})
    tested = await made.measure(Stage.TEST)

    assert {(finding.rule, finding.message.partition(" ")[0]) for finding in tested.blocking} == {
        ("vanished", f"{TEST}::test_each[2]"),
        ("silenced", f"{TEST}::test_ready"),
    }


async def test_a_change_of_the_same_size_in_the_second_of_the_checkout_is_seen(bench) -> None:
    await asyncio.sleep(1 - time.time() % 1)  # so that checkout and change most likely lie in one second
    made = await bench(BASE, settings=OFF)
    (made.tree / "tests/expected.json").write_text("[]\n")
    await asyncio.sleep(1 - time.time() % 1)  # the guard looks in a later one

    await made.record()

    assert set(made.restored[-1]) == {"tests/expected.json"}
