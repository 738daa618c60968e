"""Several packages of Python, each with a pytest of its own: one report, and names from the root."""

from __future__ import annotations

from setpoint.checks.discovery.layout import configuration, read_layout
from setpoint.checks.localise.python_spectra import APART
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings
from several_packages import REPOSITORIES, SOURCES, with_code

CHECKS = ChecksSettings(bandit=False, coverage=False, reruns=0)
PYTHON = REPOSITORIES["python"]
TESTS = {name: f"packages/{name}/tests/test_it.py::test_{called}" for name, called in (("a", "add"), ("b", "twice"), ("c", "one"))}  # fmt: skip  # noqa: E501


def roots(files: dict[str, str]) -> list[str]:
    known = tuple(files)
    layout = read_layout(known, {file: files[file] for file in configuration(known)})
    return [each.folder for each in layout.test_roots]


async def test_each_package_runs_its_tests_with_its_own_settings(bench) -> None:
    made = await bench(PYTHON, settings=CHECKS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)
    await made.change({SOURCES["python"]: with_code("python", "x + y")})
    after = await made.measure(Stage.TEST)

    assert base.evidence_of("pytest").state is CheckState.FAIL
    assert {each.test for each in base.failures} == {TESTS["a"], TESTS["b"]}
    assert {each.file for each in base.failures} == {
        "packages/a/tests/test_it.py",
        "packages/b/tests/test_it.py",
    }
    assert after.test_counts == {"passed": 3}
    assert not after.blocking
    assert base.suspects == ()
    assert base.localised == f"not localised: {APART}; see the place of each failure"


async def test_a_change_of_one_package_runs_its_tests_before_the_whole_suite(bench) -> None:
    made = await bench(PYTHON, settings=CHECKS)
    await made.measure(Stage.BASE)
    await made.change({"packages/c/src/c/one.py": "def one():\n    return 2\n"})

    early, whole = await made.measure(Stage.EVALUATE), await made.measure(Stage.TEST)

    assert [each.test for each in early.failures] == [TESTS["c"]]
    assert early.test_counts == {"failed": 1}
    assert early.evidence_of("pytest").reason == "for packages/c"
    assert sum(whole.test_counts.values()) == 3


async def test_new_tests_outside_all_packages_and_in_a_new_one_run_too(bench) -> None:
    made = await bench(PYTHON, settings=CHECKS)
    await made.measure(Stage.BASE)
    new = "def test_new():\n    assert True\n"
    await made.change({"tests/test_whole.py": new, "packages/d/tests/test_it.py": new})

    after = await made.measure(Stage.TEST)

    assert after.test_counts == {"failed": 2, "passed": 3}


async def test_a_package_that_breaks_is_named(bench) -> None:
    made = await bench(PYTHON, settings=CHECKS)
    await made.measure(Stage.BASE)
    await made.change({"packages/c/src/c/one.py": "import os\n\nos._exit(3)\n"})

    after = await made.measure(Stage.TEST)

    assert after.evidence_of("pytest").state is CheckState.ERROR


async def test_coverage_of_all_packages_is_put_together(bench) -> None:
    made = await bench(PYTHON, settings=ChecksSettings(bandit=False, reruns=0))

    base = await made.measure(Stage.BASE)

    assert base.evidence_of("coverage").counts == {"statements": 7, "covered": 7, "new": 0}


async def test_doctor_lists_the_packages_and_what_runs_in_each(bench) -> None:
    made = await bench(PYTHON, settings=CHECKS)

    found = await made.survey()

    assert dict(found.packages) == {
        "packages/a": "python; pytest runs here",
        "packages/b": "python; depends on packages/a; pytest runs here",
        "packages/c": "python; pytest runs here",
    }
    assert "run apart in packages/a (pyproject.toml), packages/b (pyproject.toml)" in found.checks["pytest"]


def test_pytest_settings_at_the_root_hold_for_all() -> None:
    root = PYTHON["pyproject.toml"] + "[tool.pytest.ini_options]\n"

    assert roots({**PYTHON, "pyproject.toml": root}) == []


def test_packages_without_settings_run_apart_only_where_names_clash() -> None:
    plain = {"a/setup.py": "", "b/setup.py": "", "a/tests/test_a.py": "", "b/tests/test_b.py": ""}

    assert roots(plain) == []
    assert roots({**plain, "a/tests/test_b.py": ""}) == ["a", "b"]
    assert roots({**plain, "a/src/a/__init__.py": ""}) == ["a", "b"]
    assert roots({**plain, "b/tox.ini": "[pytest]\n"}) == ["a", "b"]
    assert roots({**plain, "tests/one/pytest.ini": "", "tests/one/test_x.py": ""}) == []
