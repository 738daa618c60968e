"""Which of the learnings that were found are shown, in which order, and which are withheld by chance."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from math import sqrt

from setpoint.learning.policy.bm25 import fused
from setpoint.learning.policy.tokenizer import likeness, terms
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ids import TraceId
from setpoint.model.learning import EVERYWHERE, RECALLABLE, Hit, LearningKind, LearningStatus, Recollection

NEAR = 0.5
"""Nearness in meaning from which a learning fits, whatever words it is written in."""
FLOOR = 0.3
"""Share of the best score below which a learning has nothing to do with the question."""
LEAST_TERMS = 2
"""Terms that a learning must share with the question."""
ABOUT = 0.25
"""Share of the terms of a learning's context that must have been asked for; without one, of its title."""
MOSTLY = 0.5
"""Share from which a learning fits, however much better another one does."""
SHARE = 0.1
"""Share of the question's weight from which a learning fits by what was asked alone."""
DOUBLE = 0.8
"""Likeness from which two learnings are one to a reader."""
EPISODES = 1
"""Episodes that are shown at most: what happened in one run helps less than what was learnt from it."""
_CHARACTERS_PER_TOKEN = 4
_ELSEWHERE = 0.7
"""Weight of what was learnt for every project beside what was learnt in this one."""


def recollections(
    hits: Sequence[Hit], question: str, run: TraceId, scope: str, wanted: MemoryTerms
) -> tuple[Recollection, ...]:
    """Choose what a role is shown, best first; the same run and hits always give the same.

    At most one of them is a candidate, drawn by its belief, so that new learnings get evidence; none of
    them holds something suspicious that no person approved.
    """
    fitting = _ranked(hits, set(terms(question)), scope)
    chosen = _within(_with_one_candidate(fitting, run), wanted)
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
            shown=not whole and _coin(run, hit.standing.learning.id) >= wanted.withhold,
            propensity=round(shown, 4),
        )
        for rank, (score, hit) in enumerate(chosen, start=1)
    )


def held_out(run: TraceId, share: float) -> bool:
    """Return whether a run is one of the share that is shown nothing at all; its name alone decides."""
    return _coin(run, "") < share


def tokens_of(title: str, body: str) -> int:
    """Guess how long a learning is in a prompt, in tokens."""
    return (len(title) + len(body)) // _CHARACTERS_PER_TOKEN + 8


def _ranked(hits: Sequence[Hit], asked: set[str], scope: str) -> list[tuple[float, Hit]]:
    best = max((hit.score for hit in hits), default=0.0)
    least = min(LEAST_TERMS, max(len(asked), 1))
    fitting = [
        hit
        for hit in hits
        if hit.standing.status in RECALLABLE
        and not (hit.standing.learning.alarms and hit.standing.status is not LearningStatus.ACTIVE)
        and hit.standing.learning.scope in (scope, EVERYWHERE)
        and _fits(hit, asked, best, least)
    ]
    scored = [(_weighted(hit, place, scope), hit) for hit, place in fused(fitting)]
    return sorted(scored, key=lambda found: (-found[0], found[1].standing.learning.id))


def _fits(hit: Hit, asked: set[str], best: float, least: int) -> bool:
    """Whether a learning is about what was asked: mostly, or somewhat and not far behind the best.

    A short question asks for little of what a learning is about: there it does to hold what weighs in the
    question. In a small memory every term is common, so that scores alone say little.
    """
    if hit.nearness is not None and hit.nearness >= NEAR:
        return True
    near_best = hit.score >= FLOOR * best
    if hit.share >= SHARE and near_best:
        return True
    about = _about(hit, asked) if hit.matched >= least else 0.0
    return about >= MOSTLY or (about >= ABOUT and near_best)


def _about(hit: Hit, asked: set[str]) -> float:
    """Say how much of a situation that a learning was taught in was asked for, 0 to 1."""
    subjects = [set(terms(context)) for context in hit.standing.contexts]
    return max((len(each & asked) / len(each) for each in subjects if each), default=0.0)


def _weighted(hit: Hit, place: float, scope: str) -> float:
    belief = hit.standing.confidence
    near = 1.0 if hit.standing.learning.scope == scope else _ELSEWHERE
    return near * (0.5 + max(0.0, belief.mean - belief.deviation)) * place


def _with_one_candidate(ranked: list[tuple[float, Hit]], run: TraceId) -> list[tuple[float, Hit]]:
    candidates = [hit for _, hit in ranked if hit.standing.status is LearningStatus.CANDIDATE]
    drawn = max(candidates, key=lambda hit: _drawn(hit, run), default=None)
    return [
        (score, hit)
        for score, hit in ranked
        if hit.standing.status is not LearningStatus.CANDIDATE or hit is drawn
    ]


def _drawn(hit: Hit, run: TraceId) -> float:
    """Draw from a candidate's belief (Thompson sampling), weighted by how well it fits."""
    belief = hit.standing.confidence
    spread = max(belief.deviation**2, 1e-9)
    strength = max(belief.mean * (1 - belief.mean) / spread - 1, 1e-6)
    chance = random.Random(_seed(run, f"draw:{hit.standing.learning.id}"))  # noqa: S311 - it keeps no secret
    alpha, beta = max(belief.mean * strength, 1e-3), max((1 - belief.mean) * strength, 1e-3)
    return sqrt(max(hit.score, hit.nearness or 0.0)) * chance.betavariate(alpha, beta)


def _within(ranked: list[tuple[float, Hit]], wanted: MemoryTerms) -> list[tuple[float, Hit]]:
    """Keep to the limits, and leave out what says the same as something better."""
    chosen: list[tuple[float, Hit]] = []
    words: list[set[str]] = []
    left, episodes = wanted.max_tokens, 0
    for score, hit in ranked:
        learning = hit.standing.learning
        length, own = (
            tokens_of(learning.title, learning.body),
            set(terms(f"{learning.title} {learning.body}")),
        )
        if len(chosen) == wanted.max_items:
            break
        episode = learning.kind is LearningKind.EPISODIC
        if episode and episodes == EPISODES:
            continue
        if length <= left and all(likeness(own, each) < DOUBLE for each in words):
            chosen.append((score, hit))
            words.append(own)
            left -= length
            episodes += episode
    return chosen


def _coin(run: TraceId, what: str) -> float:
    return random.Random(_seed(run, f"coin:{what}")).random()  # noqa: S311 - a fair coin, no secret


def _seed(run: TraceId, what: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{run}\x1f{what}".encode()).digest()[:8])
