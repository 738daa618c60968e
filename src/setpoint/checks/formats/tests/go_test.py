"""The JSON lines of `go test -json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json, lines_of
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.model.evidence import Cause, Outcome, TestReport

_ENDS = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED}
_UNBUILT = re.compile(r"FAIL\t(?P<package>\S+) \[(?:build|setup) failed\]")
_LOGGED = re.compile(r"^\s+(?P<file>[\w.\-]+\.go):(?P<line>\d{1,7}): (?P<text>.*)$", re.MULTILINE)
_LISTED = re.compile(r"(?:Test|Example|Fuzz)\w*")
_MARKS = ("=== ", "--- ", "    --- ", "PASS", "FAIL", "exit status", "ok  \t")
_KEPT = 20_000
"""Characters kept of what one test prints."""


class _Line(Part):
    action: str = Field(alias="Action")
    package: str = Field(default="", alias="Package")
    path: str = Field(default="", alias="ImportPath")
    test: str = Field(default="", alias="Test")
    output: str = Field(default="", alias="Output")


@dataclass
class _Package:
    """What the report says about one package."""

    ended: str = ""
    unbuilt: bool = False
    running: dict[str, None] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)

    def says(self, test: str, text: str) -> None:
        held = self.said.setdefault(test, [])
        if not text.startswith(_MARKS) and sum(map(len, held)) < _KEPT:
            held.append(text)

    def text(self, test: str) -> str:
        return "".join(self.said.get(test, ()))


_LINE = TypeAdapter(_Line)


def read(text: bytes, sources: Sources) -> TestReport:
    """Read a report; a package without an end, or no test at all, makes it one that is not believed.

    A test is named by its package: `example.com/calc::TestAdd/small`. A package that does not build, or dies
    outside of its tests, appears under its own name.
    """
    packages: dict[str, _Package] = {}
    for number, line in enumerate(lines_of(text, sources), start=1):
        if unbuilt := _UNBUILT.fullmatch(line):  # what go writes before version 1.24, as text
            package = packages.setdefault(unbuilt["package"], _Package())
            package.unbuilt, package.ended = True, "fail"
        elif line.strip():
            if not line.startswith("{"):
                raise bad(sources, f"it is not a line of go test: {line[:200]!r}", f"in line {number}")
            _note(from_json(_LINE, line.encode(), sources, f"in line {number}"), packages)
    for name, package in packages.items():
        if not package.ended:
            raise bad(sources, f"it does not tell how package {name} ended")
    told = tuple(f"{name}: it does not build" for name, package in packages.items() if package.unbuilt)
    report = report_of(
        (case for name, package in packages.items() for case in _cases(name, package, sources)), sources, told
    )
    if not report.outcomes:
        raise bad(sources, "it holds no test")
    return report


def listed(text: bytes, sources: Sources) -> frozenset[str]:
    """Read what `go test -json -list .` prints: tests, examples and fuzz tests, named as in a report."""
    names = set()
    for number, line in enumerate(lines_of(text, sources), start=1):
        if line.startswith("{"):
            told = from_json(_LINE, line.encode(), sources, f"in line {number}")
            if told.action == "output" and not told.test and _LISTED.fullmatch(told.output.strip()):
                names.add(f"{told.package}::{told.output.strip()}")
    return frozenset(names)


def _note(line: _Line, packages: dict[str, _Package]) -> None:
    name = line.package or line.path.partition(" ")[0]
    package = packages.setdefault(name, _Package())
    if line.action in ("build-output", "build-fail"):
        package.says("", line.output)
        if line.action == "build-fail":
            package.unbuilt, package.ended = True, "fail"
    elif line.action == "output":
        package.says(line.test, line.output)
    elif line.action == "run":
        package.running[line.test] = None
    elif line.action in _ENDS and line.test:
        package.running.pop(line.test, None)
        package.outcomes[line.test] = _ENDS[line.action]
    elif line.action in _ENDS:
        package.ended = line.action


def _cases(name: str, package: _Package, sources: Sources) -> Iterator[Case]:
    for test, outcome in package.outcomes.items():
        yield _case(name, test, outcome, package.text(test), sources)
    for test in package.running:
        said = package.text(test) or package.text("")
        yield _case(
            name, test, Outcome.ERROR, said or "the test process ended in this test", sources, Cause.CRASH
        )
    dead = package.ended == "fail" and not package.running
    if dead and Outcome.FAILED not in package.outcomes.values():
        cause = Cause.SYNTAX if package.unbuilt else Cause.CRASH
        yield _case(name, "", Outcome.ERROR, package.text("") or "the package failed", sources, cause)


def _case(
    name: str, test: str, outcome: Outcome, said: str, sources: Sources, cause: Cause | None = None
) -> Case:
    said = said if outcome.red else ""
    file, line, message = _place(name, said, sources)
    return Case(
        id=f"{name}::{test}" if test else name,
        outcome=outcome,
        message=message,
        text=said,
        file=file,
        line=line,
        cause=cause or cause_in(said),
    )


def _place(package: str, said: str, sources: Sources) -> tuple[str, int, str]:
    """Return where a test failed, and what it said there: a panic's frame, else what the test logged last."""
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    if "panic: " in said or "runtime error" in said:
        return (*place_in(said, sources), first)
    logged = list(_LOGGED.finditer(said))
    if not logged:
        return (*place_in(said, sources), first)
    last = logged[-1]
    return _in_package(package, last["file"], sources), int(last["line"]), last["text"].strip() or first


def _in_package(package: str, name: str, sources: Sources) -> str:
    """Find a file of a package: the longest end of its import path that is a folder of the tree holds it."""
    parts = package.split("/")
    ends = ("/".join([*parts[start:], name]) for start in range(len(parts) + 1))
    return next((file for file in ends if sources.holds(file)), "")
