"""What stood at the merge base is known and not blamed; what is new counts, and so does every red test."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.cli.render.check_text import check_text
from setpoint.errors import UsageError
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings

OLD = "import subprocess\n\n\ndef f(x):\n    return subprocess.call(x, shell=True)\n"
RUFF = ChecksSettings(bandit=True, coverage=False)
FILES = {
    "a.py": OLD,
    "pyproject.toml": "[tool.ruff]\nlint.select = ['F', 'E9']\n",
    "test_a.py": "def test_a():\n    pass\n",
}

ADD = "def add(a, b):\n    if a > 9:\n        return b\n    return a + b\n"
TESTS = """from calc import add


def test_small():
    assert add(1, 2) == 3


def test_large():
    assert add(10, 2) == 2
"""


def git(root: Path, *words: str) -> None:
    names = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    subprocess.run(("git", *names, *words), cwd=root, check=True, capture_output=True)


async def checked(made, since: str | None = ""):
    return await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root, since)


async def test_an_untouched_commit_is_not_blamed_for_its_own_findings(bench) -> None:
    made = await bench(FILES, settings=RUFF)

    compared, whole = await checked(made), await checked(made, None)

    assert [each.rule for each in whole.blocking] == ["B602"]
    assert (compared.findings, compared.existing) == ((), len(whole.findings))
    assert compared.evidence_of("bandit").state is CheckState.PASS
    assert compared.compared.startswith("the last commit, ")
    assert "known there; hint: `setpoint check --whole`" in check_text(compared, fast=False)
    assert "compared with" not in check_text(whole, fast=False)


async def test_of_a_branch_only_what_it_brought_in_counts(bench) -> None:
    made = await bench(FILES, settings=RUFF)
    git(made.root, "branch", "-M", "main")
    git(made.root, "checkout", "-q", "-b", "topic")
    (made.root / "b.py").write_text(OLD)
    git(made.root, "add", "-A")
    git(made.root, "commit", "-qm", "topic")

    compared = await checked(made)

    assert {each.file for each in compared.findings} == {"b.py"}
    assert compared.compared.startswith("the merge base with main, ")
    assert [each.file for each in compared.blocking] == ["b.py"]


async def test_a_test_that_failed_before_still_fails(bench) -> None:
    made = await bench({**FILES, "test_a.py": "def test_a():\n    assert 0\n"}, settings=RUFF)

    compared = await checked(made)

    assert [each.test for each in compared.failures] == ["test_a.py::test_a"]
    assert compared.findings == ()


async def test_a_base_that_is_no_commit_is_refused(bench) -> None:
    made = await bench(FILES, settings=RUFF)

    with pytest.raises(UsageError, match="'nope' is not a commit"):
        await checked(made, "nope")


async def test_a_check_names_the_lines_at_fault(bench) -> None:
    made = await bench(
        {"calc.py": ADD, "test_calc.py": TESTS, "pyproject.toml": "[tool.ruff]\nlint.select = ['F', 'E9']\n"},
        settings=RUFF,
    )
    (made.root / "calc.py").write_text(ADD.replace("a + b", "a - b"))

    seen = await checked(made)
    fast = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root, "", fast=True)

    first = seen.suspects[0]
    assert (first.file, first.line, first.changed) == ("calc.py", 4, True)
    assert "  1. calc.py:4 (score 1.00, changed) return a - b" in check_text(seen, fast=False).splitlines()
    assert fast.failures
    assert (fast.suspects, fast.localised) == ((), "")


async def test_an_own_command_that_fails_counts_unless_it_fails_at_the_named_base(bench) -> None:
    gate = "test:\n\tpython3 -m pytest -q && ! grep -q more a.py\n"
    made = await bench({**FILES, "a.py": "x = 1\n", "Makefile": gate}, settings=RUFF)
    (made.root / "a.py").write_text("more = 1\n")
    git(made.root, "commit", "-qam", "more")
    git(made.root, "branch", "old")
    (made.root / "a.py").write_text("more = 2\n")

    named, unnamed, before = await checked(made, "old"), await checked(made), await checked(made, "old~1")

    assert [each.source for each in named.blocking] == []
    assert [each.source for each in unnamed.blocking] == ["own_command"]
    assert [each.source for each in before.blocking] == ["own_command"]
