"""How far a learning is believed and what may be done with it, from its evidence alone.

A Beta distribution: what its maker believed counts like three observations and never fades; evidence is
added to either side and fades with a half-life by kind. Being shown is not evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import sqrt

from setpoint.model.ids import LearningId
from setpoint.model.learning import (
    ON_APPROVAL,
    Confidence,
    EvidenceKind,
    Learning,
    LearningEvidence,
    LearningKind,
    LearningState,
    LearningStatus,
    Trust,
)

HALF_LIFE_DAYS = {
    LearningKind.EPISODIC: 30.0,
    LearningKind.PROCEDURAL: 90.0,
    LearningKind.SEMANTIC: 180.0,
}
"""Days after which evidence counts half."""
PRIOR = 3.0
"""Observations that the maker's own belief is worth."""
CONTESTED_BELOW = 0.5
"""A learning with something against it that is believed less than this is contested."""
ACTIVE_FROM = 0.6
"""A learning with something for it that is believed this far is active."""
_LITTLE = 0.05
"""Weight below which what is left of old evidence says nothing."""
_OPENING = (EvidenceKind.APPROVED,)
_CLOSING = (EvidenceKind.RETIRED, EvidenceKind.REJECTED)


def confidence(learning: Learning, evidence: Sequence[LearningEvidence], now: datetime) -> Confidence:
    """Derive the belief at a moment; the same source counts once."""
    half_life_s = HALF_LIFE_DAYS[learning.kind] * 86400.0
    speaks_for = against = 0.0
    counted = [each for each in once(evidence) if each.weight]
    for each in counted:
        age_s = max(0.0, (now - each.at).total_seconds())
        weight = abs(each.weight) * 2.0 ** (-age_s / half_life_s)
        if each.weight > 0:
            speaks_for += weight
        else:
            against += weight
    alpha = PRIOR * learning.believed + speaks_for
    beta = PRIOR * (1.0 - learning.believed) + against
    total = alpha + beta
    return Confidence(
        mean=round(alpha / total, 6),
        deviation=round(sqrt(alpha * beta / (total * total * (total + 1.0))), 6),
        speaks_for=round(speaks_for, 6),
        against=round(against, 6),
        entries=len(counted),
    )


def once(evidence: Sequence[LearningEvidence]) -> tuple[LearningEvidence, ...]:
    """Return each source's first entry, oldest first."""
    first: dict[str, LearningEvidence] = {}
    for each in sorted(evidence, key=lambda entry: (entry.at, entry.source)):
        first.setdefault(each.source, each)
    return tuple(first.values())


def learning_state(learning: Learning, evidence: Sequence[LearningEvidence], now: datetime) -> LearningState:
    """Put a learning's status and belief at a moment together."""
    entries = once(evidence)
    state = LearningState(
        learning=learning,
        status=LearningStatus.CANDIDATE,
        confidence=confidence(learning, entries, now),
        evidence=entries,
        superseded_by=_superseded_by(entries),
    )
    return state.model_copy(update={"status": _status(state)})


def _status(state: LearningState) -> LearningStatus:
    entries, belief = state.evidence, state.confidence
    if _last(entries, (*_OPENING, *_CLOSING)) in _CLOSING:
        return LearningStatus.RETIRED
    if _last(entries, (EvidenceKind.SUPERSEDED, *_OPENING)) is EvidenceKind.SUPERSEDED:
        return LearningStatus.SUPERSEDED
    fresh = (EvidenceKind.STALE, EvidenceKind.REVALIDATED, *_OPENING)
    if _last(entries, fresh) is EvidenceKind.STALE:
        return LearningStatus.STALE
    if state.binds and (not state.learning.alarms or _last(entries, _OPENING)):
        return LearningStatus.ACTIVE  # what runs made of it says nothing against a person's word
    if belief.against > _LITTLE and belief.mean < CONTESTED_BELOW:
        return LearningStatus.CONTESTED
    return _unapproved(state.learning, belief)


def _unapproved(learning: Learning, belief: Confidence) -> LearningStatus:
    """Return the status of an unapproved learning; a third party's stays a candidate."""
    if learning.trust is Trust.EXTERNAL or learning.alarms or ON_APPROVAL in learning.tags:
        return LearningStatus.CANDIDATE
    # A pack that a person chose to trust comes with what others' evidence made of it.
    supported = belief.mean >= ACTIVE_FROM and (learning.trust is Trust.TEAM or belief.speaks_for > _LITTLE)
    return LearningStatus.ACTIVE if supported else LearningStatus.CANDIDATE


def _last(entries: tuple[LearningEvidence, ...], kinds: Sequence[EvidenceKind]) -> EvidenceKind | None:
    return next((each.kind for each in reversed(entries) if each.kind in kinds), None)


def _superseded_by(entries: tuple[LearningEvidence, ...]) -> LearningId | None:
    """Read who took its place; the note of the entry names it."""
    found = next((each for each in reversed(entries) if each.kind is EvidenceKind.SUPERSEDED), None)
    return LearningId(found.note) if found is not None and found.note else None
