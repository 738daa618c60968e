"""Which test belongs to which tier, and how much each one needs.

The first tier (`make test`) is what every change must pass. A test is in the second tier (`make test-all`)
where one of these is true:

- it carries the mark `slow`, as it repeats a behaviour on one more tool, language, database, agent or seed;
- it needs more than `LIMIT_S` seconds, as recorded in `durations.json`;
- the quicker tests of its file take `FILE_S` seconds already.

The last two marks are set when the tests are collected. The quickest test of a file always stays in the first
tier, so every file keeps one real path there. `make durations` records the seconds anew:
those of the processor, for a test and what it starts, as other work on the machine changes them little. They
are keyed by file and test; whoever moves a file of tests renames its key, or records again.
"""

from __future__ import annotations

import json
import resource
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_name("durations.json")
LIMIT_S = 5.0
"""Longest recorded time of a test in the first tier, unless it is the quickest of its file."""
FILE_S = 12.0
"""Most recorded seconds of a file in the first tier."""
LEAST_S = 0.5
"""Shortest time that is recorded."""

PROPERTY = "processor_s"

Seconds = dict[str, dict[str, float]]
"""Seconds by file and test."""


def recorded() -> Seconds:
    """Return the recorded seconds; nothing where nothing was recorded yet."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def seconds_of(node: str, known: Seconds) -> float | None:
    """Return the recorded seconds of a test, none where it was quick or never recorded."""
    file, _, test = node.partition("::")
    return known.get(file, {}).get(test)


def too_slow(nodes: Iterable[str], known: Seconds) -> frozenset[str]:
    """Return those of the tests that the first tier has no time for; each file keeps its quickest one."""
    files: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for node in nodes:
        files[node.partition("::")[0]].append((seconds_of(node, known) or 0.0, node))
    left_out: set[str] = set()
    for tests in files.values():
        taken_s = 0.0
        for place, (seconds, node) in enumerate(sorted(tests)):
            if place and seconds and (seconds > LIMIT_S or taken_s + seconds > FILE_S):
                left_out.add(node)
            else:
                taken_s += seconds
    return frozenset(left_out)


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Mark what the first tier has no time for."""
    open_items = {item.nodeid: item for item in items if item.get_closest_marker("slow") is None}
    for node in too_slow(open_items, recorded()):
        open_items[node].add_marker(pytest.mark.slow)


def longest_files_first(items: list[pytest.Item]) -> None:
    """Sort tests so that the longest files begin first and no worker is left with one at the end."""
    known = recorded()
    total = {file: sum(tests.values()) for file, tests in known.items()}
    items.sort(key=lambda item: -total.get(item.nodeid.partition("::")[0], 0.0))


class Meter:
    """Hands the processor seconds of each phase of a test to whoever receives its report."""

    elsewhere_s = 0.0
    """Seconds of processes that are not descendants of this one, told by those who called them."""

    def __init__(self) -> None:
        self._before_s = 0.0

    def pytest_collection_finish(self) -> None:
        self._before_s = self._now_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now_s = self._now_s()
        report.user_properties = [*report.user_properties, (PROPERTY, now_s - self._before_s)]
        self._before_s = now_s
        return report

    @staticmethod
    def _now_s() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return Meter.elsewhere_s + sum(each.ru_utime + each.ru_stime for each in used)


class Recorder:
    """Adds up the seconds of each test that passes, and writes them when the session ends."""

    def __init__(self) -> None:
        self._taken: defaultdict[str, float] = defaultdict(float)
        self._passed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._taken[report.nodeid] += dict(report.user_properties)[PROPERTY]
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        known = recorded()
        for node in self._passed:
            file, _, test = node.partition("::")
            tests = known.setdefault(file, {})
            tests.pop(test, None)
            if self._taken[node] >= LEAST_S:
                tests[test] = round(self._taken[node], 1)
        write(known)


def write(known: Seconds) -> None:
    """Write the file, sorted, without files that are gone or quick."""
    kept = {
        file: dict(sorted(tests.items()))
        for file, tests in sorted(known.items())
        if tests and (ROOT / file).exists()
    }
    FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
