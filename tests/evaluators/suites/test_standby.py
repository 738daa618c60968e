"""A selection is collected at the base as soon as one of its tests is red, and waits there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import Outcome
from setpoint.evaluators.judge import FullReport
from setpoint.evaluators.suites.standby import Standby
from setpoint.settings import ChecksSettings

CODE = "def add(a, b):\n    return a + b\n"
CONFTEST = """
import os
from pathlib import Path
STARTS = Path({starts!r})
HERE = Path.cwd().name

def at_base():
    return [line for line in STARTS.read_text().splitlines() if line.endswith(".base")]

with STARTS.open("a") as file:
    print(HERE, file=file)
{more}
"""
TESTS = """
import time
from calc import add
from conftest import STARTS, at_base
SEEN = []

def test_first():
    SEEN.append(1)

def test_apart():
    assert SEEN
    assert add(1, 0) == 1

def test_red():
    if {flaky} and add(1, 2) != 3:
        again = STARTS.with_name("again")
        before = again.exists()
        again.write_text("")
        assert before
    else:
        assert add(1, 2) == 3

def test_waits():
    if add(1, 2) != 3:
        ends = time.monotonic() + 60
        while not at_base():
            assert time.monotonic() < ends, "nothing was begun at the base"
            time.sleep(0.01)
"""
WITHOUT_APART = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.name != "test_apart"]
"""
SLOW = {"tests/test_zzz.py": "import time\ndef test_long():\n    time.sleep(0.3)\n"}
"""Beside it the others are less than half of the suite, and run early."""
APART, RED, WAITS = (f"tests/test_calc.py::test_{name}" for name in ("apart", "red", "waits"))
CHECKS = ChecksSettings(bandit=False, ruff=False, mypy=False, coverage=False, reruns=1)


class Project:
    """A project that notes each time its tests are started."""

    def __init__(self, bench, starts: Path) -> None:
        self._bench = bench
        self.starts = starts

    async def changed(self, change: tuple[str, str], *, flaky: bool = False, more: str = "") -> Evaluation:
        conftest = CONFTEST.format(starts=str(self.starts), more=more)
        tests = TESTS.format(flaky=flaky)
        files = {"calc.py": CODE, "conftest.py": conftest, "tests/test_calc.py": tests, **SLOW}
        self.made = await self._bench(files, settings=CHECKS)
        await self.made.measure(Stage.BASE)
        await self.made.change({"calc.py": CODE.replace(*change)})
        return await self.made.measure(Stage.EVALUATE)

    def outcomes(self, evaluation: Evaluation) -> dict[str, Outcome]:
        report = FullReport.model_validate_json(self.made.artifacts.read(evaluation.report))
        return next(dict(each.tests.outcomes) for each in report.results if each.tests)

    def at_base(self) -> int:
        return sum(line.endswith(".base") for line in self.starts.read_text().splitlines())


@pytest.fixture
def project(bench, tmp_path: Path) -> Project:
    return Project(bench, tmp_path / "starts.txt")


async def test_what_is_red_is_compared_by_a_process_that_was_ready(project: Project) -> None:
    evaluated = await project.changed(("a + b", "a - b"))

    assert [each.test for each in evaluated.failures] == [RED]
    assert project.outcomes(evaluated)[APART] is Outcome.ORDER_DEPENDENT
    assert project.outcomes(evaluated)[WAITS] is Outcome.PASSED
    assert project.at_base() == 1


async def test_where_nothing_is_left_to_compare_it_is_ended(project: Project) -> None:
    evaluated = await project.changed(("a + b", "a - b"), flaky=True, more=WITHOUT_APART)

    assert evaluated.failures == ()
    assert project.outcomes(evaluated)[RED] is Outcome.FLAKY
    assert project.at_base() == 1


async def test_where_it_breaks_another_one_is_asked(project: Project) -> None:
    broken = "if HERE.endswith('.base') and len(at_base()) == 1:\n    os._exit(3)\n"
    evaluated = await project.changed(("a + b", "a - b"), more=broken)

    assert [each.test for each in evaluated.failures] == [RED]
    assert project.outcomes(evaluated)[APART] is Outcome.ORDER_DEPENDENT
    assert project.at_base() == 2


async def test_nothing_is_begun_where_nothing_is_red(project: Project) -> None:
    evaluated = await project.changed(("a + b", "b + a"), more=WITHOUT_APART)

    assert evaluated.failures == ()
    assert project.at_base() == 0


@pytest.mark.parametrize(
    ("lines", "begun"),
    [
        (({"kind": "test", "id": "a", "outcome": "failed"},), False),
        (({"kind": "forks"}, {"kind": "test", "id": "a", "outcome": "passed"}), False),
        (({"kind": "forks"}, {"kind": "test", "id": "settled", "outcome": "failed"}), False),
        (({"kind": "forks"}, {"kind": "begin", "id": '"outcome": "failed"'}), False),
        (({"kind": "forks"}, {"kind": "test", "id": "a", "outcome": "failed"}), True),
        (({"kind": "forks"}, {"kind": "test", "id": "a", "outcome": "error"}), True),
    ],
)
async def test_it_begins_with_the_first_red_test_of_forked_runs(
    tmp_path: Path, lines: tuple[dict[str, str], ...], begun: bool
) -> None:
    report, started = tmp_path / "report.jsonl", []

    async def start(word: Path) -> list:
        started.append(word)
        return []

    standby = Standby(start, lambda test: test != "settled")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    watching = asyncio.create_task(standby.watch(report))
    for end in (len(text) // 2, len(text)):
        report.write_text(text[:end])
        await asyncio.sleep(0.1)
    assert watching.done() is begun
    watching.cancel()
    assert (await standby.ask(("a",), 1), len(started)) == ([], int(begun))
    await standby.leave()
    assert not any(word.parent.exists() for word in started)
