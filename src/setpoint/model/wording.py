"""Counts and shortened texts, in the words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

_VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the right number: `1 file`, `2 blocking findings`, `0 processes`."""
    return f"{count} {noun if count == 1 else plural(noun)}"


def enumerated(items: Sequence[str]) -> str:
    """Return items as a sentence names them: `a`, `a and b`, `a, b and c`."""
    *first, last = items or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def plural(noun: str) -> str:
    """Return the regular plural of a noun in English."""
    if noun.endswith(_HISSING):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def shortened(text: str, most: int) -> str:
    """Cut a text between two words, so that no path or name loses its end; an ellipsis says so.

    A single word that is longer than `most` characters stays whole up to four times of that.
    """
    if len(text) <= most:
        return text
    kept = text[:most]
    if not text[most - 1].isspace() and not text[most].isspace():
        kept = kept.rpartition(" ")[0] or text[: 4 * most].partition(" ")[0]
    kept = kept.rstrip(" \n\t,;:(")
    return kept if kept == text else f"{kept} …"


def lasted(seconds: float) -> str:
    """Say a duration in few characters: 40 s, 3m24s, 2h10m."""
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"
