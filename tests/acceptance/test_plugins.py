"""The example plug-in, built and installed beside Setpoint in an environment of its own, in a real run."""

import importlib.metadata
import importlib.util
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

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "plugin"
SETTINGS = """
plugins = ["patcher", "todo", "same-files", "broken"]
[agents]
maker = "patcher"
[escalation]
on_limit = "error"
[limits]
max_rounds_without_gain = 0
[checks]
pytest = false
ruff = false
mypy = false
bandit = false
coverage = false
[check.sums]
command = ["{python}", "sums.py"]
format = "mypy"
"""
SUMS = """
import json, calc
found = calc.add(2, 3)
if found != 5:
    print(json.dumps(dict(file="calc.py", line=2, column=0, message=f"2 and 3 make {found}", hint=None,
                          code="sum", severity="error")))
raise SystemExit(found != 5)
"""
"""A check that costs less than a test runner, as this is about the plug-ins."""


def done(argv, cwd):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """An environment with Setpoint, the example and a broken plug-in; it borrows all but the example."""
    home, built = tmp_path_factory.mktemp("plugged"), tmp_path_factory.mktemp("built")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_paths()['purelib']}\n")
    own = Path(str(importlib.metadata.distribution("setpoint").locate_file("")))
    (info,) = own.glob("setpoint-*.dist-info")
    (packages / info.name).symlink_to(info)

    wheel = done([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built], EXAMPLE)
    assert wheel.returncode == 0, wheel.stderr
    pip = [sys.executable, "-m", "pip", "--python", python, "install"]
    install = pip if importlib.util.find_spec("pip") else ["uv", "pip", "install", "--python", python]
    installed = done([*install, "--quiet", "--no-deps", "--no-index", *built.glob("*.whl")], home)
    assert installed.returncode == 0, installed.stderr

    info = packages / "broken-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[setpoint.guards]\nbroken = broken_for_tests:guard\n")
    (packages / "broken_for_tests.py").write_text("raise RuntimeError('out of order')\n")
    return python


@pytest.fixture
def project(tmp_path):
    files = {"calc.py": "def add(a, b):\n    return a - b\n", "sums.py": SUMS, "setpoint.toml": SETTINGS}
    write(tmp_path, files)
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
    return done([python, "-m", "setpoint", *words], project)


def test_agent_check_and_guard_of_a_package_take_part_and_a_broken_one_is_named(python, project):
    listed = setpoint(python, project, "admin", "plugins", "--json")
    assert listed.returncode == 0, listed.stderr
    states = {row["name"]: (row["adds"], row["package"], row["state"]) for row in json.loads(listed.stdout)}
    assert states["mechanic"] == ("agents", "setpoint", "built-in")
    assert states["patcher"] == ("agents", "setpoint-example-plugin", "enabled")
    assert states["todo"] == ("checks", "setpoint-example-plugin", "enabled")
    assert states["same-files"] == ("guards", "setpoint-example-plugin", "enabled")
    assert states["broken"] == ("guards", "broken", "failed")

    ran = setpoint(python, project, "run", "make it add up")
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
    assert [each.snapshot.attempt.agent for each in rounds] == ["patcher"] * 3, ran.stdout + ran.stderr
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
    ran = done([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], EXAMPLE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "11 passed" in ran.stdout
