"""A verb that only reads the record loads neither agents, checks nor the durable engine."""

from __future__ import annotations

import subprocess
import sys

import pytest

READING = (["status"], ["show"])
FOR_RUNS_ALONE = ("acp", "dbos", "pydantic_ai", "setpoint.agents", "setpoint.checks", "setpoint.phase")
PROGRAM = """
import sys
from setpoint.cli.app import main
try:
    main()
except SystemExit:
    pass
print("LOADED", *sys.modules)
"""


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_verb_that_reads_loads_nothing_that_only_runs_need(words, tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.partition("LOADED")[2].split())
    assert "setpoint.wiring.project" in loaded, done.stderr
    assert sorted(set(FOR_RUNS_ALONE) & loaded) == []


def test_looking_at_what_was_found_asked_and_learnt_loads_as_little():
    modules = (
        "people.findings",
        "people.gates",
        "people.learnings",
        "runs.board",
        "views.metrics",
        "views.run_page",
    )
    code = f"import sys, {', '.join('setpoint.app.' + each for each in modules)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(set(FOR_RUNS_ALONE) & set(done.stdout.split())) == []


def test_the_version_is_told_without_the_domain():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("setpoint ")
    loaded = set(done.stdout.partition("LOADED")[2].split())
    assert sorted({"pydantic", "setpoint.model", "setpoint.app"} & loaded) == []
