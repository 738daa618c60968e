"""Tests are rewritten beside pytest, and nothing comes out otherwise for it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.suites.started import runner_of
from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import Outcome
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.evaluators.inside import FOLDER, REWRITTEN
from setpoint.evaluators.suites import ahead
from setpoint.evaluators.suites.ahead import FEWEST_FILES, rewritten
from setpoint.evaluators.suites.bytecode import told
from setpoint.evaluators.suites.python import TestSuite
from setpoint.ports import Measured, WorkCopy

GREEN = "def test_one():\n    assert 1 == 1\n"
RED = "def test_one():\n    number = 2\n    assert number == 3, 'three is asked for'\n"
BROKEN = "def test_one(:\n"
ALWAYS = "def test_one():\n    assert (1 == 2, 'never')\n"
NO_TEXT = b"def test_one():\n    assert '\xff'\n"
TOLD = """
import os, pathlib
import _pytest.assertion.rewrite as rewrite
pathlib.Path(os.environ["TOLD"]).write_text(str(rewrite._rewrite_test.__module__ == "setpoint_bytecode"))
def test_one():
    pass
"""
TOLD_ID = "tests/test_told.py::test_one"
HOOK = "def pytest_assertion_pass(item, expl):\n    print('held:', item.name, expl)\n"


def written(place: Path, **files: str | bytes) -> Path:
    """Write tests, enough of them to be rewritten ahead."""
    many = {f"test_more_{number}": f"{GREEN}# {number}\n" for number in range(FEWEST_FILES)}
    for name, text in {**many, **files}.items():
        path = place / "tests" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def measured_at(place: Path) -> Measured:
    copy = WorkCopy(trace_id=TraceId("run"), path=str(place), base=Commit("b"), base_tree=Tree("t"))
    return Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)


async def appears(folder: Path, pattern: str, count: int = 1) -> None:
    """Wait for files with something in them."""
    for _ in range(1_000):
        if sum(path.stat().st_size > 0 for path in folder.glob(pattern)) >= count:
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"{pattern} did not appear")


def made_ahead(place: Path, files: list[str], *folders: Path) -> None:
    """Let the helper rewrite files, and wait for it."""
    for folder in folders:
        folder.mkdir(exist_ok=True)
    argv = [sys.executable, str(REWRITTEN), *map(str, folders)]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(argv, cwd=place, input=json.dumps(files).encode(), env=variables, check=True)


def outcomes(place: Path, folder: Path | None, *words: str) -> tuple[dict[str, str], str]:
    """Run pytest with what was rewritten ahead; gives the outcome of each test and what was printed."""
    report = place.parent / "report.jsonl"
    variables = {**os.environ, "PYTHONPATH": str(FOLDER), "SETPOINT_REPORT_FILE": str(report)}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    if folder is not None:
        variables["SETPOINT_AHEAD"] = str(folder)
    argv = [sys.executable, "-m", "pytest", "-s", "-p", "setpoint_report", "-p", "no:cacheprovider", *words]
    done = subprocess.run(argv, cwd=place, env=variables, capture_output=True, check=False)
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    return {line["id"]: line["outcome"] for line in lines if line["kind"] == "test"}, done.stdout.decode()


def test_pytest_takes_what_was_rewritten_and_only_for_the_same_content(tmp_path: Path) -> None:
    place, folder, kept = (
        written(tmp_path / "place", test_it=GREEN + "#"),
        tmp_path / "ahead",
        tmp_path / "kept",
    )
    made_ahead(place, ["tests/test_it.py"], folder, kept)
    (entry,) = folder.iterdir()
    assert (kept / entry.name).read_bytes() == entry.read_bytes()

    # Were something else there under the same name, it would be believed: so it is taken.
    (place / "other.py").write_text(RED)
    made_ahead(place, ["other.py"], tmp_path / "other")
    (other,) = (tmp_path / "other").iterdir()
    entry.write_bytes(other.read_bytes())
    assert outcomes(place, folder, "tests/test_it.py")[0] == {"tests/test_it.py::test_one": "failed"}
    (place / "tests" / "test_it.py").write_text(GREEN + "##")
    assert outcomes(place, folder, "tests/test_it.py")[0] == {"tests/test_it.py::test_one": "passed"}


def test_who_wants_to_be_told_of_assertions_that_hold_is_told(tmp_path: Path) -> None:
    place, folder = written(tmp_path / "place", conftest=HOOK), tmp_path / "ahead"
    made_ahead(place, [f"tests/test_more_{number}.py" for number in range(FEWEST_FILES)], folder)
    said = [outcomes(place, each, "-o", "enable_assertion_pass_hook=true")[1] for each in (folder, None)]
    assert [text.count("held: test_one 1 == 1") for text in said] == [FEWEST_FILES, FEWEST_FILES]


@pytest.mark.parametrize("kind", ["default", "error"])
async def test_results_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    place = written(
        tmp_path / "place", test_red=RED, test_broken=BROKEN, test_always=ALWAYS, test_no_text=NO_TEXT
    )
    args, kept = ("-W", f"{kind}::pytest.PytestAssertRewriteWarning"), tmp_path / "kept"
    results = []
    for fewest in (1, 1_000):
        monkeypatch.setattr(ahead, "FEWEST_FILES", fewest)
        runner = await runner_of(place, *args, bytecode=told(kept, take=False))
        tests = (await TestSuite(runner=runner).run(measured_at(place))).tests
        assert tests is not None
        results.append((tests.outcomes, tests.failures, tests.collection_errors))
    assert results[0] == results[1]
    found, failures, _ = results[0]
    always = {"default": ("tests/test_always.py::test_one", Outcome.PASSED)}
    name, outcome = always.get(kind, ("tests/test_always.py", Outcome.ERROR))
    assert found[name] is outcome
    assert found["tests/test_broken.py"] is found["tests/test_no_text.py"] is Outcome.ERROR
    assert any("three is asked for" in failure.message for failure in failures)


async def test_the_whole_suite_is_rewritten_ahead_and_a_selection_is_not(tmp_path: Path) -> None:
    place, told_by = written(tmp_path / "place", test_told=TOLD), tmp_path / "told"
    runner = await runner_of(place)
    runner = replace(runner, variables={**runner.variables, "TOLD": str(told_by)})
    for suite, wanted in (
        (TestSuite(runner=runner), "True"),
        (TestSuite(runner=runner, only=(TOLD_ID,)), "False"),
    ):
        result = await suite.run(measured_at(place))
        assert result.tests is not None
        assert result.tests.outcomes[TOLD_ID] is Outcome.PASSED
        assert told_by.read_text() == wanted


async def test_little_is_left_to_pytest_and_nothing_outlasts_it(tmp_path: Path) -> None:
    place = written(tmp_path / "place")
    runner = await runner_of(place)
    folders = (tmp_path / "ahead", tmp_path / "kept")
    async with rewritten(runner.interpreter, runner.layout, place, folders, asyncio.Event()) as variables:
        assert variables == {"SETPOINT_AHEAD": str(folders[0])}
        await appears(folders[1], "*", FEWEST_FILES)
    names = {path.name for path in folders[0].iterdir()}
    assert len(names) == FEWEST_FILES
    assert names == {path.name for path in folders[1].iterdir()}

    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path / 'number'}\nexec sleep 60\n")
    slow.chmod(0o755)
    sleeping = replace(runner.interpreter, path=str(slow))
    began = time.monotonic()
    async with rewritten(sleeping, runner.layout, place, folders, asyncio.Event()):
        await appears(tmp_path, "number")
    assert time.monotonic() - began < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


async def test_what_pytest_does_not_collect_is_left_alone(tmp_path: Path) -> None:
    place = written(tmp_path / "place", helper=GREEN, data_test=GREEN)
    runner, folder = await runner_of(place), tmp_path / "ahead"
    assert "tests/helper.py" in runner.layout.tests
    done = asyncio.Event()
    async with rewritten(runner.interpreter, runner.layout, place, (folder,), done), asyncio.timeout(20):
        await done.wait()
    assert len(list(folder.iterdir())) == FEWEST_FILES + 1


async def test_small_suites_and_pytest_itself_are_left_alone(tmp_path: Path) -> None:
    few, own = tmp_path / "few", written(tmp_path / "own")
    written(few)
    for number in range(2):
        (few / "tests" / f"test_more_{number}.py").unlink()
    (own / "src" / "_pytest").mkdir(parents=True)
    (own / "src" / "_pytest" / "__init__.py").write_text("")
    for place in (few, own):
        runner = await runner_of(place)
        async with rewritten(
            runner.interpreter, runner.layout, place, (tmp_path / "ahead",), asyncio.Event()
        ) as variables:
            assert variables == {}
