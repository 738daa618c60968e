"""The example plug-in, installed beside Setpoint in an environment of its own, in a real run."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.history.replay import history
from setpoint.model.events.run import GuardFired, IterationEvaluated
from setpoint.wiring.project import find_run, open_project, recorded_order

# The installation needs long on a machine that is at its limit.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = """
plugins = ["patcher", "todo", "same-files", "broken"]
[agents]
maker = "patcher"
[escalation]
on_limit = "error"
"""
TEST = "from calc import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """An environment with Setpoint, the example and a broken plug-in; it borrows their dependencies."""
    home = tmp_path_factory.mktemp("plugged")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"])
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*install, ROOT / "examples" / "plugin", "--editable", ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    info = packages / "broken-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[setpoint.guards]\nbroken = broken_for_tests:guard\n")
    (packages / "broken_for_tests.py").write_text("raise RuntimeError('out of order')\n")
    return python


@pytest.fixture
def project(tmp_path):
    files = {"calc.py": "def add(a, b):\n    return a - b\n", "tests/test_calc.py": TEST}
    write(tmp_path, {**files, "conftest.py": "", "setpoint.toml": SETTINGS})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    body = ["a - b", "b - a  # TODO", "a * b", "a * a"]
    for number in (1, 2, 3):
        write(tmp_path, {"calc.py": f"def add(a, b):\n    return {body[number]}\n"})
        patch = subprocess.run(["git", "diff"], cwd=tmp_path, check=True, capture_output=True, text=True)
        git(tmp_path, "commit", "-qam", "next")
        write(tmp_path, {f"setpoint-patches/{number}.patch": patch.stdout})
    write(tmp_path, {"calc.py": files["calc.py"]})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "patches")
    return tmp_path


def setpoint(python, project, *words):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    argv = [python, "-m", "setpoint", *words]
    return subprocess.run(argv, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_agent_check_and_guard_of_a_package_take_part_and_a_broken_one_is_named(python, project):
    listed = setpoint(python, project, "plugins", "--json")
    assert listed.returncode == 0, listed.stderr
    states = {row["name"]: (row["adds"], row["package"], row["state"]) for row in json.loads(listed.stdout)}
    assert states["mechanic"] == ("agents", "setpoint", "built-in")
    assert states["patcher"] == ("agents", "setpoint-example-plugin", "enabled")
    assert states["todo"] == ("checks", "setpoint-example-plugin", "enabled")
    assert states["same-files"] == ("guards", "setpoint-example-plugin", "enabled")
    assert states["broken"] == ("guards", "broken", "failed")

    done = setpoint(python, project, "run", "make the failing tests pass")
    opened = open_project(project)
    run = find_run(opened)
    order, events = recorded_order(opened, run.trace_id), opened.log.replay(run.trace_id)
    opened.store.close()
    assert {(each.name, each.version) for each in order.plugins} == {
        ("patcher", "1.0"), ("todo", "1.0"), ("same-files", "1.0"),
    }  # fmt: skip
    (left_out,) = [note for note in order.notes if "is left out" in note]
    assert left_out.startswith("plug-in 'broken' is left out: broken_for_tests:guard of broken 0.1 cannot")

    rounds = history(events).rounds
    assert [each.snapshot.attempt.agent for each in rounds] == ["patcher"] * 3, done.stdout + done.stderr
    found = [
        finding.line
        for event in events
        if isinstance(event.body, IterationEvaluated)
        for finding in event.body.evaluation.findings
        if finding.source == "todo"
    ]
    assert found, "the check of the plug-in found the TODO of the first patch"
    (fired,) = [event.body for event in events if isinstance(event.body, GuardFired)]
    assert (fired.halt.guard, fired.iteration) == ("same-files", 3)
    assert "3 rounds in a row changed the same files: calc.py" in fired.halt.reason


def test_its_own_tests_pass_with_the_contract_suites_that_are_shipped(python):
    argv = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(argv, cwd=ROOT / "examples" / "plugin", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "11 passed" in done.stdout
