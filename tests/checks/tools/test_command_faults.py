"""Why an acceptance command could not answer, told from real programs."""

import shutil
import sys
from pathlib import Path

import pytest

from setpoint.checks.tools.command_faults import fault_of
from setpoint.model.evidence import Fault
from setpoint.system.processes import Command, clean_environment, run

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
CALC = {
    "calc.py": "import sys\n\nsys.exit('error: unrecognized arguments: --json')\n",
    "test_calc.py": "def test_wrong():\n    assert False\n",
}
GO = {"go.mod": "module example.com/calc\n\ngo 1.19\n", "calc.go": "package calc\n"}
GO_TEST = {"calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestCalc(t *testing.T) {}\n'}


async def fault(tree: Path, command: str, files: dict[str, str], timeout_s: float = 60.0) -> Fault | None:
    for path, text in files.items():
        (tree / path).write_text(text, "utf-8")
    environment = clean_environment()
    argv = ("/bin/sh", "-c", command)
    done = await run(Command(argv=argv, cwd=tree, environment=environment, timeout_s=timeout_s))
    return fault_of(command, done)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("no-such-program --check", Fault.MISSING_TOOL),
        ("node_modules/.bin/jest", Fault.MISSING_TOOL),
        (f"{sys.executable} -m nox", Fault.MISSING_TOOL),
        (f"{PYTEST} --nope", Fault.USAGE),
        (f"{PYTEST} -p no_such_plugin", Fault.MISSING_TOOL),
        ("if then fi (", Fault.USAGE),
        (f"{PYTEST} -k nothing", Fault.NO_TESTS),
        (f"{PYTEST} test_absent.py", Fault.ABSENT),
        ("./check.sh", Fault.ABSENT),
        ("sh check.sh", Fault.ABSENT),
        ("kill -9 $$", Fault.KILLED),
        ("kill -15 $$", Fault.KILLED),
        ("sh -c 'kill -15 $$'", Fault.KILLED),
        ("sh -c 'kill -9 $$'; exit 137", Fault.KILLED),
        (f"{sys.executable} -m unittest discover -p nothing.py", Fault.NO_TESTS),
    ],
)
async def test_a_command_that_cannot_answer_is_told_from_one_that_fails(tmp_path, command, expected):
    assert await fault(tmp_path, command, CALC) is expected


@pytest.mark.parametrize(
    "command",
    [PYTEST, f"{sys.executable} calc.py --json", "exit 5", "exit 4", "grep -q nothing calc.py", "true"],
)
async def test_a_command_that_answers_has_no_fault(tmp_path, command):
    assert await fault(tmp_path, command, CALC) is None


async def test_a_command_that_does_not_end_has_a_fault(tmp_path):
    assert await fault(tmp_path, "sleep 60", {}, timeout_s=0.2) is Fault.TIMEOUT


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("node --test", Fault.NO_TESTS),
        ("node --nope", Fault.USAGE),
        ("node --test absent.test.js", Fault.ABSENT),
    ],
)
async def test_node_that_cannot_answer(tmp_path, command, expected):
    assert await fault(tmp_path, command, {}) is expected


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
@pytest.mark.parametrize(
    ("command", "files", "expected"),
    [
        ("go test ./...", GO, Fault.NO_TESTS),
        ("go test -run Nope ./...", {**GO, **GO_TEST}, Fault.NO_TESTS),
        ("go test -nope ./...", {**GO, **GO_TEST}, Fault.USAGE),
        ("go test ./absent/...", GO, Fault.ABSENT),
        ("go test ./...", {**GO, **GO_TEST}, None),
    ],
)
async def test_go_that_cannot_answer(tmp_path, command, files, expected):
    assert await fault(tmp_path, command, files) is expected
