"""Changes of CI files that concern versions alone pass; whatever else changes does not."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.paths.version_lists import tries_no_less

WORKFLOW = """\
jobs:
  test:
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        python-version:
          - "3.8"
          - "3.13-dev"  # a preview
          - "pypy-3.8"
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python-version }}
      - run: pytest --strict-markers
  lint:
    steps:
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: ruff check
"""
CI = ".github/workflows/test.yml"
TOX = "[tox]\nenvlist = py{37,38}, lint\n\n[testenv]\ncommands = pytest\n"


@pytest.mark.parametrize(
    ("old", "new", "wish"),
    [
        ('          - "pypy-3.8"\n', '          - "pypy-3.8"\n          - "3.14-dev"\n', "go on"),
        ('"3.13-dev"  # a preview', '"3.13"', "Update the CI"),
        ('          - "3.8"\n', "", "Drop Python 3.8"),
        ("checkout@v4", "checkout@v5", "bump actions"),
        ('python-version: "3.11"', 'python-version: "3.12"', "lint with 3.12"),
        (
            '-version:\n          - "3.8"\n          - "3.13-dev"  # a preview\n          - "pypy-3.8"\n',
            '-version: ["3.8", "3.13-dev", "pypy-3.8", "3.14"]\n',
            "add 3.14",
        ),
    ],
)
def test_a_workflow_that_tries_no_less_may_change(old: str, new: str, wish: str) -> None:
    assert old in WORKFLOW
    assert tries_no_less(CI, WORKFLOW, WORKFLOW.replace(old, new), wish)


@pytest.mark.parametrize(
    ("old", "new", "wish"),
    [
        ('          - "3.8"\n', "", "Fix the tests of 3.8"),
        ('          - "3.8"\n', "", "Drop Python 3.7"),
        ('          - "3.8"\n          - "3.13-dev"  # a preview\n', "", "Drop 3.8"),
        ("checkout@v4", "checkout@v3", "bump actions"),
        ("checkout@v4", "checkout@0f1e2d3c4b5a69788796a5b4c3d2e1f001122334", "bump actions"),
        ("actions/checkout@v4", "somebody/checkout@v5", "bump actions"),
        ("pytest --strict-markers", "pytest", "tidy the CI"),
        ("      - run: ruff check\n", "", "tidy the CI"),
        ('python-version: "3.11"', 'python-version: "3.9"', "lint with 3.9"),
        ("[ubuntu-latest, windows-latest]", "[ubuntu-latest]", "drop 3.8"),
        ("    steps:\n", "    continue-on-error: true\n    steps:\n", "add 3.14"),
        (
            "    strategy:\n",
            "    strategy:\n      max-parallel: 2\n",
            "add 3.14",
        ),
    ],
)
def test_a_workflow_that_may_try_less_is_asked_about(old: str, new: str, wish: str) -> None:
    assert old in WORKFLOW
    assert not tries_no_less(CI, WORKFLOW, WORKFLOW.replace(old, new, 1), wish)


def test_environments_of_tox_may_grow() -> None:
    assert tries_no_less("tox.ini", TOX, TOX.replace("py{37,38}", "py{37,38,39}"), "support 3.9")
    assert tries_no_less("tox.ini", TOX, TOX.replace("py{37,38}", "py38"), "drop 3.7")
    assert not tries_no_less("tox.ini", TOX, TOX.replace(", lint", ""), "drop 3.7")
    assert not tries_no_less("tox.ini", TOX, TOX.replace("commands = pytest", "commands = true"), "")


def test_hooks_of_pre_commit_may_get_newer() -> None:
    hooks = "repos:\n  - repo: https://example.org/ruff\n    rev: v0.1.2\n    hooks:\n      - id: ruff\n"
    assert tries_no_less(".pre-commit-config.yaml", hooks, hooks.replace("v0.1.2", "v0.2.0"), "update hooks")
    assert not tries_no_less(".pre-commit-config.yaml", hooks, hooks.replace("v0.1.2", "v0.1.0"), "update")
    assert not tries_no_less(
        ".pre-commit-config.yaml", hooks, hooks.replace("org/ruff", "org/fake"), "update"
    )
