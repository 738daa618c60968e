"""How well a text answers a question, by the words they share (BM25)."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

K1 = 1.2
"""How soon more occurrences of a term stop counting."""
B = 0.75
"""How much long texts are held back."""
DIGITS = 6
"""Scores are rounded, so that every database and machine ranks the same."""


MOST_TERMS = 60
"""Terms of a question that are looked for, the rarest first."""


def rarities(documents: int, holding: Mapping[str, int]) -> dict[str, float]:
    """Weigh the terms of a question by how many of all documents hold each; what none holds is left out."""
    held = {term: count for term, count in holding.items() if count}
    rarest = sorted(held, key=lambda term: (held[term], term))[:MOST_TERMS]
    return {term: log(1.0 + (documents - held[term] + 0.5) / (held[term] + 0.5)) for term in rarest}


def relevance(counts: Mapping[str, int], length: int, average: float, weights: Mapping[str, float]) -> float:
    """Score one document: how often it holds each term asked for, and its length in terms."""
    held_back = K1 * (1.0 - B + B * length / average) if average else K1
    score = sum(
        weight * counts[term] * (K1 + 1.0) / (counts[term] + held_back)
        for term, weight in weights.items()
        if counts.get(term)
    )
    return round(score, DIGITS)
