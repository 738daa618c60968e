"""The engine is started beside the probe, and neither hides a module of the project."""

from __future__ import annotations

import subprocess
import sys

import pytest

from setpoint_mechanic.engine.start import start
from setpoint_probe import ENGINE

WRONG = "def one():\n    return 2\n"
TEST = "from {name} import one\n\n\ndef test_one():\n    assert one() == 1\n"


@pytest.mark.parametrize("name", ["setpoint_probe", "setpoint_mechanic", "process", "wire"])
def test_a_project_may_have_modules_of_the_same_names(project, repair, name):
    root = project(**{name: WRONG, "test_it": TEST.format(name=name)})
    result = repair(root, "test_it.py::test_one")
    assert result.status == "repaired", result.reason
    assert result.patches[0].file == f"{name}.py"
    assert result.patches[0].confirmed


@pytest.mark.parametrize("words", [(), ("repair",), ("--engine",)])
def test_without_a_work_of_its_own_the_probe_says_what_it_can_do(words):
    done = subprocess.run([sys.executable, str(ENGINE), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.split(":")[0]) == (2, "usage")


def test_an_engine_that_is_not_there_is_named(tmp_path):
    words = (*start(sys.executable, "repair.repair")[:3], str(tmp_path / "gone"), "repair.repair")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert f"not in {tmp_path / 'gone'}" in done.stderr
