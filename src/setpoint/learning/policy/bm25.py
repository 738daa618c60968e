"""How well a text answers a question: by the words they share (BM25), and by its place among all that do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from setpoint.model.learning import Hit

K1 = 1.2
"""How soon more occurrences of a term stop counting."""
B = 0.75
"""How much long texts are held back."""
K = 5
"""How slowly the weight of a place falls; small, as lists here are short (measured)."""
DIGITS = 6
"""Scores are rounded, so that every database and machine ranks the same."""


MOST_TERMS = 60
"""Terms of a question that are looked for, the rarest first."""


def rarity(documents: int, holding: int) -> float:
    """Weigh a term by how many of all documents hold it."""
    return log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def rarities(documents: int, holding: Mapping[str, int]) -> dict[str, float]:
    """Weigh the terms of a question by how many of all documents hold each; what none holds is left out."""
    held = {term: count for term, count in holding.items() if count}
    rarest = sorted(held, key=lambda term: (held[term], term))[:MOST_TERMS]
    return {term: rarity(documents, held[term]) for term in rarest}


def telling(score: float, documents: int) -> float:
    """Put a score into terms that one document alone holds."""
    return round(score / rarity(documents, 1), DIGITS)


def by_place(hits: Sequence[Hit]) -> list[tuple[Hit, float]]:
    """Weigh hits by their places among the words."""
    ranked = sorted(hits, key=lambda hit: (-hit.score, hit.standing.learning.id))
    return [(hit, 1.0 / (K + place)) for place, hit in enumerate(ranked, start=1)]


def relevance(counts: Mapping[str, int], length: int, average: float, weights: Mapping[str, float]) -> float:
    """Score one document: how often it holds each term asked for, and its length in terms."""
    held_back = K1 * (1.0 - B + B * length / average) if average else K1
    score = sum(
        weight * counts[term] * (K1 + 1.0) / (counts[term] + held_back)
        for term, weight in weights.items()
        if counts.get(term)
    )
    return round(score, DIGITS)
