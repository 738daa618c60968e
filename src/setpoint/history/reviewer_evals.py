"""What replayed reviewers answered on trees of which it is known by now whether they were right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from setpoint.history.reviewer_truth import ReviewedTree, Truth
from setpoint.model.config.reviewer_terms import ReviewerTerms
from setpoint.model.finding import Finding
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant, Usd, Value
from setpoint.model.verdict import Judgement, ReviewerVersion

RULE = "the rule reviewers.block_only_after_eval"


class TreeKey(NamedTuple):
    """Names a reviewed tree."""

    trace_id: TraceId
    iteration: int
    kind: str


class ReplayedReview(Value):
    """The answer of a reviewer that was asked again about a tree of a recorded run."""

    at: Instant
    trace_id: TraceId
    iteration: int
    kind: str
    made_by: ReviewerVersion
    asked_model: str = ""
    """The model that the settings or the command named; empty for the agent's default."""
    judgement: Judgement | None = None
    """None where it gave no answer that could be read."""
    why: str = ""
    """Why it gave none."""
    findings: tuple[Finding, ...] = ()
    """Its blocking findings."""
    unreadable: int = 0
    """Answers that could not be read."""
    cost_usd: Usd | None = None
    """None where it is not known."""
    duration_s: float

    @property
    def tree(self) -> TreeKey:
        """Return which tree it is about."""
        return TreeKey(self.trace_id, self.iteration, self.kind)

    @property
    def reviewer(self) -> tuple[str, ReviewerVersion]:
        """Return the kind of the review and what made it."""
        return self.kind, self.made_by


class EvalRecord(Value):
    """How one reviewer did on trees of recorded runs; of each tree its newest answer counts."""

    kind: str
    made_by: ReviewerVersion
    answers: int = 0
    runs: int = 0
    """Runs that the trees are of."""
    agreed: int = 0
    """Approvals of right trees, and wrong trees that it did not approve."""
    decided: int = 0
    """Answers about trees that were right or wrong."""
    right: int = 0
    """Blocking findings that what happened afterwards bears out."""
    wrong: int = 0
    """Blocking findings on a right tree, or that a person dismissed."""
    undecided: int = 0
    """Blocking findings of which nothing is known."""
    missed: int = 0
    """Wrong trees that it approved."""
    faulty: int = 0
    """Wrong trees that it judged."""
    unreadable: int = 0
    """Answers that could not be read."""
    unanswered: int = 0
    """Trees for which it gave no answer that could be read."""
    duration_s: float = 0.0
    cost_usd: Usd | None = None
    """None where the cost of an answer is not known."""

    @property
    def agreement(self) -> float | None:
        """Share of the decided trees that it judged as they turned out; none without any."""
        return self.agreed / self.decided if self.decided else None

    @property
    def precision(self) -> float | None:
        """Share of its decided blocking findings that were right; none without any."""
        found = self.right + self.wrong
        return self.right / found if found else None


def eval_records(
    replays: Iterable[ReplayedReview], trees: Mapping[TreeKey, ReviewedTree]
) -> tuple[EvalRecord, ...]:
    """Compare what replayed reviewers answered with what is known of the trees now, the newest first."""
    newest: dict[tuple[str, ReviewerVersion], dict[TreeKey, ReplayedReview]] = {}
    for each in sorted(replays, key=lambda one: one.at):
        of_reviewer = newest.pop(each.reviewer, {})
        newest[each.reviewer] = {**of_reviewer, each.tree: each}
    return tuple(
        _record(kind, made_by, tuple(answers.values()), trees)
        for (kind, made_by), answers in reversed(newest.items())
    )


def why_advice(terms: ReviewerTerms, reviewer: str, record: EvalRecord | None) -> str:
    """Say why a reviewer with this eval may not block, as a rule with its reason; empty where it may."""
    if record is None:
        hint = f"`setpoint admin reviewers eval {reviewer}` makes one"
        return f"{RULE}: this agent, version, model and prompt have no eval; {hint}"
    decided = record.right + record.wrong
    if decided < terms.min_decided or record.precision is None:
        needed = f"{terms.min_decided} are needed (reviewers.min_decided)"
        return f"{RULE}: {decided} of its blocking findings in its eval are decided, and {needed}"
    if record.precision < terms.min_precision:
        shares = f"{record.precision:.0%} of {decided}"
        return f"{RULE}: {shares} blocking findings in its eval were right (reviewers.min_precision)"
    return ""


def _record(
    kind: str,
    made_by: ReviewerVersion,
    answers: tuple[ReplayedReview, ...],
    trees: Mapping[TreeKey, ReviewedTree],
) -> EvalRecord:
    judged = [
        (each, trees[each.tree]) for each in answers if each.tree in trees and each.judgement is not None
    ]
    found = [tree.judged(finding) for each, tree in judged for finding in each.findings]
    right = [each.judgement for each, tree in judged if tree.truth is Truth.RIGHT]
    wrong = [each.judgement for each, tree in judged if tree.truth is Truth.WRONG]
    approve = Judgement.APPROVE
    costs = [each.cost_usd for each in answers]
    known = [each for each in costs if each is not None]
    return EvalRecord(
        kind=kind,
        made_by=made_by,
        answers=len(answers),
        runs=len({each.trace_id for each in answers}),
        agreed=right.count(approve) + len(wrong) - wrong.count(approve),
        decided=len(right) + len(wrong),
        right=found.count(Truth.RIGHT),
        wrong=found.count(Truth.WRONG),
        undecided=found.count(Truth.UNKNOWN),
        missed=wrong.count(approve),
        faulty=len(wrong),
        unreadable=sum(each.unreadable for each in answers),
        unanswered=sum(each.judgement is None for each in answers),
        duration_s=round(sum(each.duration_s for each in answers), 3),
        cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
    )
