"""Which learnings a person is asked to merge: all that are alike, found without comparing each with each."""

from datetime import UTC, datetime
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from setpoint.learning.policy.merging import ALIKE, pairs_alike, similarity
from setpoint.model.ids import LearningId
from setpoint.model.learning import Confidence, Learning, LearningKind, LearningState, LearningStatus

AT = datetime(2026, 2, 1, tzinfo=UTC)
BELIEF = Confidence(mean=0.6, deviation=0.2, speaks_for=0.0, against=0.0, entries=0)
WORDS = st.sampled_from(["cart", "price", "cent", "round", "tax", "total", "cache", "mock", "the", "of"])


def standing(number, title, kind=LearningKind.SEMANTIC, status=LearningStatus.ACTIVE):
    learning = Learning(
        id=LearningId(f"lrn-{number}"), made_at=AT, kind=kind, title=title, source=f"run:run-{number}"
    )
    return LearningState(learning=learning, status=status, confidence=BELIEF)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=6), max_size=12))
def test_no_pair_is_missed(titles):
    known = [standing(number, " ".join(words)) for number, words in enumerate(titles)]
    learnings = [each.learning for each in known]
    expected = {(a.id, b.id) for a, b in combinations(learnings, 2) if similarity(a, b) >= ALIKE}
    found = pairs_alike(known)
    assert {(one.id, other.id) for one, other, _ in found} == expected
    assert [likeness for _, _, likeness in found] == sorted((each[2] for each in found), reverse=True)


def test_other_kinds_and_what_is_out_of_use_are_no_pair():
    title = "Prices are in cents"
    known = [
        standing(1, title),
        standing(2, title, kind=LearningKind.EPISODIC),
        standing(3, title, status=LearningStatus.RETIRED),
        standing(4, f"{title} here"),
    ]
    assert [(one.id, other.id) for one, other, _ in pairs_alike(known)] == [("lrn-1", "lrn-4")]
