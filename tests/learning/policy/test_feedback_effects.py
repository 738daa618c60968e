"""What people say moves the belief in what it is about, and teaches in their name."""

from datetime import UTC, datetime

import pytest

from model.memory_examples import BY_A_PERSON, COMMIT, OF_A_FIX
from setpoint.learning.policy.at_hand import at_hand
from setpoint.learning.policy.confidence import learning_state
from setpoint.learning.policy.feedback_effects import (
    concerned,
    learning_from,
    moved,
    weight_of_thought,
)
from setpoint.learning.policy.recall import recollections
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.events.people import (
    CommentAdded,
    DeliveryFate,
    DeliveryJudged,
    FindingDismissed,
    FixApplied,
    FixRewritten,
)
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.learning import (
    EvidenceKind,
    Hint,
    Hit,
    Learning,
    LearningEvidence,
    LearningKind,
    LearningStatus,
    Trust,
)

RUN = TraceId("run-1")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
DISMISSED = FindingDismissed(**BY_A_PERSON, message="rounded 2 times", reason="it is not")
APPLIED = FixApplied(**OF_A_FIX, branch="b", kept=True)
REWRITTEN = FixRewritten(**OF_A_FIX, written="-a\n+b\n", suggested="+c", branch="b", kept=True)
COMMENTED = CommentAdded(file="src/cart.py", line=3, text="null is allowed here", by="Ann")


def fate(of):
    return DeliveryJudged(branch="b", fate=of, commit=COMMIT, files=("src/cart.py",), diff="+x")


@pytest.mark.parametrize(
    ("body", "kind", "lesson"),
    [
        (DISMISSED, EvidenceKind.DISMISSED, None),
        (APPLIED, EvidenceKind.APPLIED, None),
        (APPLIED.model_copy(update={"kept": False}), None, None),
        (REWRITTEN, EvidenceKind.REWRITTEN, (LearningKind.PROCEDURAL, 0.8)),
        (REWRITTEN.model_copy(update={"kept": False}), EvidenceKind.REWRITTEN, None),
        (COMMENTED, None, (LearningKind.SEMANTIC, 0.7)),
        (fate(DeliveryFate.MERGED), None, None),
        (fate(DeliveryFate.EDITED), EvidenceKind.EDITED, (LearningKind.PROCEDURAL, 0.65)),
        (fate(DeliveryFate.REVERTED), EvidenceKind.REVERTED, None),
    ],
)
def test_each_decision_moves_and_teaches_as_the_design_says(body, kind, lesson):
    assert moved(body) is kind
    proposal = learning_from(body, "here", RUN)
    assert (proposal and (proposal.kind, proposal.believed)) == lesson
    if proposal:
        assert proposal.trust is Trust.HUMAN
        assert proposal.scope == "here"


def test_a_comment_waits_for_a_persons_yes_and_a_question_is_none():
    said = learning_from(COMMENTED, "here", RUN)
    assert learning_from(COMMENTED.model_copy(update={"text": "Why index 0? "}), "here", RUN) is None
    learning = Learning(id=LearningId("lrn-a"), made_at=NOW, **dict(said))
    waits = learning_state(learning, (), NOW)
    yes = LearningEvidence(learning=learning.id, source="p", kind=EvidenceKind.APPROVED, weight=1.5, at=NOW)
    kept = learning_state(learning, (yes,), NOW)
    assert (waits.status, kept.status) == (LearningStatus.CANDIDATE, LearningStatus.ACTIVE)
    everything = MemoryTerms(hold_out=0.5, withhold=0.5)
    for run in (TraceId(f"run-{number}") for number in range(20)):  # others are held back in three of four
        shown = [
            recollections(
                [Hit(standing=each, score=1.0, matched=2)], at_hand("src/cart.py"), run, "here", everything
            )
            for each in (waits, kept)
        ]
        assert [[item.shown for item in items] for items in shown] == [[], [True]]


def test_a_dismissal_weighs_less_the_longer_it_was_thought_about():
    assert weight_of_thought(None) == weight_of_thought(3.0) == 1.0
    assert weight_of_thought(60.0) == weight_of_thought(6000.0) == 0.5
    assert 0.5 < weight_of_thought(30.0) < 1.0


def test_a_decision_on_an_objection_without_a_rule_moves_what_cites_it_and_nothing_else():
    objection = Finding(
        source="review:code", severity=Severity.ERROR, category=Category.CORRECTNESS, message="m", file="a.py"
    )
    cited = {"mine": (objection.fingerprint,), "another": ("0" * 16,), "of nothing": ()}
    known = [
        learning_state(
            Learning(
                id=LearningId(f"lrn-{name}"),
                made_at=NOW,
                kind=LearningKind.PROCEDURAL,
                title=name,
                hint=Hint(files=("a.py",), rules=rules),
                source="run:r",
            ),
            (),
            NOW,
        )
        for name, rules in cited.items()
    ]
    moves = concerned(known, objection, objection.fingerprint, NOW)
    assert [each.learning.title for each in moves] == ["mine"]
