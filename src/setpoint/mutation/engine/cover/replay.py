"""Judges new tests: each alone in a process of its own, again and again, and all in random orders."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..children import Limits, Report, cpu_timer, run_child
from ..session import PASSED, Suite, collect, prepare_path, pytest_words

_TEST_S = 10.0
_FRESH_S = 120.0
OTHER_ORDER = "fails in another order or with other hashes"
_ENGINE = Path(__file__).resolve().parent.parent


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


def replay(how: Replay, until: float) -> tuple[dict[str, str], str]:
    """Give why tests are not to be kept, by name, and why there was no judging; both empty for all good."""
    bad: dict[str, str] = {}
    heard: list[str] = []

    def take(entry: tuple[str, Any]) -> None:
        kind, value = entry
        if kind == "test":
            heard.append(value)
        elif kind == "bad":
            bad.setdefault(*value)
        else:
            heard.extend(value)

    log = Path(how.scratch) / "replay.log"
    ended = run_child(_alone(how, log), how.limits._replace(silence_s=_TEST_S * 3), take)
    if not heard:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-600:] if log.exists() else ""
        return {}, f"the new tests cannot be collected: {ended.error or said}"
    for seed in range(1, how.shuffled + 1):
        if time.monotonic() > until:
            break
        for test in shuffled(how, seed, list(bad)):
            bad.setdefault(name_of(test), OTHER_ORDER)
    return bad, ""


def _alone(how: Replay, log: Path) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number in (1, 2):
            os.dup2(target, number)
        prepare_path(how.tree)

        def judge(suite: Suite) -> None:
            report(("tests", list(suite.ids)))
            for test in suite.ids:
                report(("test", test))
                if why := _steady(suite, test, how):
                    report(("bad", (name_of(test), why)))

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


def shuffled(how: Replay, seed: int, without: Collection[str] = ()) -> Sequence[str]:
    """Run all tests in a fresh interpreter, in another order and with other hashes; gives those that fail.

    Those `without` which it is to be done, by name, are left out: they fail anyhow, and may end the process.
    """
    answer = Path(how.scratch) / f"replay-{seed}.json"
    order = {
        "tree": how.tree,
        "files": how.files,
        "scratch": how.scratch,
        "seed": seed,
        "words": how.pytest_args,
        "without": sorted(without),
    }
    asked = Path(how.scratch) / f"replay-{seed}-request.json"
    asked.write_text(json.dumps(order), encoding="utf-8")
    argv = [sys.executable, str(_ENGINE), "shuffle", str(asked), str(answer)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed * 1000 + 7)}
    try:
        subprocess.run(
            argv,
            cwd=how.tree,
            env=environment,
            timeout=_FRESH_S,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        failed: list[str] = json.loads(answer.read_text(encoding="utf-8"))
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ()
    return failed


def name_of(test: str) -> str:
    """Give the name of a test without its file and class."""
    return test.rpartition("::")[2]


class _Shuffle:
    def __init__(self, seed: int, without: Collection[str]) -> None:
        self._seed, self._without = seed, without
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests in a random order, without those that are left out."""
        items[:] = [item for item in items if name_of(item.nodeid) not in self._without]
        random.Random(self._seed).shuffle(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what is not green."""
        if not report.passed:
            self.failed.append(report.nodeid)


def main(words: Iterable[str]) -> int:
    """Run a file of tests in a random order and write down which are not green."""
    asked, answered = words
    order = json.loads(Path(asked).read_text(encoding="utf-8"))
    prepare_path(order["tree"])
    shuffle = _Shuffle(order["seed"], order["without"])
    pytest.main(
        [*pytest_words(order["tree"], order["scratch"], order["words"]), *order["files"]], plugins=[shuffle]
    )
    Path(answered).write_text(json.dumps(shuffle.failed), encoding="utf-8")
    return 0
