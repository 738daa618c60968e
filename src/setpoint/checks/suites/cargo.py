"""The tests of Rust crates, by `cargo test`."""

from __future__ import annotations

from dataclasses import dataclass

from setpoint.checks import results
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.linters import cargo
from setpoint.checks.formats.tests import cargo_test
from setpoint.checks.suites.runner import Once, Start, believed, selected
from setpoint.model.evidence import Cause, Failure, Outcome, TestReport
from setpoint.model.finding import Finding, Severity
from setpoint.system.processes import Completed

_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class CargoRunner:
    """Builds first, for what the compiler says and the names of the programs; then lists, then runs."""

    def owns(self, test: str) -> bool:
        """Whether an identifier names a source of Rust, or documentation tests."""
        target = test.partition("::")[0]
        return target.endswith(".rs") or target.startswith("doc ")

    async def run(self, start: Start, only: Selection) -> Once:
        """Run all targets of a workspace, or a selection."""
        building = await start.call(start.argv("--no-run", "--message-format=json", "--quiet"))
        try:
            built = cargo.built(building.stdout, start.sources())
        except BadReport as error:
            return Once(done=building, broken=f"{error} ({building.ending}){results.tail(building)}")
        if not built.success:
            return _unbuilt(building, built.report.findings, only)
        listing = await start.call(start.argv("--", "--list"), merged=True)
        done = await start.call(start.argv(*_filter(only)), merged=True)
        try:
            names = cargo_test.listed(listing.stdout, start.sources(), built.executables)
            report = cargo_test.report_by_target(done.stdout, start.sources(), built.executables)
        except BadReport as error:
            return Once(done=done, broken=f"{error} ({done.ending}){results.tail(done)}")
        once = believed(start, done, report)
        wanted = names if only is None else names & set(only)
        broken = once.broken or _differs(report, wanted, names)
        return Once(done=done, report=selected(report, only), broken=broken)


def _filter(only: Selection) -> tuple[str, ...]:
    """Name tests alone; documentation tests have names that hold their line, so that all is run for these."""
    if only is None or any(test.startswith("doc ") or "::" not in test for test in only):
        return ()
    return ("--", "--exact", *sorted({test.partition("::")[2] for test in only}))


def _differs(report: TestReport, wanted: frozenset[str], names: frozenset[str]) -> str:
    """Say where the report names other tests than the programs list: tests can print what looks like one."""
    missing, unknown = sorted(wanted - report.outcomes.keys()), sorted(report.outcomes.keys() - names)
    if missing:
        return f"{len(missing)} tests are there and never ran: {', '.join(missing[:_MOST_NAMED])}"
    if unknown:
        return f"the report names tests that there are not: {', '.join(unknown[:_MOST_NAMED])}"
    return ""


def _unbuilt(done: Completed, findings: tuple[Finding, ...], only: Selection) -> Once:
    """Make a red entry of each source that does not compile: none of its tests could run."""
    errors = [each for each in findings if each.severity is Severity.ERROR]
    outcomes = {each.file or "the build": Outcome.ERROR for each in errors}
    failures = {
        each.file or "the build": Failure(
            test=each.file or "the build",
            cause=Cause.SYNTAX,
            message=f"{each.rule}: {each.message}" if each.rule else each.message,
            file=each.file,
            line=each.line,
        )
        for each in reversed(errors)
    }
    if not outcomes:
        return Once(
            done=done, broken=f"the build failed and names no error: {done.ending}{results.tail(done)}"
        )
    told = tuple(f"{test}: it does not compile" for test in outcomes)
    outcomes |= dict.fromkeys(only or (), Outcome.ERROR)
    report = TestReport(
        outcomes=outcomes, failures=tuple(failures.values()), collection_errors=told, complete=False
    )
    return Once(done=done, report=report)
