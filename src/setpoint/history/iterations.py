"""A run's iterations as people read them: every event of each, also of one that is under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events import Body, Event
from setpoint.model.events.run import (
    AgentFinished,
    HaltingDecided,
    IterationEvaluated,
    LoopRestarted,
    PhaseBounce,
    ProofMeasured,
    ReviewCompleted,
)
from setpoint.model.evidence import CheckState, Failure
from setpoint.model.finding import Finding, worst_first
from setpoint.model.proof import Proof
from setpoint.model.run import Snapshot
from setpoint.model.verdict import HardGate, Judgement, Verdict

B = TypeVar("B", bound=Body)

NOT_REACHED = "NOT_REACHED"
"""Something before it blocked, or it is still to come."""


@dataclass(frozen=True, kw_only=True)
class Lap:
    """One iteration as it is recorded so far."""

    number: int
    """1-based."""
    events: tuple[Event, ...]
    """All events of the iteration, in order."""

    def every(self, kind: type[B]) -> tuple[B, ...]:
        """Return all bodies of one kind, in order."""
        return tuple(event.body for event in self.events if isinstance(event.body, kind))

    def last(self, kind: type[B]) -> B | None:
        """Return the newest body of one kind."""
        return next(reversed(self.every(kind)), None)

    @property
    def change(self) -> Snapshot | None:
        """What the maker left."""
        made = self.last(AgentFinished)
        return made.snapshot if made else None

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """What was measured, in order."""
        return tuple(body.evaluation for body in self.every(IterationEvaluated))

    @property
    def latest(self) -> Evaluation | None:
        """The measurement that says most."""
        return self.evaluations[-1] if self.evaluations else None

    @property
    def partly_measured(self) -> bool:
        """Whether the score leaves out what the full suite would say, because something before it blocked."""
        return self.latest is not None and self.latest.stage is Stage.EVALUATE

    @property
    def verdict(self) -> Verdict | None:
        """What the reviewers decided."""
        reviewed = self.last(ReviewCompleted)
        return reviewed.verdict if reviewed else None

    @property
    def proof(self) -> Proof | None:
        """What proves the change, where it was measured."""
        measured = self.last(ProofMeasured)
        return measured.proof if measured else None

    @property
    def decided(self) -> HaltingDecided | None:
        """The newest decision of the halting policy."""
        return self.last(HaltingDecided)

    @property
    def gates(self) -> tuple[HardGate, ...]:
        """The hard gates as they were last judged."""
        return self.decided.gates if self.decided else ()

    @property
    def verified(self) -> bool:
        """Whether every hard gate was reached and passed."""
        return bool(self.gates) and all(gate.passed for gate in self.gates)

    @property
    def bounce(self) -> PhaseBounce | None:
        """Where the work was sent back to, and why."""
        return self.last(PhaseBounce)

    @property
    def restarted(self) -> bool:
        """Whether the work continued from the best state with a fresh context."""
        return self.last(LoopRestarted) is not None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of checks and reviewers, each once, worst first."""
        found = [finding for evaluation in self.evaluations for finding in evaluation.findings]
        found += self.verdict.findings if self.verdict else ()
        return worst_first(tuple({finding.fingerprint: finding for finding in found}.values()))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failing tests that counted at the end of the lap."""
        return self.latest.failures if self.latest else ()

    @property
    def review_result(self) -> str:
        """PASS, FAIL, BROKEN (the reviewer broke) or NOT_REACHED."""
        if self.verdict is None:
            return NOT_REACHED
        if self.verdict.judgement is Judgement.FAILED or self.verdict.missing:
            return "BROKEN"
        return "PASS" if self.verdict.judgement is Judgement.APPROVE else "FAIL"

    @property
    def check_result(self) -> str:
        """PASS, FAIL, BROKEN (a tool broke) or NOT_REACHED, of all checks but the tests."""
        first = next((each for each in self.evaluations if each.stage is Stage.EVALUATE), None)
        if first is None:
            return NOT_REACHED
        if first.broken:
            return "BROKEN"
        return "FAIL" if first.blocking else "PASS"

    @property
    def test_result(self) -> str:
        """PASS, FAIL, BROKEN, NOT_MEASURED or NOT_REACHED; a pass needs the full suite."""
        if self.failures:
            return "FAIL"
        full = [each for each in self.evaluations if each.stage in (Stage.TEST, Stage.CONFIRM)]
        if not full:
            return NOT_REACHED
        worst = next(iter(full[-1].suites), None)
        if worst is None or worst.state is CheckState.NOT_MEASURED:
            return "NOT_MEASURED"
        return "BROKEN" if worst.state is CheckState.ERROR else "PASS"


def laps(events: Sequence[Event]) -> tuple[Lap, ...]:
    """Group a run's events by iteration, a lap under way included; what belongs to none is left out."""
    by_number: dict[int, list[Event]] = {}
    for event in events:
        number = getattr(event.body, "iteration", 0)
        if number > 0:
            by_number.setdefault(number, []).append(event)
    return tuple(Lap(number=number, events=tuple(of)) for number, of in sorted(by_number.items()))
