"""What a run of pytest is believed to say: report and exit code together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.formats.tests.pytest_report import Raised, Suite
from setpoint.checks.suites.failure_cause import failure_of
from setpoint.model.evidence import Cause, CheckState, Failure, Fault, Outcome, TestReport
from setpoint.system.processes import Completed

_USAGE, _NO_TESTS, _MOST_NAMED = 4, 5, 5


def judge(suite: Suite, done: Completed, report: TestReport) -> tuple[CheckState, str]:
    """Tell how a run ended from report and exit code together; where they disagree, the tool broke."""
    if reason := _broken(suite, done):
        return CheckState.ERROR, reason
    if report.red:
        return CheckState.FAIL, ""
    if not suite.collected and (not suite.outcomes or suite.exit == _NO_TESTS):
        if done.exit_code in (0, _NO_TESTS):
            return CheckState.NOT_MEASURED, "no test was collected"
        return CheckState.ERROR, f"the runner collected nothing: {done.ending}{results.tail(done)}"
    if done.exit_code not in (0, _NO_TESTS):
        return (
            CheckState.ERROR,
            f"no test failed, but pytest says otherwise: {done.ending}{results.tail(done)}",
        )
    return CheckState.PASS, ""


def fault_of(done: Completed) -> Fault | None:
    """Tell why pytest could not answer, where its options or the machine are the reason."""
    if done.exit_code == _USAGE and "[file_or_dir]" in done.text:
        return Fault.USAGE
    return results.fault_of(done)


def _broken(suite: Suite, done: Completed) -> str:
    """Say why a run cannot be believed, whatever its tests gave; empty where it can."""
    if suite.exit is None:
        where = f" in {suite.running}" if suite.running else ""
        return f"the test process did not come to its end{where}: {done.ending}"
    if suite.internal_error or done.exit_code is None or done.exit_code < 0:
        what = suite.internal_error.strip().rpartition("\n")[2] or done.ending
        return f"pytest broke: {what}"
    if suite.unfinished:
        named = ", ".join(suite.unfinished[:_MOST_NAMED])
        return f"{len(suite.unfinished)} tests were collected and never ran: {named}"
    return ""


def reported(
    suite: Suite, done: Completed | None, tree: Path, owned: Callable[[str], bool], *, complete: bool
) -> TestReport:
    """Return what a report holds of tests; the one under way when the process died is an error."""
    outcomes = {test: suite.outcomes[test] for test in suite.collected if test in suite.outcomes}
    outcomes |= suite.outcomes
    failures = [failure_of(test, raised, tree, owned) for test, raised in suite.raised.items()]
    if done is not None and suite.exit is None and suite.running:
        outcomes[suite.running] = Outcome.ERROR
        failures.append(_died(suite.running, done))
    known = {failure.test for failure in failures}
    silent = [test for test, outcome in outcomes.items() if outcome.red and test not in known]
    failures += [failure_of(test, Raised(message="failed without a reason"), tree, owned) for test in silent]
    return TestReport(
        outcomes=outcomes,
        failures=tuple(failures),
        collection_errors=tuple(f"{file}: {reason}" for file, reason in suite.uncollected.items()),
        skipped_files=suite.skipped_files,
        complete=complete and suite.exit is not None,
        loading=suite.loading,
    )


def _died(test: str, done: Completed) -> Failure:
    cause = Cause.TIMEOUT if done.timed_out or done.idled else Cause.CRASH
    message = f"the test process {'hung' if cause is Cause.TIMEOUT else 'died'} in this test ({done.ending})"
    return Failure(
        test=test, cause=cause, message=message, file=test.partition("::")[0], detail=done.text[-600:]
    )
