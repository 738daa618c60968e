"""`setpoint demo --tour`: what the reader is told is what Setpoint found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from house.source import ROOT, SAMPLE
from setpoint.cli.project.tour import _script


def _failing(root):
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf"]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout
    return sum(line.startswith("FAILED") for line in done.stdout.splitlines())


def test_each_turn_does_what_its_explanation_says(tmp_path):
    root = tmp_path / "shop"
    shutil.copytree(SAMPLE, root)
    old_tests = tmp_path / "old tests"
    shutil.copytree(root / "tests", old_tests)
    found = []
    for turn in _script()["turns"]:
        subprocess.run(turn["shell"], shell=True, cwd=root, check=True)
        as_they_were = tmp_path / f"as they were {len(found)}"
        shutil.copytree(root, as_they_were)
        shutil.copytree(old_tests, as_they_were / "tests", dirs_exist_ok=True)
        found.append((_failing(root), _failing(as_they_were)))

    assert found == [(1, 1), (0, 1), (0, 0)]
    assert not list(root.rglob("*.orig"))


@pytest.mark.slow
def test_the_agent_claims_is_sent_back_is_caught_and_passes(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "400"}
    argv = [sys.executable, "-m", "setpoint", "demo", "shop", "--tour"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    places = [done.stdout.find(" ".join(text.split())) for text in _script()["told"].values()]
    assert -1 not in places
    assert places == sorted(places)
    claims = [done.stdout.index(f'iteration {number}: "Done.') for number in (1, 2, 3)]
    assert places[1] < claims[0] < places[2] < claims[1] < places[3] < claims[2] < places[4]
