"""Which of the learnings that were found are shown, in which order, and which are withheld by chance."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence

from setpoint.learning.policy.bm25 import by_place
from setpoint.learning.policy.tokenizer import likeness, terms
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ids import TraceId
from setpoint.model.learning import (
    EVERYWHERE,
    ON_APPROVAL,
    RECALLABLE,
    EvidenceKind,
    Hint,
    Hit,
    LearningKind,
    LearningState,
    LearningStatus,
    Proposal,
    Recollection,
    Trust,
)

LEAST_TERMS = 2
"""Terms that a learning without a place must share with the question."""
MOSTLY = 0.5
"""Share of the terms of its situation that must have been asked for."""
SHARE = 0.1
"""Share of the question's weight from which a person's words fit."""
FITS = 2
"""Points from which a place is the one at hand."""
MOST_SHOWN = 3
"""Learnings that a role is shown at most, whatever the settings say."""
IN_VAIN = 4
"""Runs that a learning is shown in without its place being touched, before it is silent."""
_EARNS = (EvidenceKind.HELPED, EvidenceKind.FAILED, EvidenceKind.APPROVED, EvidenceKind.REPEATED)
_ANYWHERE = frozenset(
    terms("src lib app main index init py utils util common core base package mod module tests")
)
"""Names that say nothing of a place."""
_PLAIN = frozenset({"AssertionError", "Error", "Exception"})
_TOKEN = re.compile(r"[\w$./:-]+")
DOUBLE = 0.8
"""Likeness from which two learnings are one to a reader."""
_CHARACTERS_PER_TOKEN = 4
_ELSEWHERE = 0.7
"""Weight of what was learnt for every project beside what was learnt in this one."""


def recollections(
    hits: Sequence[Hit], question: str, run: TraceId, scope: str, wanted: MemoryTerms
) -> tuple[Recollection, ...]:
    """Choose what a role is shown, best first; the same run and hits always give the same.

    A learning with a place is shown where that place, its rule or its failing test is at hand; one without,
    where most of its situation is. At most one of them is a candidate; none of them holds something
    suspicious that no person approved, and none is what happened once. What people said themselves or
    approved comes first and is never held back.
    """
    chosen = _within(_ranked(hits, question, scope), wanted)
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


def _ranked(hits: Sequence[Hit], question: str, scope: str) -> list[tuple[float, Hit]]:
    asked, named = set(terms(question)), _named(question)
    points = {
        hit.standing.learning.id: fit
        for hit in hits
        if hit.standing.status in RECALLABLE
        and hit.standing.learning.kind is not LearningKind.EPISODIC
        and not (_waits(hit.standing.learning) and hit.standing.status is not LearningStatus.ACTIVE)
        and hit.standing.learning.scope in (scope, EVERYWHERE)
        and not silent(hit.standing)
        and (fit := _fit(hit, asked, named)) >= FITS
    }
    fitting = [hit for hit in hits if hit.standing.learning.id in points]
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


def _fit(hit: Hit, asked: set[str], named: set[str]) -> float:
    """Say in points how near a learning's place is to what is asked for; without a place, by its words."""
    learning = hit.standing.learning
    if learning.hint.places:
        return of_place(learning.hint, asked, named)
    enough = hit.matched >= min(LEAST_TERMS, max(len(asked), 1)) and _about(hit, asked) >= MOSTLY
    persons = learning.trust is Trust.HUMAN and hit.share >= SHARE
    return FITS if enough or persons else 0


def of_place(hint: Hint, asked: set[str], named: set[str]) -> float:
    """Count what a learning and a step share: a rule, a test, a file or a symbol by name counts most.

    Words of a request count where they name a file, the folder it is in, or a symbol.
    """
    points = 0.0
    for rule in hint.rules:
        short = rule.rpartition(".")[2]
        plain = short.endswith(("Error", "Exception")) and "::" not in rule
        points += (
            0.0 if short in _PLAIN else (1 if plain else 4) * bool({rule.lower(), short.lower()} & named)
        )
    for path in hint.files:
        *folders, name = path.split("/")
        own = set(terms(name.partition(".")[0])) - _ANYWHERE
        near = set(terms(folders[-1])) - _ANYWHERE if len(folders) > 1 else set()
        points += 3 * (path.lower() in named) + 2 * bool(own and own <= asked) + bool(near and near <= asked)
    for symbol in hint.symbols:
        parts = set(terms(symbol)) - _ANYWHERE
        coined = re.search(r"[_$A-Z\d]", symbol) is not None  # any other is a word of the language, too
        points += 3 * (coined and symbol.lower() in named) or len(parts & asked) / max(len(parts), 1)
    return points


def _named(question: str) -> set[str]:
    """Return what a question names literally: paths, tests, rules, symbols, in small letters."""
    found = {token.strip(".:-").lower() for token in _TOKEN.findall(question)}
    return (
        found | {token.partition("::")[0] for token in found} | {token.rpartition("::")[2] for token in found}
    )


def _about(hit: Hit, asked: set[str]) -> float:
    """Say how much of a situation that a learning was taught in was asked for, 0 to 1."""
    subjects = [set(terms(context)) for context in hit.standing.contexts]
    return max((len(each & asked) / len(each) for each in subjects if each), default=0.0)


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
