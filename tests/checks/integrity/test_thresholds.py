from __future__ import annotations

import pytest

from setpoint.checks.integrity.thresholds import lowered, tool_settings

PYPROJECT = """\
[project]
name = "x"
dependencies = ["a"]

[tool.coverage.report]
fail_under = 90
omit = ["a.py"]

[tool.mypy]
strict = true
disallow_any_generics = true

[tool.ruff.lint]
select = ["E", "F"]
ignore = ["E501"]

[tool.pytest.ini_options]
addopts = "-ra --strict-markers --cov-fail-under=80"
testpaths = ["tests", "more"]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fail_under = 90", "fail_under = 10"),
        ("fail_under = 90\n", ""),
        ('omit = ["a.py"]', 'omit = ["a.py", "b.py"]'),
        ("strict = true", "strict = false"),
        ("disallow_any_generics = true\n", ""),
        ("strict = true\n", "strict = true\nignore_errors = true\n"),
        ('select = ["E", "F"]', 'select = ["E"]'),
        ('ignore = ["E501"]', 'ignore = ["E501", "F401"]'),
        ("-ra --strict", "-ra -k fast --strict"),
        ("--strict-markers ", ""),
        ("--cov-fail-under=80", "--cov-fail-under=8"),
        ("-ra ", "-ra --deselect=tests/test_a.py::test_x "),
        ('testpaths = ["tests", "more"]', 'testpaths = ["more"]'),
        ("[tool.ruff.lint]", "[tool.ruff.lint.per-file-ignores]\n'src/*' = ['F']\n[tool.ruff.lint]"),
    ],
)
def test_what_demands_less_is_seen(old: str, new: str) -> None:
    assert old in PYPROJECT
    assert lowered("pyproject.toml", PYPROJECT, PYPROJECT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fail_under = 90", "fail_under = 95"),
        ('dependencies = ["a"]', 'dependencies = ["a", "b"]'),
        ('ignore = ["E501"]', "ignore = []"),
        ('select = ["E", "F"]', 'select = ["E", "F", "B"]'),
        ("strict = true", "strict = true\nwarn_unreachable = true"),
        ("-ra ", "-ra -q "),
    ],
)
def test_what_demands_as_much_or_more_is_not(old: str, new: str) -> None:
    assert old in PYPROJECT
    assert lowered("pyproject.toml", PYPROJECT, PYPROJECT.replace(old, new)) == ()


def test_ini_files_and_files_that_cannot_be_read() -> None:
    base = "[metadata]\nname = x\n[mypy]\nstrict = true\n[flake8]\nmax-line-length = 80\n"

    assert tool_settings("setup.cfg", base) == {
        ("mypy", "strict"): "true",
        ("flake8", "max-line-length"): "80",
    }
    assert lowered("setup.cfg", base, base.replace("= 80", "= 300"))
    assert lowered("setup.cfg", base, "no section\n")[0].after == "not readable"
    assert tool_settings("pyproject.toml", "[tool.mypy\n") is None
