"""`setpoint doctor` tries: what it calls ok was started, and problems name their remedy."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.app.project.doctor import diagnose
from setpoint.wiring.project import open_project

AGENT = '[agents]\nmaker = "bot"\n[agent.bot]\ncommand = ["sh", "{script}"]\n'


@pytest.fixture
def diagnosed(tmp_path):
    """Diagnose a project of files; return its rows by name."""

    def make(files):
        root = tmp_path / "project"
        python = f'[checks]\npython = "{sys.executable}"\nbandit = false\n'
        settings = python + files.get("setpoint.toml", "")
        write(root, {".gitignore": ".setpoint\n", **files, "setpoint.toml": settings})
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "base")
        project = open_project(root / "tests")
        try:
            return {row.name: row for row in diagnose(project)}
        finally:
            project.store.close()

    return make


def test_tests_are_collected_and_not_run(diagnosed) -> None:
    fails = "def test_a():\n    raise SystemExit('it ran')\n\ndef test_b(): ...\n"
    rows = diagnosed({"tests/test_a.py": fails, "fix.sh": "", "setpoint.toml": AGENT.format(script="fix.sh")})

    assert rows["repository"].detail.endswith("/project"), "the root of the folder that it is called in"
    assert (rows["pytest"].ok, rows["pytest"].detail.partition(";")[0]) == (True, "2 tests in 1 file")
    assert rows["agent bot"].ok
    assert rows["record"].ok, "it is made when the first thing is recorded"


def test_a_record_that_only_others_may_write_is_an_error(diagnosed, monkeypatch) -> None:
    allowed = os.access  # root may write whatever its mode is
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "app.db" and allowed(path, mode))

    record = diagnosed({"tests/test_a.py": "def test_a(): ...\n", ".setpoint/app.db": ""})["record"]

    assert (record.ok, record.needed) == (False, True)
    assert "app.db cannot be written; commands that only read still work; hint: " in record.detail


def test_what_does_not_start_is_an_error_with_a_remedy(diagnosed) -> None:
    own = '[check.mine]\ncommand = ["nosuch-1"]\nformat = "sarif"\n'
    rows = diagnosed({
        "tests/test_a.py": "import nosuch_module\n",
        "Makefile": "lint:\n\tnosuch-2 .\n",
        "setpoint.toml": own + AGENT.format(script="gone.sh"),
    })  # fmt: skip

    wrong = {name: (row.needed, row.detail) for name, row in rows.items() if not row.ok}
    assert wrong.keys() >= {"pytest", "mine", "agent bot", "command lint"}
    assert all("hint: " in detail for _, detail in wrong.values())
    assert wrong["pytest"][0], "no test at all can run"
    assert "tests/test_a.py: ModuleNotFoundError: No module named 'nosuch_module'" in wrong["pytest"][1]
    assert wrong["mine"][0]
    assert wrong["agent bot"] == (True, "gone.sh does not exist; hint: correct the path")
    assert wrong["command lint"] == (
        False, "`make lint` of Makefile: nosuch-2 is not on PATH; hint: install nosuch-2"
    )  # fmt: skip
