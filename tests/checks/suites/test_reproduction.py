"""Commands that reproduce a failing test, typed for real: each runs that test, and no other one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.suites.test_javascript import ADDS, project
from setpoint.model.evaluation import Stage
from setpoint.model.stories.story import KnownRed
from setpoint.presets.check_settings import ChecksSettings

PYTHON = """
def test_adds():
    assert 1 + 1 == 3

def test_stays():
    print("another ran")
"""
UNITTEST = """
import unittest

class Case(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 3)

    def test_stays(self):
        print("another ran")
"""
GO = """
package calc

import "testing"

func TestAdds(t *testing.T) {
	t.Fatal("it ran")
}

func TestStays(t *testing.T) {
	t.Log("another ran")
}
"""
RUST = """
#[test]
fn adds() {
    assert_eq!(1 + 1, 3);
}

#[test]
fn stays() {}
"""
MODULE = "module example.com/calc\n\ngo 1.19\n"
PACKAGE = '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n'


def typed(root: Path, command: str) -> tuple[int, str]:
    """Type a command at the root of a project, with this interpreter as `python`."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=root,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


async def failing(bench, files):
    """Measure a project with one failing test; give its root, and the failure."""
    made = await bench(files, settings=ChecksSettings(reruns=0), known_red=KnownRed.FIX)
    (failure,) = (await made.measure(Stage.BASE)).failures
    return made.root, failure


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("test_calc.py", PYTHON, "python -m pytest test_calc.py::test_adds"),
        ("test_case.py", UNITTEST, "python -m pytest test_case.py::Case::test_adds"),
    ],
)
async def test_a_test_of_python_is_reproduced(bench, file, text, command):
    root, failure = await failing(bench, {file: text})
    assert failure.command == command
    code, told = typed(root, f"{failure.command} -rA")
    assert (code, "1 failed" in told, "another ran" in told) == (1, True, False)


@pytest.mark.parametrize("runner", ["node_test", "vitest", pytest.param("jest", marks=pytest.mark.slow)])
async def test_a_test_in_a_group_is_reproduced(bench, node_modules, runner):
    made = await bench(
        project(runner), settings=ChecksSettings(pytest=False, reruns=0), known_red=KnownRed.FIX
    )
    for package in node_modules.iterdir():  # vitest writes into the folder itself, which other tests use
        (made.root / "node_modules").mkdir(exist_ok=True)
        (made.root / "node_modules" / package.name).symlink_to(package)
    (failure,) = (await made.measure(Stage.BASE)).failures
    assert failure.test == ADDS
    code, told = typed(made.root, failure.command)
    assert code == 1
    assert "adds" in told
    assert "✔ stays" not in told
    assert "✓ stays" not in told


async def test_a_test_of_go_is_reproduced(bench, go):
    root, failure = await failing(bench, {"go.mod": MODULE, "calc_test.go": GO})
    code, told = typed(root, f"{failure.command} -v")
    assert (code, "it ran" in told, "another ran" in told) == (1, True, False)


@pytest.mark.slow
async def test_a_test_of_rust_is_reproduced(bench, cargo):
    files = {"Cargo.toml": PACKAGE, "src/lib.rs": "", "tests/adds.rs": RUST}
    root, failure = await failing(bench, files)
    code, told = typed(root, failure.command)
    assert code != 0
    assert "test adds ... FAILED" in told
    assert "test stays" not in told


async def test_a_test_of_a_module_that_go_work_leaves_out_is_reproduced(bench, go):
    files = {"go.work": "go 1.19\n", "tools/go.mod": MODULE, "tools/calc_test.go": GO}
    root, failure = await failing(bench, files)
    assert failure.command.startswith("cd tools && GOWORK=off go test")
    code, told = typed(root, f"{failure.command} -v")
    assert (code, "it ran" in told, "another ran" in told) == (1, True, False)
