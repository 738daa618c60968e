"""The words by which learnings are found: identifiers taken apart, endings cut, filler left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

LONGEST = 40
"""Letters of a term at most; longer ones are hashes and keys that nobody asks for."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d{2,}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FILLER = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by can could did do does for from had has have if in into is it its "
        "me my no not of on one or our own should so some such than that the their them then there these "
        "they py test tests this those to too was "
        "we were what when where which while who why will with would you your",
    )
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "about add after again all also always another any away back before between big both call change "
        "code come day each else even every file find first get give go good half just kind know last leave "
        "less let line list long look made make many more most much must need never new next now off often "
        "old once only other out over part people place please put same say see set show side small still "
        "take tell thing three time today two under until up use want way week well work year yet",
    )
)
"""Words of any request, which tell nothing of what it is about."""
_ENDINGS = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ments", "ment"),
    ("ingly", ""),
    ("edly", ""),
    ("ies", "y"),
    ("ing", ""),
    ("ed", ""),
    ("es", "e"),
    ("ly", ""),
    ("s", ""),
)
_SHORTEST_STEM = 3


def terms(text: str) -> Counter[str]:
    """Count the terms of a text; an identifier counts as a whole and in its parts."""
    found: Counter[str] = Counter()
    for word in _WORD.findall(text):
        lowered = word.lower().strip("_")
        parts = [part.lower() for part in _PARTS.findall(word)]
        whole = [lowered] if len(parts) > 1 else []
        for term in (*whole, *(stem(part) for part in parts)):
            if 1 < len(term) <= LONGEST and term not in _FILLER:
                found[term] += 1
    return found


def telling(text: str) -> list[str]:
    """Return the terms by which a question finds something, in order."""
    common = {stem(word) for word in _COMMON}
    return sorted(term for term in terms(text) if term not in common)


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Cut a word's ending, so that its forms are one term; crude on purpose, the same everywhere."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            cut = word[: len(word) - len(ending)] + instead
            if ending == "s" and word.endswith(("ss", "us", "is")):
                return word
            return _undoubled(cut) if ending in ("ing", "ed") else _without_e(cut)
    return _without_e(word)


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the share of terms that two texts have in common (Jaccard), 0 to 1."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first or second else 1.0


def _undoubled(word: str) -> str:
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return _without_e(word)


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word
