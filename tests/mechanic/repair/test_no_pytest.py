from __future__ import annotations

import subprocess
import sys
import venv

import pytest

from mechanic.repair.test_agent import CALC, Watcher, agent, brief, tree
from setpoint.model.evidence import Cause, Failure
from setpoint_mechanic import lend_pytest
from setpoint_mechanic.engine.start import start

__all__ = ["agent", "tree"]
TESTS = """\
import unittest

from calc import clamp


class TestClamp(unittest.TestCase):
    def test_inside(self):
        self.assertEqual(clamp(2, 1, 3), 2)
"""
RED = (Failure(test="test_calc.py::TestClamp::test_inside", cause=Cause.ASSERTION, message=""),)


@pytest.fixture
def bare(tmp_path, tree):
    """An interpreter without pytest, and a project whose tests need none."""
    (tree / "test_calc.py").write_text(TESTS)
    venv.create(tmp_path / "bare", with_pip=False)
    return tmp_path / "bare" / "bin" / "python"


def ran(*words):
    return subprocess.run(words, capture_output=True, check=False)


async def test_a_project_without_pytest_is_mended_with_a_lent_one(agent, tree, bare, monkeypatch):
    monkeypatch.chdir(tree)
    assert ran(bare, "-c", "import pytest").returncode == 1
    assert ran(bare, "-m", "unittest").returncode == 1
    attempt = await agent.attempt(brief(tree, failures=RED, python=str(bare)), Watcher())
    assert attempt.breakage is None
    assert ran(bare, "-m", "unittest").returncode == 0


async def test_where_there_is_none_to_lend_that_is_said_and_nothing_breaks(agent, tree, bare, monkeypatch):
    monkeypatch.setattr("setpoint_mechanic.repair.search_python.lend_pytest", lambda _folder: None)
    attempt = await agent.attempt(brief(tree, failures=RED, python=str(bare)), Watcher())
    assert attempt.breakage is None
    assert f"{bare} has no pytest that works in it" in attempt.text
    assert (tree / "calc.py").read_text() == CALC


def test_what_is_lent_is_enough_to_run(tmp_path, bare):
    lent = lend_pytest.lend_pytest(tmp_path / "lent")
    code = f"import sys; sys.path.append({str(lent)!r}); import pytest; sys.exit(pytest.main(['--version']))"
    assert ran(bare, "-c", code).returncode == 0


def test_the_projects_own_pytest_wins(tmp_path, agent, tree):
    fake = tmp_path / "lent"
    (fake / "pytest").mkdir(parents=True)
    (fake / "pytest" / "__init__.py").write_text("raise RuntimeError('the lent one was taken')\n")
    assert b"usage: " in ran(*start(sys.executable, "repair.repair", "--lent", str(fake)), "no-order").stderr
