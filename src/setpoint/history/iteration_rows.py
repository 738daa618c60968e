"""Each iteration of a run in one line: score, failures, change, and why the loop continued or stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from setpoint.history.iterations import Lap, laps
from setpoint.history.replay import history
from setpoint.history.run_fold import tests_line
from setpoint.model.events import Event
from setpoint.model.facts.halting import WORTH, decision_line
from setpoint.model.facts.rounds import comparable_metrics, scores_with_tests
from setpoint.model.wording import counted, shortened

_MOST = 240
"""Characters of what was decided."""


def iteration_rows(events: Sequence[Event]) -> Iterator[str]:
    """Yield a line for each iteration, and one that says what their figures mean."""
    told, every = history(events), laps(events)
    scores = scores_with_tests(told.rounds, told.order.weights)
    by_number = {each.number: score for each, score in zip(told.rounds, scores, strict=False)}
    for lap in every:
        yield _row(lap, by_number.get(lap.number), over=told.outcome is not None)
    names = ", ".join(comparable_metrics(told.rounds, told.order.weights)).replace("_", " ")
    parts = [f"score: {names}, the same in every iteration"] if scores else []
    parts += [WORTH] if any(lap.decided and lap.decided.decision.values for lap in every) else []
    if parts:
        yield "; ".join(parts)


def _row(lap: Lap, score: float | None, *, over: bool) -> str:
    blocking = sum(each.blocking for each in lap.findings)
    judged = (
        each.name for each in lap.gates if not each.passed and not each.reason.startswith("not reached")
    )
    failed = "" if lap.failures or blocking else next(judged, "")
    parts = [
        "" if score is None else f"score {score:.2f}",
        f"{failed} fails" if failed else "",
        tests_line(lap.latest) if lap.latest else "",
        counted(blocking, "blocking finding") if blocking else "",
        str(lap.change.size) if lap.change else "no change yet",
        shortened(decision_line(lap.decided.decision), _MOST) if lap.decided else "ended" if over else "",
    ]
    mark = "✓" if lap.verified else "✗" if lap.decided or over else "◐"
    return f"#{lap.number} {mark} {' · '.join(filter(None, parts))}"
