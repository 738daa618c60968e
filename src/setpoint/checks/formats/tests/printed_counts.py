"""How many tests a runner says that it ran, read from what it prints for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Counts(NamedTuple):
    """Tests that passed, and tests that did not; those left out count as neither."""

    passed: int
    failed: int


def _sum(pattern: str) -> Callable[[str], int | None]:
    compiled = re.compile(pattern, re.MULTILINE)

    def read(text: str) -> int | None:
        found = [int(each) for each in compiled.findall(text)]
        return sum(found) if found else None

    return read


def _last(pattern: str) -> Callable[[str], int | None]:
    compiled = re.compile(pattern, re.MULTILINE)

    def read(text: str) -> int | None:
        found = compiled.findall(text)
        return int(found[-1]) if found else None

    return read


_READ: tuple[tuple[str, Callable[[str], int | None], Callable[[str], int | None], bool], ...] = (
    ("node", _sum(r"^(?:#|\u2139) pass (\d+)"), _sum(r"^(?:#|\u2139) fail (\d+)"), False),
    ("vitest", _last(r"^\s*Tests\s+.*?(\d+) passed"), _last(r"^\s*Tests\s+.*?(\d+) failed"), False),
    ("jest", _last(r"^Tests:\s+.*?(\d+) passed"), _last(r"^Tests:\s+.*?(\d+) failed"), False),
    ("tape", _last(r"^# pass\s+(\d+)"), _last(r"^# fail\s+(\d+)"), False),
    ("uvu", _last(r"^\s*Passed:\s+(\d+)"), _last(r"^\s*Total:\s+(\d+)"), True),
    ("mocha", _last(r"^\s*(\d+) passing\b"), _last(r"^\s*(\d+) failing\b"), False),
    ("ava", _last(r"^\s*(\d+) tests? passed"), _last(r"^\s*(\d+) tests? failed"), False),
    ("tap", _last(r"^#\s*\{ total: \d+, pass: (\d+)"), _last(r"^#\s*\{ total: (\d+), pass"), True),
    ("cargo", _sum(r"^test result: .*?(\d+) passed"), _sum(r"^test result: .*?(\d+) failed"), False),
    ("pytest", _last(r"^=*.*?\b(\d+) passed"), _last(r"^=*.*?\b(\d+) failed"), False),
    ("unittest", _last(r"^Ran (\d+) tests?"), _last(r"^FAILED \(.*?failures=(\d+)"), False),
    ("surefire", _last(r"^.*Tests run: (\d+)"), _last(r"^.*Tests run: \d+, Failures: (\d+)"), False),
)
"""For each runner: what passed, what failed, and whether the second figure is that of all tests."""


def _named(what: str, text: str) -> int:
    found = re.search(rf"\b{what}=(\d+)", text)
    return int(found[1]) if found else 0


_GO = re.compile(r"^\s*--- (PASS|FAIL): ", re.MULTILINE)

_SUITE = re.compile(r"^\s*\[junit\] (?:Running|Testsuite:) (?P<name>\S+)\s*$")
_RAN = re.compile(
    r"^\s*\[junit\] Tests run: (\d+),\s+Failures: (\d+),\s+Errors: (\d+)(?:,\s+Skipped: (\d+))?"
)


def ant_counts(output: str) -> Counts | None:
    """Add up what Ant's `junit` task prints of each class, which it may print twice; none without any."""
    suites: dict[str, Counts] = {}
    name = ""
    for line in output.splitlines():
        if opened := _SUITE.match(line):
            name = opened["name"]
        elif ran := _RAN.match(line):
            tests, failures, errors, skipped = (int(each or 0) for each in ran.groups())
            suites[name] = Counts(max(0, tests - failures - errors - skipped), failures + errors)
    return Counts(*map(sum, zip(*suites.values(), strict=True))) if suites else None


def printed_counts(output: str) -> Counts | None:
    """Read the counts from what was printed; none where no line tells them."""
    text = _COLOURS.sub("", output)
    if (ant := ant_counts(text)) is not None:
        return ant
    for name, passed, failed, total in _READ:
        first, second = passed(text), failed(text)
        if first is None and (second is None or total):
            continue
        bad = second or 0
        if total:
            bad = max(0, bad - (first or 0))
        if name == "unittest":
            bad += _named("errors", text)
            first = max(0, (first or 0) - _named("skipped", text))
        if name in ("unittest", "surefire"):
            first = max(0, (first or 0) - bad)
        return Counts(first or 0, bad)
    told = _GO.findall(text)
    return Counts(told.count("PASS"), told.count("FAIL")) if told else None
