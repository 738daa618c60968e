"""What people say moves the belief in what it is about, and teaches in their name."""

from datetime import UTC, datetime

import pytest

from model.memory_examples import BY_A_PERSON, COMMIT, OF_A_FIX
from setpoint.learning.policy.confidence import learning_state
from setpoint.learning.policy.feedback_effects import (
    about,
    apply_rates,
    concerned,
    learning_from,
    moved,
    rate_weight,
    weight_of_thought,
)
from setpoint.model.events.people import (
    CommentAdded,
    DeliveryFate,
    DeliveryJudged,
    FindingDismissed,
    FixApplied,
    FixRewritten,
)
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.learning import EvidenceKind, Hit, Learning, LearningKind, Trust

RUN = TraceId("run-1")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
DISMISSED = FindingDismissed(**BY_A_PERSON, message="rounded 2 times", reason="it is not")
APPLIED = FixApplied(**OF_A_FIX, branch="b", kept=True)
REWRITTEN = FixRewritten(**OF_A_FIX, written="-a\n+b\n", suggested="+c", branch="b", kept=True)
COMMENTED = CommentAdded(file="src/cart.py", line=3, text="what of null?", by="Ann")


def fate(of):
    return DeliveryJudged(branch="b", fate=of, commit=COMMIT, files=("src/cart.py",), diff="+x")


@pytest.mark.parametrize(
    ("body", "kind", "lesson"),
    [
        (DISMISSED, EvidenceKind.DISMISSED, (LearningKind.SEMANTIC, 0.7)),
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


def hit(name, context):
    known = Learning(
        id=LearningId(f"lrn-{name}"),
        made_at=NOW,
        kind=LearningKind.SEMANTIC,
        title=name,
        context=context,
        source="x",
    )
    return Hit(standing=learning_state(known, (), NOW), score=1.0, matched=2)


def test_only_what_a_decision_is_about_is_moved():
    hits = [
        hit("near", "correctness rounded cart"),
        hit("far", "security password storage hashing correctness"),
        *(hit(f"n{number}", "rounded times") for number in range(9)),
    ]
    found = [each.learning.title for each in concerned(hits, about(DISMISSED), NOW)]
    assert found[0] == "near"
    assert "far" not in found
    assert len(found) == 5


def test_a_dismissal_weighs_less_the_longer_it_was_thought_about():
    assert weight_of_thought(None) == weight_of_thought(3.0) == 1.0
    assert weight_of_thought(60.0) == weight_of_thought(6000.0) == 0.5
    assert 0.5 < weight_of_thought(30.0) < 1.0


def test_rates_count_by_category_and_few_decisions_say_nothing():
    decisions = [APPLIED, APPLIED, DISMISSED, COMMENTED, REWRITTEN]
    assert apply_rates(decisions) == {"correctness": (2, 4)}
    assert rate_weight(2, 4) == 0.0
    assert rate_weight(5, 5) == pytest.approx(0.4)
    assert rate_weight(0, 5) == pytest.approx(-0.6)
