"""Whether the exit status of a shell command is that of what it checks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.checks.tools.shell_command import masked, tools_of


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tee log",
        "python -m pytest -q 2>&1 | tail -5",
        "pytest -q | grep passed",
        "pytest || true",
        "pytest || :",
        "pytest || exit 0",
        "pytest || echo failed",
        "pytest; echo done",
        "pytest -q\necho done",
        "pytest; ruff check .",
        "npm test; exit 0",
        "pytest &",
        "bash -c 'pytest || true'",
        "bash -lc 'go test ./... | tee out.txt' && echo ok",
        "(go test ./... ) || true",
        "timeout 60 uv run pytest | cat",
        "CI=1 node --test | tee tap.txt",
        "./check.sh 2>&1 | tee log",
        "./check.sh; true",
    ],
)
def test_a_status_that_another_command_decides_is_masked(command):
    assert masked(command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "pytest -q && echo ok",
        "cd src && pytest",
        "cd src; pytest",
        "pytest -k 'a or b | c; d'",
        'python -c "import x; print(1)"',
        "mycli report | grep -q total",
        'test "$(mycli | wc -l)" -eq 3',
        "pytest > log 2>&1",
        "pytest &> log",
        "pytest; rc=$?; cat log; exit $rc",
        "set -e; pytest; echo done",
        "set -o pipefail; pytest | tee log",
        "pytest || { echo failed; exit 1; }",
        "pytest || (cat log && false)",
        "pip install pytest; pytest -q",
        "curl -s localhost | sort | diff - expected.txt",
        "grep -q 'a || true' file",
        "! grep -rn TODO src",
        "echo start; go test ./...",
        "pytest # || true",
        "if pytest; then exit 0; else exit 1; fi",
    ],
)
def test_a_status_that_counts_is_not_masked(command):
    assert masked(command) == ""


@given(st.text(alphabet="pytest|&;()'\"\\$ \n#`<>{}!=-", max_size=40))
def test_any_text_is_read_without_an_error(command):
    assert isinstance(masked(command), str)
    assert isinstance(tools_of(command), frozenset)


@pytest.mark.parametrize(
    ("command", "tools"),
    [
        ("python3 -m pytest -q", {"pytest"}),
        ("A=1 timeout 5 poetry run pytest && node --test", {"pytest", "node"}),
        ("bash -c 'go vet ./...'", {"bash", "go"}),
        (".venv/bin/pytest", {"pytest"}),
    ],
)
def test_the_programs_that_a_command_starts_are_named(command, tools):
    assert tools_of(command) == tools
