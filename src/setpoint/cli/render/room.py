"""Keep a round short: what a person has to know is always printed, the rest while there is room."""

from __future__ import annotations

from collections import Counter

from setpoint.model import events as e
from setpoint.model.events import Body
from setpoint.model.events.candidates import CandidateChosen
from setpoint.model.events.live import Steering

MOST_ROWS = 12
"""Rows of one round; signs of life are not counted, and a terminal keeps none of them."""
_TO_COME: dict[type[Body], int] = {
    e.AgentFinished: 1,
    e.IterationEvaluated: 3,
    e.ReviewCompleted: 1,
    e.ProofMeasured: 1,
    e.HaltingDecided: 1,
    e.PhaseBounce: 1,
    e.GuardFired: 1,
}
"""Lines that a round has; room is kept for those that have not come yet."""
_ALWAYS = (
    *_TO_COME,
    CandidateChosen,
    e.LoopRestarted,
    e.RunResumed,
    e.GateOpened,
    e.GateAnswered,
    e.GateExpired,
    e.CancelRequested,
    e.ChangeRequested,
    e.ChangeSettled,
    *Steering.__args__,
    e.Delivered,
    e.RunFinished,
)
_CLOSING = e.Delivered | e.RunFinished


class RoundRoom:
    """Counts what was printed of a round; lines before the first and after the last have no limit."""

    def __init__(self) -> None:
        """Begin before the first round."""
        self._round, self._open = 0, False
        self._used, self._left_out = 0, 0
        self._seen: Counter[type[Body]] = Counter()

    def fit(self, body: Body, text: str) -> str:
        """Return what of a line is to be printed; empty where there is no room for it."""
        if isinstance(body, _CLOSING):
            self._open = False
        begins = isinstance(body, e.PhaseEntered) and body.iteration not in (0, self._round)
        if isinstance(body, e.PhaseEntered) and begins:
            self._begin(body.iteration)
        if not self._open:
            return text
        self._seen[type(body)] += 1
        rows = text.splitlines()
        kept = rows[: max(self._spare(), int(begins or isinstance(body, _ALWAYS)), 0)]
        self._used += len(kept)
        self._left_out += len(rows) - len(kept)
        more = ""
        if isinstance(body, e.HaltingDecided) and self._left_out:
            more, self._left_out = f"; lines left out, shown with -v: {self._left_out}", 0
        return "\n".join(kept) + more

    def _begin(self, number: int) -> None:
        self._round, self._open = number, True
        self._used, self._left_out = 0, 0
        self._seen.clear()

    def _spare(self) -> int:
        to_come = sum(max(count - self._seen[kind], 0) for kind, count in _TO_COME.items())
        race = not any(self._seen[kind] for kind in (CandidateChosen, e.AgentFinished, e.IterationEvaluated))
        return MOST_ROWS - self._used - to_come - race
