"""A command as a hidden test: it must end with 0."""

from __future__ import annotations

from dataclasses import replace

from setpoint.checks.plan import Plan
from setpoint.model.evidence import Cause, CheckState, Failure, Outcome, TestReport
from setpoint.ports import Measured


async def commanded(plan: Plan, command: str, there: Measured) -> TestReport:
    """Run a command in a place; one whose exit status says nothing has no outcome, and the reason."""
    story = plan.story.model_copy(update={"acceptance": (command,)})
    (check,) = replace(plan, story=story).acceptance()
    result = await check.run(there)
    if result.state is CheckState.PASS:
        return TestReport(outcomes={command: Outcome.PASSED})
    if result.state is not CheckState.FAIL:
        return TestReport(outcomes={}, collection_errors=(result.evidence.reason,))
    printed = result.findings[0].detail.replace(there.copy.path, ".").strip()
    last = printed.rpartition("\n")[2]
    message = f"exit code {result.evidence.exit_code}{f': {last}' if last else ''}"
    failed = Failure(test=command, cause=Cause.ASSERTION, message=message, detail=printed)
    return TestReport(outcomes={command: Outcome.FAILED}, failures=(failed,))
