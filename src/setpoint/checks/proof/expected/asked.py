"""Whether a request asks to repair a file that tests alone seem to use, so that it is the work."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CLAUSES = re.compile(
    r"[;\n]|[,:.!?](?=\s|$)|\b(?:and|but|so|that|until|because|since|when|then)\b", re.IGNORECASE
)
_REPAIRS = re.compile(r"\b(?:fix|correct|mend|repair|amend)\w*\b", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:as|like|per|from|against|with|by|for|see|match\w*|equal\w*|same|agree\w*|accord\w*|compar\w*|pass\w*)\b",
    re.IGNORECASE,
)
"""Words behind which a file says what is right, and is not itself to be repaired."""
_LEAST = 3


def asks_to_repair(wish: str, path: str) -> bool:
    """Whether a clause of a request asks to repair a file, by its name or as a folder of it."""
    *folders, name = path.split("/")
    inside = [f"{'/'.join(folders[start:])}/" for start in range(len(folders))]
    words = "|".join(re.escape(each) for each in (path, name, *inside))
    named = re.compile(rf"(?<![\w/.-])(?:\./)?(?:{words})(?![\w-])(?!\.\w)")
    for clause in _CLAUSES.split(wish):
        place, verb = named.search(clause), _REPAIRS.search(clause)
        if not place or not verb or verb.end() > place.start():
            continue
        if _REFERS.search(clause[verb.end() : place.start()]) is None:
            return True
    return False


def speaks_of(wish: str, words: Iterable[str]) -> bool:
    """Whether a request holds a word, such as the name of a function."""
    return any(
        len(each) >= _LEAST and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", wish, re.IGNORECASE)
        for each in words
    )
