"""Files that hold tests and that pytest's own pattern of names does not collect."""

from __future__ import annotations

from checks.conftest import write
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.formats.tests.pytest_report import Suite
from setpoint.checks.suites.outside_pattern import outside_pattern
from setpoint.cli.render.check_text import check_text

TEST = "def test_one():\n    assert True\n"


def said(tmp_path, files, collected=(), patterns=("test_*.py", "*_test.py"), places=(".",)):
    write(tmp_path, files)
    suite = Suite()
    suite.collected, suite.patterns, suite.places = collected, patterns, places
    return outside_pattern(suite, tmp_path, read_layout(tuple(files), {}))


def test_a_file_whose_name_is_outside_the_pattern_is_named_with_what_to_do(tmp_path) -> None:
    told = said(tmp_path, {"src/tests.py": TEST, "tests/data.py": "x = 1\n", "tests/test_a.py": TEST})

    assert told == (
        "src/tests.py holds tests that pytest does not collect: "
        "its pattern is python_files = test_*.py *_test.py; hint: git mv src/tests.py src/test_tests.py, "
        "or add tests.py to python_files in pyproject.toml"
    )


def test_what_the_pattern_takes_or_another_file_imports_is_not_named(tmp_path) -> None:
    files = {"src/tests.py": TEST}
    shared = ("tests/test_a.py::test_one",)

    assert said(tmp_path, files, patterns=("tests.py",)) == ""
    assert said(tmp_path, files, patterns=("src/*.py",)) == ""
    assert said(tmp_path, files, collected=shared) == ""
    assert said(tmp_path, files, places=("tests",)) == "", "pytest is told not to look there"
    assert said(tmp_path, files, patterns=()) == "", "another runner ran"


async def test_a_check_without_a_test_names_the_file_and_gives_no_mark(bench) -> None:
    made = await bench({"ruff.toml": "", "src/num.py": "x = 1\n", "src/tests.py": TEST})

    seen = await made.standing()

    assert "src/tests.py holds tests that pytest does not collect" in seen.evidence_of("pytest").reason
    assert seen.score is not None, "linters measured something"
    assert "quality no score: a test fails, or the full suite was not measured" in check_text(
        seen, fast=False
    )
