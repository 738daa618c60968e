"""What happens before an answer or a candidate counts; part of the union in `events`."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from setpoint.model.evaluation import Evaluation
from setpoint.model.run import ChangeSize, Snapshot
from setpoint.model.value import Text, Usd, Value


class AnswerRejected(Value):
    """A role answered otherwise than in the shape that was asked for."""

    kind: Literal["answer.rejected"] = "answer.rejected"
    phase: str
    iteration: int
    label: str
    """Names the question within the run."""
    agent: str
    reason: Text
    """In what the answer does not fit."""
    asked_again: bool
    """It is asked once more; otherwise it has no answer."""


class FindingDeclined(Value):
    """The maker declined an objection of a reviewer, with its reason."""

    kind: Literal["finding.declined"] = "finding.declined"
    iteration: int
    fingerprint: str
    reason: Text


class CandidateMade(Value):
    """One of several attempts at the same work ended; its result is committed, whichever is taken."""

    kind: Literal["candidate.made"] = "candidate.made"
    phase: str
    iteration: int
    candidate: int
    """1-based."""
    agent: str
    snapshot: Snapshot
    changed_against_base: bool = True
    diff_hash: str = ""
    lines: int | None = None
    """Lines added and removed against the base commit; none where they were not counted."""
    size: ChangeSize | None = None
    """How large the change against the base commit is; none in records of earlier versions."""
    lost: int = 0
    """Earlier tries of the same attempt that broke or were lost."""
    lost_cost_usd: Usd = Decimal(0)
    """What those tries are known to have cost."""


class CandidateMeasured(Value):
    """Setpoint measured a candidate."""

    kind: Literal["candidate.measured"] = "candidate.measured"
    iteration: int
    candidate: int
    evaluation: Evaluation


class CandidateResult(Value):
    """How a candidate stands among the others."""

    candidate: int
    agent: str
    failing: tuple[str, ...] = ()
    """Hard gates that it does not pass, the review left out; those not reached are among them."""
    red: int
    """Failing tests and checks that broke."""
    blocking: int
    score: float | None
    findings: int
    restored: int = 0
    """Protected files that it changed, which were put back."""
    lines: int
    """Lines that it inserts and deletes."""
    cost_usd: Usd | None
    """None where nobody knows."""


class CandidateChosen(Value):
    """The best candidate by evidence goes on."""

    kind: Literal["candidate.chosen"] = "candidate.chosen"
    iteration: int
    candidate: int
    """0 where none of them came to an end."""
    reason: Text
    standings: tuple[CandidateResult, ...]
    """Best first; those that broke are not among them."""
    policy: str = ""
    """The policy that compared them; empty in older records."""
