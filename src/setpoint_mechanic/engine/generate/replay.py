"""Judges new tests: each alone in a process of its own, again and again, and all in random orders."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import pytest

from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import PASSED, Suite, collect, counts, prepare_path, pytest_words

from ..start import start

_TEST_S = 10.0
_FRESH_S = 120.0
_LEAST_S = 20.0
"""Seconds that the first run in another order gets in any case: without one nothing is kept."""
_ROUNDS = 3
"""Times that one order is run again without the test that ended the run."""
OTHER_ORDER = "fails in another order, with other hashes or in another time zone"
_ZONES = ("AAA-13", "BBB+11")
"""Time zones, as POSIX writes them, so that no list of zones is needed."""
ENDS_RUN = "ends or holds up the run when it runs among the others"
NOT_JUDGED = "was not judged: {}"


@dataclass(frozen=True)
class Replay:
    """What is to be run, and how often."""

    tree: str
    files: tuple[str, ...]
    """The files of tests, from the tree's root."""
    scratch: str
    limits: Limits
    alone: int
    """Runs of each test, one after the other, in a process forked for it."""
    shuffled: int
    """Runs of all in fresh interpreters, each with another order and another seed of hashes."""
    pytest_args: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    """Folders from which the project's code is imported, beside the usual ones."""


@dataclass
class Replayed:
    """What came of new tests."""

    bad: dict[str, str] = field(default_factory=dict)
    """Why tests are not to be kept, by name."""
    reason: str = ""
    """Why there was no judging; empty where there was."""
    orders: int = 0
    """Orders in which all were run together to the end."""


def replay(how: Replay, until: float) -> Replayed:
    """Judge the tests of some files; a test of which nothing was heard is not to be kept."""
    came = Replayed()
    tests: list[str] = []
    heard: set[str] = set()

    def take(entry: tuple[str, Any]) -> None:
        kind, value = entry
        if kind == "tests":
            tests.extend(value)
        elif kind == "done":
            heard.add(value)
        elif kind == "bad":
            came.bad.setdefault(*value)

    log = Path(how.scratch) / "replay.log"
    ended = run_child(_alone(how, log), how.limits._replace(silence_s=_TEST_S * 3), take)
    if not tests:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-600:] if log.exists() else ""
        came.reason = f"the new tests cannot be collected: {ended.error or said}"
        return came
    if not ended.finished:
        why = NOT_JUDGED.format(ended.error or "the process that ran the tests ended early")
        for test in tests:
            if test not in heard:
                came.bad.setdefault(name_of(test), why)
    bad, came.orders = in_orders(how, [test for test in tests if name_of(test) not in came.bad], until)
    for test, why in bad.items():
        came.bad.setdefault(name_of(test), why)
    return came


def in_orders(how: Replay, tests: Sequence[str], until: float) -> tuple[dict[str, str], int]:
    """Run tests, by id, together in other orders; gives those not to be kept, and the orders that came about.

    The first order is run in any case. A test that ends the run is bad, and the others run once more without
    it; tests that are not heard of in the end are not judged, and so are bad too.
    """
    bad: dict[str, str] = {}
    orders = 0
    for seed in range(1, how.shuffled + 1):
        left = [test for test in tests if test not in bad]
        if not left or (seed > 1 and time.monotonic() > until):
            break
        run = Shuffled()
        for _ in range(_ROUNDS):
            wall_s = min(_FRESH_S, max(_LEAST_S, until - time.monotonic()))
            run = shuffled(how, seed, left, wall_s)
            bad.update((test, OTHER_ORDER) for test in run.failed)
            if run.ended or not run.running:
                break
            bad[run.running] = ENDS_RUN
            left = [test for test in left if test not in bad]
        orders += run.ended
        silent = set(left) - run.passed - set(bad)
        bad.update(dict.fromkeys(silent, NOT_JUDGED.format("it did not run to its end among the others")))
    return bad, orders


def _alone(how: Replay, log: Path) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number in (1, 2):
            os.dup2(target, number)
        prepare_path(how.tree, how.roots)

        def judge(suite: Suite) -> None:
            report(("tests", list(suite.ids)))
            for test in suite.ids:
                report(("at", test))
                if why := _steady(suite, test, how):
                    report(("bad", (name_of(test), why)))
                report(("done", test))

        collect([*pytest_words(how.tree, how.scratch, how.pytest_args), *how.files], judge)

    return act


def _steady(suite: Suite, test: str, how: Replay) -> str:
    """Say why a test is not steady: in a process of its own it does not pass again and again."""

    def act(report: Report) -> None:
        cpu_timer(_TEST_S, _TEST_S * 2)
        for _ in range(how.alone):
            report(suite.run(test).outcome)

    outcomes: list[str] = []
    ended = run_child(act, how.limits._replace(silence_s=_TEST_S * 2.5), outcomes.append)
    if not ended.finished:
        return f"ends its process: {ended.error or 'killed, or out of time'}"
    return next((f"{outcome} when run alone" for outcome in outcomes if outcome != PASSED), "")


@dataclass
class Shuffled:
    """One run of all tests in another order."""

    passed: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    running: str = ""
    """The test at which the run stopped; empty where none was running."""
    ended: bool = False
    """It came to its end."""


def shuffled(how: Replay, seed: int, tests: Sequence[str], wall_s: float) -> Shuffled:
    """Run tests, by id, in a fresh interpreter: another order, other hashes, another time zone."""
    answer = Path(how.scratch) / f"replay-{seed}.jsonl"
    answer.unlink(missing_ok=True)
    order = {
        "tree": how.tree,
        "roots": how.roots,
        "files": how.files,
        "scratch": how.scratch,
        "seed": seed,
        "words": how.pytest_args,
        "tests": list(tests),
    }
    asked = Path(how.scratch) / f"replay-{seed}-request.json"
    asked.write_text(json.dumps(order), encoding="utf-8")
    argv = [*start(sys.executable, "generate.replay"), str(asked), str(answer)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed * 1000 + 7), "TZ": _ZONES[seed % len(_ZONES)]}
    with contextlib.suppress(subprocess.TimeoutExpired):  # what was written until then tells where it hangs
        subprocess.run(
            argv,
            cwd=how.tree,
            env=environment,
            timeout=wall_s,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return _read(answer)


def _read(answer: Path) -> Shuffled:
    run = Shuffled()
    steps = answer.read_text(encoding="utf-8").split("\n")[:-1] if answer.is_file() else ()
    for kind, test in map(json.loads, steps):
        if kind == "begun":
            run.running = test
        elif kind == "failed":
            run.failed.append(test)
        elif kind == "done":
            run.running = ""
            run.passed.add(test)
        elif kind == "end":
            run.ended = True
    run.passed.difference_update(run.failed)
    return run


def name_of(test: str) -> str:
    """Return the name of a test without its file and class."""
    return test.rpartition("::")[2]


class _Shuffle:
    """Runs the wanted tests in a random order and writes each step down at once."""

    def __init__(self, seed: int, tests: Collection[str], steps: TextIO) -> None:
        self._seed, self._tests, self._steps = seed, frozenset(tests), steps

    def tell(self, kind: str, test: str) -> None:
        """Write a step down; it outlives the process."""
        self._steps.write(f"{json.dumps([kind, test])}\n")
        self._steps.flush()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the wanted tests in a random order."""
        items[:] = [item for item in items if item.nodeid in self._tests]
        random.Random(self._seed).shuffle(items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test is running."""
        self.tell("begun", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what is not green."""
        if not report.passed and counts(report):
            self.tell("failed", report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test came to its end."""
        self.tell("done", nodeid)


def main(words: Iterable[str]) -> int:
    """Run tests in a random order and write down, step by step, what becomes of each."""
    asked, answered = words
    order = json.loads(Path(asked).read_text(encoding="utf-8"))
    prepare_path(order["tree"], order["roots"])
    with Path(answered).open("w", encoding="utf-8") as steps:
        shuffle = _Shuffle(order["seed"], order["tests"], steps)
        pytest.main(
            [*pytest_words(order["tree"], order["scratch"], order["words"]), *order["files"]],
            plugins=[shuffle],
        )
        shuffle.tell("end", "")
    return 0
