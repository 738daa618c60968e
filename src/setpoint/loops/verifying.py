"""Running a finished run's evidence again: what was recorded must come out once more."""

from __future__ import annotations

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import CheckState, Evidence
from setpoint.domain.ids import Commit, Tree
from setpoint.domain.run import RunOrder
from setpoint.domain.value import Value
from setpoint.ports import Evaluator, Measured, Workspace

COMPARED = ("passed", "failed", "error", "skipped", "findings")
"""Counts that have to come out the same."""


class Compared(Value):
    """One check as it was recorded and as it came out now."""

    check: str
    recorded: CheckState
    recorded_counts: dict[str, int]
    now: CheckState
    now_counts: dict[str, int]

    @property
    def agrees(self) -> bool:
        """Whether state and counts are the same."""
        return self.recorded is self.now and all(
            self.recorded_counts.get(name, 0) == self.now_counts.get(name, 0) for name in COMPARED
        )


async def verify(
    order: RunOrder, recorded: Evaluation, workspace: Workspace, evaluator: Evaluator
) -> tuple[Compared, ...]:
    """Measure a recorded tree again, from the run's own commits and with nothing from a cache."""
    copy = await workspace.open(order.trace_id, order.base)
    await evaluator.prepare(order, copy)
    measured = Measured(copy, Commit(recorded.commit), Tree(recorded.tree), Stage.CONFIRM)
    again = await evaluator.evaluate(order, measured)
    return tuple(_compared(each, again.evidence_of(each.check)) for each in recorded.evidence)


def branch_compared(recorded: Tree, now: Tree | None) -> Compared:
    """Compare the delivered branch with the tree that was judged; a branch that moved on differs."""
    state = CheckState.PASS if now == recorded else CheckState.FAIL
    return Compared(check="branch", recorded=CheckState.PASS, recorded_counts={}, now=state, now_counts={})


def _compared(recorded: Evidence, now: Evidence | None) -> Compared:
    return Compared(
        check=recorded.check,
        recorded=recorded.state,
        recorded_counts=recorded.counts,
        now=now.state if now else CheckState.NOT_MEASURED,
        now_counts=now.counts if now else {},
    )
