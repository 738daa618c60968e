"""Belief in learnings: derived from evidence, fading with age, better calibrated than steps."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.learning.policy.confidence import HALF_LIFE_DAYS, confidence, learning_state
from setpoint.model.ids import LearningId
from setpoint.model.learning import (
    WEIGHTS,
    EvidenceKind,
    Learning,
    LearningEvidence,
    LearningKind,
    LearningStatus,
    Trust,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ID = LearningId("lrn-1")


def learning(**more):
    values = {"kind": LearningKind.SEMANTIC, "title": "a title", "source": "run:1", "believed": 0.7, **more}
    return Learning(id=ID, made_at=NOW, **values)


def entry(kind, source="a", days_ago=0.0, weight=None):
    return LearningEvidence(
        learning=ID,
        source=source,
        kind=kind,
        weight=WEIGHTS[kind] if weight is None else weight,
        at=NOW - timedelta(days=days_ago),
    )


def test_the_figures_of_the_design_come_out():
    # R3: a dismissal takes a fresh learning of 0.7 to 0.5; against weighs twice as much as for.
    assert confidence(learning(), [entry(EvidenceKind.DISMISSED)], NOW).mean == pytest.approx(0.5)
    assert WEIGHTS[EvidenceKind.DISMISSED] == -2 * WEIGHTS[EvidenceKind.APPLIED]
    assert confidence(learning(), [], NOW).mean == pytest.approx(0.7)
    assert confidence(learning(), [entry(EvidenceKind.APPLIED)], NOW).mean == pytest.approx(0.75)


@pytest.mark.parametrize("kind", LearningKind)
def test_evidence_counts_half_after_its_half_life(kind):
    fresh = confidence(learning(kind=kind), [entry(EvidenceKind.APPROVED)], NOW)
    old = confidence(learning(kind=kind), [entry(EvidenceKind.APPROVED, days_ago=HALF_LIFE_DAYS[kind])], NOW)
    assert old.speaks_for == pytest.approx(fresh.speaks_for / 2)


def test_little_known_is_wide_and_much_known_is_narrow():
    one = confidence(learning(), [], NOW)
    many = confidence(learning(), [entry(EvidenceKind.HELPED, str(n)) for n in range(60)], NOW)
    assert many.high - many.low < (one.high - one.low) / 2
    assert 0 <= one.low < one.mean < one.high <= 1


@given(
    st.lists(
        st.tuples(st.sampled_from(list(EvidenceKind)), st.integers(0, 4), st.floats(0, 400)), max_size=12
    ),
    st.randoms(use_true_random=False),
)
def test_order_and_repetition_change_nothing_and_belief_stays_in_bounds(told, chance):
    entries = [
        entry(kind, f"{kind}:{source}", round(days, 3))
        for (kind, source), days in {(kind, source): days for kind, source, days in told}.items()
    ]
    again = [*entries, *entries]
    chance.shuffle(again)
    assert learning_state(learning(), again, NOW) == learning_state(learning(), entries, NOW)
    assert 0 < confidence(learning(), entries, NOW).mean < 1


@pytest.mark.parametrize(
    ("told", "more", "status"),
    [
        ((), {}, LearningStatus.CANDIDATE),
        ((EvidenceKind.OBSERVED,), {}, LearningStatus.ACTIVE),
        ((), {"trust": Trust.HUMAN}, LearningStatus.ACTIVE),
        ((EvidenceKind.HELPED,) * 9, {"trust": Trust.EXTERNAL}, LearningStatus.CANDIDATE),
        ((EvidenceKind.HELPED,), {"alarms": ("a link",)}, LearningStatus.CANDIDATE),
        ((EvidenceKind.APPROVED,), {"trust": Trust.EXTERNAL}, LearningStatus.ACTIVE),
        ((EvidenceKind.DISMISSED, EvidenceKind.FAILED), {}, LearningStatus.CONTESTED),
        ((EvidenceKind.OBSERVED, EvidenceKind.STALE), {}, LearningStatus.STALE),
        ((EvidenceKind.OBSERVED, EvidenceKind.STALE, EvidenceKind.REVALIDATED), {}, LearningStatus.ACTIVE),
        ((EvidenceKind.APPROVED, EvidenceKind.SUPERSEDED), {}, LearningStatus.SUPERSEDED),
        ((EvidenceKind.APPROVED, EvidenceKind.REJECTED), {}, LearningStatus.RETIRED),
        ((EvidenceKind.RETIRED, EvidenceKind.APPROVED), {}, LearningStatus.ACTIVE),
    ],
)
def test_status_follows_from_what_was_said_last(told, more, status):
    entries = [entry(kind, str(place), days_ago=20 - place) for place, kind in enumerate(told)]
    assert learning_state(learning(**more), entries, NOW).status is status


def simulated(seed, learnings=300, uses=25):
    """Outcomes of learnings that are right with a chance of their own; a fifth goes stale half-way."""
    chance = random.Random(seed)
    for _ in range(learnings):
        truth = chance.betavariate(2, 1.4)
        change = uses // 2 if chance.random() < 0.2 else uses + 1
        yield [(use * 8.0, chance.random() < (truth if use < change else truth * 0.3)) for use in range(uses)]


def brier_and_ece(pairs):
    bins = [[] for _ in range(10)]
    for said, came in pairs:
        bins[min(int(said * 10), 9)].append((said, came))
    ece = sum(
        abs(sum(said for said, _ in each) - sum(came for _, came in each)) for each in bins if each
    ) / len(pairs)
    return sum((said - came) ** 2 for said, came in pairs) / len(pairs), ece


def test_belief_is_better_calibrated_than_adding_and_taking_away():
    ours, additive = [], []
    known = learning(kind=LearningKind.PROCEDURAL)
    for outcomes in simulated(7, learnings=120):
        entries, step = [], 0.7
        for day, came in outcomes:
            at = NOW + timedelta(days=day)
            if entries:
                ours.append((confidence(known, entries, at).mean, came))
                additive.append((step, came))
            kind = EvidenceKind.APPROVED if came else EvidenceKind.REJECTED
            weight = 1.0 if came else -1.0
            entries.append(LearningEvidence(learning=ID, source=str(day), kind=kind, weight=weight, at=at))
            step = min(1.0, step + 0.1) if came else max(0.0, step - 0.2)
    (brier, ece), (brier_then, ece_then) = brier_and_ece(ours), brier_and_ece(additive)
    assert brier < brier_then - 0.02
    assert ece < ece_then / 2
