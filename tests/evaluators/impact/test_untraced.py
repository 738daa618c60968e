"""Nothing traces what is not the project's, and nobody sees a difference but in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluators.impact.words import REPORTED
from setpoint.evaluators.inside import FOLDER

SCRIPT = """
import sys, setpoint_untraced as untraced
seen = []
def tracer(frame, event, arg):
    seen.append(frame.f_code.co_name)
def step(number):
    return helper(number)
def helper(number):
    return number / (number - 1)
sys.settrace(tracer)
assert untraced.untraced(step, 2) == 2.0
try:
    untraced.untraced(step, 1)
except ZeroDivisionError as error:
    helper(3)
sys.settrace(None)
assert "step" not in seen and seen.count("helper") == 1, seen
"""
LET_GO = """
import os, sys, weakref, setpoint_untraced as untraced
class Listener:
    heard = 0
    def told(self, event, args):
        Listener.heard += 1
listener = Listener()
untraced.hear(("open", "os.listdir"), listener.told)
os.listdir(".")
untraced.ignore(("open", "os.listdir"))
os.listdir(".")
known = weakref.ref(listener)
del listener
assert Listener.heard == 1 and known() is None, (Listener.heard, known())
assert untraced.untraced(len, "ab") == 2
"""
BROKEN = {"test_broken.py": "def test_one(:\n    pass\n", "test_sound.py": "def test_two():\n    assert 1\n"}
OWN = """
import os, sys, types, setpoint_untraced as untraced
def there(name, file, **functions):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(functions, __file__=file)
    return module
def traced(*args):
    return args
other = there("_pytest.fixtures", "/elsewhere/_pytest/fixtures.py", reorder_items=traced)
own = there("_pytest.assertion.rewrite", os.path.abspath("_pytest/rewrite.py"), _rewrite_test=traced)
untraced.collecting()
assert own._rewrite_test is traced and other.reorder_items is not traced
untraced.collected()
assert other.reorder_items is traced
"""
ENDING = """
import tempfile, time
LOG = open("log.txt", "w")
LEFT = tempfile.NamedTemporaryFile(dir=".", prefix="left-")
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(1)
SLOW = Slow()
def test_one():
    LOG.write("written")
"""
RED = """
import pytest
def within(number):
    assert number == 1, "one is asked for"
@pytest.fixture
def broken():
    within(3)
def test_red():
    within(2)
def test_broken(broken):
    pass
"""
PLAIN = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
COVERAGE = ("-m", "coverage", "run", "--source=.", "--data-file=../data")


@pytest.mark.parametrize("script", [SCRIPT, OWN, LET_GO], ids=["step", "pytest itself", "let go"])
def test_steps_are_not_traced_but_a_project_that_is_pytest_is_and_nothing_is_held(script: str) -> None:
    variables = {**os.environ, "PYTHONPATH": str(FOLDER)}
    done = subprocess.run([sys.executable, "-c", script], env=variables, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("mapped", [False, True])
def test_what_pytest_says_of_a_broken_file_is_the_same(tmp_path: Path, *, mapped: bool) -> None:
    root, said = tmp_path / "project", []
    root.mkdir()
    for path, text in BROKEN.items():
        (root / path).write_text(text)
    for number, way in enumerate(((), COVERAGE)):
        report = tmp_path / f"{number}.jsonl"
        variables = {**os.environ, "PYTHONPATH": f"{root}:{FOLDER}", "SETPOINT_REPORT_FILE": str(report)}
        variables |= {"PYTHONDONTWRITEBYTECODE": "1"}
        if mapped:
            variables["SETPOINT_REACH_FILE"] = str(tmp_path / f"{number}.map")
        argv = [sys.executable, *way, *REPORTED, "--continue-on-collection-errors"]
        subprocess.run(argv, cwd=root, env=variables, capture_output=True, check=False)
        lines = [json.loads(line) for line in report.read_text().splitlines()]
        said.append([line for line in lines if line["kind"] == "collection_error"])
        assert [line["outcome"] for line in lines if line["kind"] == "test"] == ["passed"]
    assert said[0] == said[1]
    assert "SyntaxError" in said[0][0]["text"]


def test_parameters_that_the_project_compares_are_compared_under_coverage(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_sorted.py").write_text(
        "import pytest\nclass Colour:\n    def __init__(self, name):\n        self.name = name\n"
        "    def __eq__(self, other):\n        return self.name == other.name\n"
        "    def __hash__(self):\n        return hash(self.name)\n"
        "ONES, TWOS = ([Colour('red'), Colour('blue')] for _ in range(2))\n"
        "@pytest.fixture(scope='module')\ndef colour(request):\n    return request.param\n"
        "@pytest.mark.parametrize('colour', ONES, indirect=True, ids=['red', 'blue'])\n"
        "def test_first(colour):\n    pass\n"
        "@pytest.mark.parametrize('colour', TWOS, indirect=True, ids=['red', 'blue'])\n"
        "def test_second(colour):\n    pass\n"
    )
    told = {}
    for name, words in (("reported", REPORTED), ("alone", PLAIN)):
        report = tmp_path / f"{name}.jsonl"
        variables = {**os.environ, "PYTHONPATH": f"{root}:{FOLDER}", "SETPOINT_REPORT_FILE": str(report)}
        argv = [sys.executable, *COVERAGE, *words]
        done = subprocess.run(argv, cwd=root, env=variables, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode()
        argv = [sys.executable, "-m", "coverage", "json", "-q", "--data-file=../data", "-o-"]
        told[name] = json.loads(subprocess.run(argv, cwd=root, check=True, capture_output=True).stdout)[
            "files"
        ]
    assert told["alone"] == told["reported"]
    lines = [json.loads(line) for line in (tmp_path / "reported.jsonl").read_text().splitlines()]
    ran = [line["id"].partition("::")[2] for line in lines if line["kind"] == "begin"]
    assert ran == ["test_first[red]", "test_second[red]", "test_first[blue]", "test_second[blue]"]


def test_the_interpreter_ends_as_ever_and_who_reads_the_data_need_not_wait(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_ending.py").write_text(ENDING)
    variables = {**os.environ, "PYTHONPATH": str(FOLDER), "SETPOINT_REPORT_FILE": str(tmp_path / "report")}
    variables |= {"COVERAGE_FILE": str(tmp_path / "data"), "SETPOINT_SAVED": str(tmp_path / "saved")}
    subprocess.run([sys.executable, *REPORTED], cwd=root, env=variables, capture_output=True, check=True)
    assert not (tmp_path / "saved").exists()
    subprocess.run(
        [sys.executable, *COVERAGE[:-1], *REPORTED], cwd=root, env=variables, capture_output=True, check=True
    )
    waited_s = time.time() - (tmp_path / "saved").stat().st_mtime
    assert waited_s >= 1
    assert (tmp_path / "saved").stat().st_mtime >= (tmp_path / "data").stat().st_mtime
    assert (root / "log.txt").read_text() == "written"
    assert not [*root.glob("left-*")]


def test_what_is_told_of_red_tests_is_the_same(tmp_path: Path) -> None:
    root, told = tmp_path / "project", []
    root.mkdir()
    (root / "test_red.py").write_text(RED)
    for number, way in enumerate(((), COVERAGE)):
        report = tmp_path / f"{number}.jsonl"
        variables = {**os.environ, "PYTHONPATH": f"{root}:{FOLDER}", "SETPOINT_REPORT_FILE": str(report)}
        subprocess.run(
            [sys.executable, *way, *REPORTED], cwd=root, env=variables, capture_output=True, check=False
        )
        lines = [json.loads(line) for line in report.read_text().splitlines()]
        told.append([line["failure"] for line in lines if line["kind"] == "test"])
    assert told[0] == told[1]
    assert [each["when"] for each in told[0]] == ["call", "setup"]
    assert all(each["type"] == "builtins.AssertionError" for each in told[0])
    assert "one is asked for" in told[0][0]["message"]
    assert ">       assert number == 1" in told[0][0]["text"]
