"""What wiring offers is loaded when it is asked for, and everything it names is there."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

from setpoint import wiring

READING = (["status"], ["show"])
FOR_RUNS_ALONE = ("acp", "dbos", "pydantic_ai", "setpoint.agents", "setpoint.evaluators", "setpoint.loops")
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
    names = ("find_run", "run_story", "findings_of", "open_gate", "learnings", "metrics", "cards")
    code = f"import sys; from setpoint.wiring import {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(set(FOR_RUNS_ALONE) & set(done.stdout.split())) == []


def test_the_version_is_told_without_the_domain():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("setpoint ")
    loaded = set(done.stdout.partition("LOADED")[2].split())
    assert sorted({"pydantic", "setpoint.domain", "setpoint.wiring"} & loaded) == []


def test_every_name_that_wiring_offers_is_there_and_no_module_hides_one():
    assert {name for name in wiring.__all__ if getattr(wiring, name, None) is None} == set()
    modules = {each.name for each in pkgutil.iter_modules(wiring.__path__)}
    assert modules & set(wiring.__all__) == set(), "the import of the module would put it in the name's place"
    assert set(wiring.__all__) <= set(dir(wiring))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wiring.nothing
