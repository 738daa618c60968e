"""Coverage's report is got ready while the tests run, and is the one that its own command writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import CheckState, Evidence
from setpoint.evaluators.inside import COVERED
from setpoint.settings import ChecksSettings

FILES = {
    "shop/__init__.py": "",
    "shop/price.py": (
        "def price(x):\n    if x:\n        return 1\n    return 2\n\n\nclass Tax:\n    def rate(self):\n"
        "        return [\n            x\n            for x in ()\n        ]\n"
    ),
    "shop/odd.py": "def odd():  # never\n    return 1\nif 0:  # pragma: no cover\n    odd()\n",
    "other/loose.py": "X = 1\n",
    "main.py": (
        "import shop.price, shop.odd, sys\nsys.path.append('other')\nimport loose\nshop.price.price(1)\n"
    ),
}
RUN = "[tool.coverage.run]\nbranch = true\n"
CASES = {
    "branches": RUN,
    "lines": "",
    "source": f"{RUN}source = ['shop', 'loose']\n",
    "include": f"{RUN}include = ['shop/*']\nomit = ['*/odd.py']\n",
    "report": (
        f"{RUN}[tool.coverage.report]\nomit = ['main.py']\nexclude_also = ['# never']\nfail_under = 99\n"
    ),
    "relative": f"{RUN}relative_files = true\n",
    "paths": f"{RUN}[tool.coverage.paths]\nmoved = ['shop', 'other']\n",
    "several": f"{RUN}parallel = true\n",
    "contexts": f"{RUN}[tool.coverage.json]\nshow_contexts = true\npretty_print = true\n",
}
WATCHED = """
import os, sys
sys.path.insert(0, {folder!r})
import coverage.parser, setpoint_covered
parse, word = coverage.parser.PythonParser.parse_source, sys.argv[1]
def parse_source(self):
    parse(self)
    with open(word + ".log", "a") as log:
        print("after" if os.path.exists(word) else "before", os.path.basename(self.filename), file=log)
coverage.parser.PythonParser.parse_source = parse_source
sys.exit(setpoint_covered.main(sys.argv[1:]))
"""


class Project:
    """A project of which one run under coverage has left its data, outside its folder."""

    def __init__(self, folder: Path, config: str) -> None:
        self.root, self.data, self.word = folder / "project", folder / "data", folder / "word"
        for path, text in {**FILES, "pyproject.toml": config}.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        self.call("run", "main.py")

    def variables(self, data: str) -> dict[str, str]:
        return {**os.environ, "COVERAGE_FILE": str(self.data / data), "PYTHONDONTWRITEBYTECODE": "1"}

    def call(self, *argv: str, data: str = "covered") -> int:
        self.data.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "coverage", *argv]
        return subprocess.run(command, cwd=self.root, env=self.variables(data), check=False).returncode

    def copied(self, data: str) -> None:
        """Copy the data for another report: to combine several files removes them."""
        for each in self.data.glob("covered*"):
            shutil.copy(each, each.with_name(each.name.replace("covered", data)))

    def begin(self, data: str, *options: str) -> subprocess.Popen[bytes]:
        asked = ("--", "json", "-q", "-i", "-o", f"{data}.json")
        program = ["-c", WATCHED.format(folder=str(COVERED.parent)), str(self.word), *options, *asked]
        return subprocess.Popen([sys.executable, *program], cwd=self.root, env=self.variables(data))

    def log(self) -> list[str]:
        path = Path(f"{self.word}.log")
        return path.read_text().splitlines() if path.exists() else []

    def looked(self, *names: str) -> None:
        """Wait until files were looked at."""
        ends = time.monotonic() + 60
        while not {f"before {name}" for name in names} <= set(self.log()):
            assert time.monotonic() < ends, self.log()
            time.sleep(0.01)

    def text(self, data: str) -> str:
        """Give a report as it was written, but for the time."""
        text, found = re.subn(
            r'("timestamp": ")[^"]*', r"\1", (self.root / f"{data}.json").read_text(), count=1
        )
        assert found
        return text


def measured(case: str) -> set[str]:
    files = {Path(path).name for path in FILES}
    return files - {
        "source": {"main.py"},
        "include": {"main.py", "loose.py", "odd.py"},
        "report": {"main.py"},
    }.get(case, set())


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_report_of_the_plain_command(case: str, tmp_path: Path) -> None:
    project = Project(tmp_path, CASES[case])
    project.copied("ahead")
    running = project.begin("ahead")
    project.looked(*measured(case))
    project.word.touch()
    assert running.wait() == project.call("json", "-q", "-i", "-o", "covered.json")
    assert running.returncode == (2 if case == "report" else 0)
    assert project.text("ahead") == project.text("covered")
    assert sorted(project.log()) == sorted(f"before {name}" for name in measured(case))


def test_a_file_that_changed_meanwhile_is_looked_at_again(tmp_path: Path) -> None:
    project = Project(tmp_path, CASES["branches"])
    project.copied("ahead")
    running = project.begin("ahead")
    project.looked(*measured("branches"))
    (project.root / "shop/price.py").write_text("def price(x):\n    return 1\n")
    (project.root / "shop/odd.py").write_text("def broken(:\n")
    project.word.touch()
    assert running.wait() == project.call("json", "-q", "-i", "-o", "covered.json") == 0
    assert project.text("ahead") == project.text("covered")
    assert [line for line in project.log() if line.startswith("after")] == ["after price.py"]


def test_options_of_the_run_name_the_files_too(tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    project.copied("ahead")
    running = project.begin("ahead", "--branch", "--source=shop,main", "--omit=*/odd.py")
    project.looked("price.py", "main.py")
    project.word.touch()
    assert running.wait() == 0
    after = [line for line in project.log() if line.startswith("after")]
    assert sorted(after) == ["after loose.py", "after odd.py"]


def test_where_there_is_nothing_to_wait_for_it_is_the_plain_command(tmp_path: Path) -> None:
    project = Project(tmp_path, CASES["report"])
    project.copied("ahead")
    project.word.touch()
    assert project.begin("ahead").wait() == project.call("json", "-q", "-i", "-o", "covered.json") == 2
    assert project.text("ahead") == project.text("covered")
    assert {line.split()[0] for line in project.log()} == {"after"}


def test_it_ends_when_nobody_is_left_to_give_the_word(tmp_path: Path) -> None:
    project = Project(tmp_path, CASES["branches"])
    begins = (
        "import subprocess, sys, time, pathlib\n"
        "begun = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)\n"
        "while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.01)\n"
        "print(begun.pid)\n"
    )
    program = [
        sys.executable,
        "-c",
        WATCHED.format(folder=str(COVERED.parent)),
        str(project.word),
        "--",
        "json",
    ]
    argv = [sys.executable, "-c", begins, f"{project.word}.log", *program]
    began = subprocess.run(argv, cwd=project.root, capture_output=True, check=True)
    place, ends = Path("/proc", began.stdout.decode().strip()), time.monotonic() + 60
    while place.exists() and "State:\tZ" not in (place / "status").read_text():
        assert time.monotonic() < ends, "it still waits"
        time.sleep(0.02)


WAITS = """
import os, time
from pathlib import Path
from shop import price

def waiting():
    for each in Path("/proc").glob("[0-9]*"):
        try:
            here = os.readlink(each / "cwd") == os.getcwd()
            if here and b"setpoint_covered" in (each / "cmdline").read_bytes():
                return each.name
        except OSError:
            pass

def test_price():
    ends = time.monotonic() + 60
    while not waiting():
        assert time.monotonic() < ends, "nothing was got ready"
        time.sleep(0.01)
    assert price(1) == 1
    {then}
"""


def evidence(evaluation: Evaluation, check: str) -> Evidence:
    return next(each for each in evaluation.evidence if each.check == check)


async def measured_with(bench: Callable[..., Any], then: str) -> Evaluation:
    files = {
        "shop.py": "def price(x):\n    return x\n",
        "tests/test_price.py": WAITS.format(then=then),
        "setup.cfg": "[tool:pytest]\npythonpath = .\n",
    }
    made = await bench(files, settings=ChecksSettings(bandit=False, ruff=False, mypy=False, reruns=0))
    await made.change({"shop.py": "def price(x):\n    return x\ndef other():\n    return 1\n"})
    return await made.measure(Stage.TEST)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the project's test looks into /proc")
async def test_it_is_got_ready_while_the_tests_run(bench) -> None:
    evaluation = await measured_with(bench, "")
    tests, covered = evidence(evaluation, "pytest"), evidence(evaluation, "coverage")
    assert (tests.state, covered.state) == (CheckState.PASS, CheckState.PASS), tests
    assert covered.argv[1] == str(COVERED)
    assert covered.argv[-5:-1] == ("json", "-q", "-i", "-o")
    assert (covered.counts["statements"], covered.counts["covered"]) == (4, 3)
    # What it took before there was anything to report counts for nothing.
    assert covered.started_at >= tests.started_at + timedelta(seconds=tests.duration_s - 0.5)
    assert evaluation.coverage is not None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the project's test looks into /proc")
async def test_it_is_ended_where_the_tests_leave_nothing_to_report(bench, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    evaluation = await measured_with(bench, f"Path({str(noted)!r}).write_text(waiting()); os._exit(3)")
    assert evidence(evaluation, "pytest").state is CheckState.ERROR
    assert evidence(evaluation, "coverage").state is CheckState.NOT_MEASURED
    assert not Path("/proc", noted.read_text()).exists()
