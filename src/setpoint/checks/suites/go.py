"""The tests of Go modules, by `go test`."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from setpoint.checks import results
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.tests import go_test
from setpoint.checks.formats.tests.stack_frames import place_in
from setpoint.checks.formats.tests.test_cases import DETAIL
from setpoint.checks.suites.runner import Once, Start, read, selected
from setpoint.model.evidence import NOT_RUN, Cause, Failure, Outcome, TestReport
from setpoint.system.processes import narrowing

_SECTION = re.compile(r"^# (?P<package>\S+)(?: \[.*\])?$")
_OF_OTHERS = re.compile(r"\.(?:rs|py|[cm]?[jt]sx?|vue|svelte)$|^doc ")
"""What tests in other languages are named after; a package may have a dot in its last part, too."""
_EMPTY = re.compile(rb"\[no test files\]")
_RAN = re.compile(rb'"Test":|"Action":"(?:pass|fail)"')
_MOST_NAMED = 5
_BUILD = ("tags", "ldflags", "gcflags", "mod", "modfile")
_RUN = ("cpu", "parallel")


@dataclass(frozen=True, kw_only=True)
class GoRunner:
    """Runs `go test`, and asks before which tests there are: a test's own output is not believed."""

    def owns(self, test: str) -> bool:
        """Whether an identifier names a package, and in it perhaps a test."""
        package, _, name = test.partition("::")
        return _OF_OTHERS.search(package) is None and re.match(r"$|Test|Example|Fuzz", name) is not None

    async def run(self, start: Start, only: Selection) -> Once:
        """Run all packages of a module, or a selection."""
        packages = ("./...",) if only is None else tuple(sorted({test.partition("::")[0] for test in only}))
        listing = await start.call((*start.argv(*narrowed(start), "-list", "."), *packages))
        done = await start.call((*start.argv(*narrowed(start), *_pattern(only)), *packages))
        if done.ok and _EMPTY.search(done.stdout) and not _RAN.search(done.stdout):
            return Once(done=done, report=TestReport(outcomes={}, complete=only is None))
        once = read(start, done, done.stdout)
        if once.report is None:
            return once
        try:
            names = go_test.listed(listing.stdout, start.sources())
        except BadReport as error:
            return Once(
                done=done, broken=f"which tests there are is not known: {error}{results.tail(listing)}"
            )
        report = _explained(once.report, done.errors, start)
        report, broken = _whole(report, names if only is None else names & set(only))
        return Once(done=done, report=selected(report, only), broken=once.broken or broken)


def narrowed(start: Start) -> tuple[str, ...]:
    """Keep the test programs from the build cache, which the next run reads."""
    words = held(start)
    return ("-exec", shlex.join(words)) if words else ()


def held(start: Start) -> tuple[str, ...]:
    """Return the words before a test program."""
    return (*narrowing("GOCACHE", (start.tree, start.scratch, *start.writable)), *start.under)


class Flags(NamedTuple):
    """Flags of `go test` for the two steps that it is made of."""

    build: tuple[str, ...]
    run: tuple[str, ...]


def split_flags(args: Sequence[str]) -> Flags:
    """Part the flags of a project into those that build the test program and those that it is run with.

    What changes neither the code nor which tests there are is left out: the race detector, what is printed.

    >>> split_flags(("-race", "-tags", "linux", "--short", "-cpu=1"))
    Flags(build=('-tags=linux',), run=('-test.short', '-test.cpu=1'))
    """
    build, run, left = list[str](), list[str](), list(args)
    while left:
        name, has, value = left.pop(0).lstrip("-").partition("=")
        if name in (*_BUILD, *_RUN) and not has and left:
            value = left.pop(0)
        if name in _BUILD:
            build.append(f"-{name}={value}")
        elif name in _RUN:
            run.append(f"-test.{name}={value}")
        elif name == "short":
            run.append("-test.short" + (f"={value}" if has else ""))
    return Flags(tuple(build), tuple(run))


def _pattern(only: Selection) -> tuple[str, ...]:
    names = sorted({test.partition("::")[2].partition("/")[0] for test in only or ()})
    return ("-run", f"^({'|'.join(map(re.escape, names))})$") if names and all(names) else ()


def _whole(report: TestReport, names: frozenset[str]) -> tuple[TestReport, str]:
    """Add the tests that never ran as red where their package died, and say where that has no reason."""
    if not report.collection_errors and not any("::" in test for test in report.outcomes):
        said = next((each.message for each in report.failures), "")
        return report, f"no test of any package started: {said}"
    dead = {test.partition("::")[0] for test in report.red}
    missing = sorted(names - report.outcomes.keys())
    unknown = sorted(
        test
        for test in report.outcomes
        if "::" in test and "/" not in test.partition("::")[2] and test not in names
    )
    lost = [test for test in missing if test.partition("::")[0] not in dead]
    if lost:
        return report, f"{len(lost)} tests are there and never ran: {', '.join(lost[:_MOST_NAMED])}"
    if unknown and not dead.issuperset(test.partition("::")[0] for test in unknown):
        return report, f"the report names tests that there are not: {', '.join(unknown[:_MOST_NAMED])}"
    message = f"{NOT_RUN}the test process of its package ended before"
    never = [test for test in missing if test.partition("::")[0] not in report.outcomes]
    failures = tuple(Failure(test=test, cause=Cause.CRASH, message=message) for test in never)
    return TestReport(
        outcomes={**report.outcomes, **dict.fromkeys(never, Outcome.ERROR)},
        failures=(*report.failures, *failures),
        collection_errors=report.collection_errors,
        complete=report.complete,
    ), ""


def _explained(report: TestReport, errors: str, start: Start) -> TestReport:
    """Return packages that did not build what the compiler said of them, which older versions print apart."""
    said: dict[str, list[str]] = defaultdict(list)
    package = ""
    for line in errors.splitlines():
        if section := _SECTION.match(line):
            package = section["package"]
        elif package:
            said[package].append(line)
    failures = [
        _with(failure, "\n".join(said[failure.test]), start) if failure.test in said else failure
        for failure in report.failures
    ]
    return report.model_copy(update={"failures": tuple(failures)})


def _with(failure: Failure, text: str, start: Start) -> Failure:
    first = next((line for line in text.splitlines() if line.strip()), failure.message)
    at = f"{start.folder}/" if start.folder else ""
    named = re.sub(r"^(\./)?(?=\S+\.go:\d)", at, text, flags=re.MULTILINE)
    file, line = place_in(named, start.sources())
    said = {
        "message": first[:400],
        "detail": text[-DETAIL:],
        "file": file,
        "line": line,
        "cause": Cause.SYNTAX,
    }
    return failure.model_copy(update=said)
