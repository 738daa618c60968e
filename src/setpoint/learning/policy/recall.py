"""Which of the learnings that were found are shown, in which order, and which are withheld by chance."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Collection, Sequence

from setpoint.learning.policy.at_hand import FITS, AtHand, of_place
from setpoint.learning.policy.bm25 import by_place
from setpoint.learning.policy.tokenizer import likeness, terms
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ids import TraceId
from setpoint.model.learning import (
    EVERYWHERE,
    ON_APPROVAL,
    RECALLABLE,
    EvidenceKind,
    Hit,
    LearningKind,
    LearningState,
    LearningStatus,
    Proposal,
    Recollection,
)

TELLING = 2.7
"""Words as rare as can be that a request and a learning must share at least, where no place is shared."""
LEAST_TERMS = 2
WEAKER = 0.5
"""Share of the best one's points below which a learning is left out, unless it is a person's."""
MOST_SHOWN = 3
"""Learnings that a role is shown at most, whatever the settings say."""
IN_VAIN = 4
"""Runs that a learning is shown in without its place being touched, before it is silent."""
_EARNS = (EvidenceKind.HELPED, EvidenceKind.FAILED, EvidenceKind.APPROVED, EvidenceKind.REPEATED)
DOUBLE = 0.8
"""Likeness from which two learnings are one to a reader."""
_CHARACTERS_PER_TOKEN = 4
_ELSEWHERE = 0.7
"""Weight of what was learnt for every project beside what was learnt in this one."""


def recollections(
    hits: Sequence[Hit], at: AtHand, run: TraceId, scope: str, wanted: MemoryTerms
) -> tuple[Recollection, ...]:
    """Choose what a role is shown, best first; the same run and hits always give the same.

    A learning is shown where its place, its rule or its failing test is at hand, or where a request shares
    several rare words with it. At most one of them is a candidate; none of them holds something suspicious
    that no person approved, and none is what happened once. What people said themselves or approved comes
    first, and is never held back.
    """
    chosen = _within(_ranked(hits, at, scope), wanted)
    whole = held_out(run, wanted.hold_out)
    shown = (1.0 - wanted.hold_out) * (1.0 - wanted.withhold)
    return tuple(
        Recollection(
            learning=hit.standing.learning.id,
            kind=hit.standing.learning.kind,
            title=hit.standing.learning.title,
            body=hit.standing.learning.body,
            rank=rank,
            score=round(score, 6),
            confidence=round(hit.standing.confidence.mean, 4),
            status=hit.standing.status,
            trust=hit.standing.learning.trust,
            hint=hit.standing.learning.hint,
            shown=hit.standing.binds
            or (not whole and _coin(run, hit.standing.learning.id) >= wanted.withhold),
            propensity=1.0 if hit.standing.binds else round(shown, 4),
        )
        for rank, (score, hit) in enumerate(chosen, start=1)
    )


def held_out(run: TraceId, share: float) -> bool:
    """Return whether a run is one of the share that is shown nothing at all; its name alone decides."""
    return _coin(run, "") < share


def tokens_of(title: str, body: str) -> int:
    """Guess how long a learning is in a prompt, in tokens."""
    return (len(title) + len(body)) // _CHARACTERS_PER_TOKEN + 8


def _ranked(hits: Sequence[Hit], at: AtHand, scope: str) -> list[tuple[float, Hit]]:
    carriers = Counter(rule for hit in hits for rule in hit.standing.learning.hint.rules)
    often = {rule for rule, count in carriers.items() if count > 1}
    points = {
        hit.standing.learning.id: fit
        for hit in hits
        if hit.standing.status in RECALLABLE
        and hit.standing.learning.kind is not LearningKind.EPISODIC
        and not (_waits(hit.standing.learning) and hit.standing.status is not LearningStatus.ACTIVE)
        and hit.standing.learning.scope in (scope, EVERYWHERE)
        and not silent(hit.standing)
        and (fit := _fit(hit, at, often)) >= FITS
    }
    least = WEAKER * max(points.values(), default=0.0)
    fitting = [
        hit
        for hit in hits
        if (known := points.get(hit.standing.learning.id)) and (known >= least or hit.standing.binds)
    ]
    scored = [
        (points[hit.standing.learning.id] * _weighted(hit, place, scope), hit)
        for hit, place in by_place(fitting)
    ]
    return sorted(
        scored, key=lambda found: (not found[1].standing.binds, -found[0], found[1].standing.learning.id)
    )


def _waits(learning: Proposal) -> bool:
    """Whether nobody may be shown it before a person approves it."""
    return bool(learning.alarms) or ON_APPROVAL in learning.tags


def silent(standing: LearningState) -> bool:
    """Whether a learning was shown again and again without any use; a person's own never is."""
    vain = 0
    for each in standing.evidence:
        vain = 0 if each.kind in _EARNS else vain + (each.kind is EvidenceKind.IDLE)
    return vain >= IN_VAIN and not standing.binds


def _fit(hit: Hit, at: AtHand, often: Collection[str]) -> float:
    """Say in points how near a learning is to what is at hand, by its place or the words of the request."""
    several = hit.matched >= LEAST_TERMS
    placed = of_place(hit.standing.learning, at, often, worded=several)
    return max(placed, FITS if several and hit.telling >= TELLING else 0.0)


def _weighted(hit: Hit, place: float, scope: str) -> float:
    belief = hit.standing.confidence
    near = 1.0 if hit.standing.learning.scope == scope else _ELSEWHERE
    return near * (0.5 + max(0.0, belief.mean - belief.deviation)) * place


def _within(ranked: list[tuple[float, Hit]], wanted: MemoryTerms) -> list[tuple[float, Hit]]:
    """Keep to the limits, and leave out what says the same as something better."""
    chosen: list[tuple[float, Hit]] = []
    words: list[set[str]] = []
    rules: set[str] = set()
    left, candidates = wanted.max_tokens, 0
    for score, hit in ranked:
        learning = hit.standing.learning
        length = tokens_of(learning.title, learning.body)
        own = set(terms(f"{learning.title} {learning.body}"))
        if len(chosen) == min(wanted.max_items, MOST_SHOWN):
            break
        candidate = hit.standing.status is LearningStatus.CANDIDATE
        again = any(likeness(own, each) >= DOUBLE for each in words) or (
            rules & set(learning.hint.rules) and not hit.standing.binds
        )
        if length <= left and not again and not (candidate and candidates):
            chosen.append((score, hit))
            words.append(own)
            rules |= {rule for rule in learning.hint.rules if not rule.endswith(("Error", "Exception"))}
            left -= length
            candidates += candidate
    return chosen


def _coin(run: TraceId, what: str) -> float:
    return random.Random(_seed(run, f"coin:{what}")).random()  # noqa: S311 - a fair coin, no secret


def _seed(run: TraceId, what: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{run}\x1f{what}".encode()).digest()[:8])
