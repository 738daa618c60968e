"""Typed, sortable identifiers."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import NewType

TraceId = NewType("TraceId", str)
"""Names a run and all its events, for example `run-0mgq5t2k1c4f7a`."""
StoryId = NewType("StoryId", str)
"""Names a story; also the file name and the last part of the branch name."""
EventId = NewType("EventId", str)
"""Names one event."""
FindingId = NewType("FindingId", str)
"""Names one finding in one evaluation; `Finding.fingerprint` is what stays the same between them."""
EvidenceId = NewType("EvidenceId", str)
"""Names the record of one check."""
GateId = NewType("GateId", str)
"""Names one question to a person."""
LearningId = NewType("LearningId", str)
"""Names one learning."""
Commit = NewType("Commit", str)
"""A git commit, 40 hexadecimal digits."""
Tree = NewType("Tree", str)
"""A git tree, 40 hexadecimal digits: the content, whatever its history."""
Artifact = NewType("Artifact", str)
"""The sha256 of a file kept under `.setpoint/artifacts/`, 64 hexadecimal digits."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_MILLISECOND_DIGITS = 9
_RANDOM_DIGITS = 5


def sortable(prefix: str, at: datetime) -> str:
    """Make an identifier that sorts by time: prefix, nine base-32 digits of milliseconds, five random."""
    return sortable_row(prefix, at, 1)[0]


def sortable_row(prefix: str, at: datetime, count: int) -> tuple[str, ...]:
    """Make so many different identifiers of one moment, in the order in which they sort."""
    stem = f"{prefix}-{_digits(int(at.timestamp() * 1000), _MILLISECOND_DIGITS)}"
    row: set[int] = set()
    while len(row) < count:
        row.add(secrets.randbits(5 * _RANDOM_DIGITS))
    # The alphabet is in ascending order, so the numbers sort as their digits do.
    return tuple(stem + _digits(number, _RANDOM_DIGITS) for number in sorted(row))


def _digits(number: int, count: int) -> str:
    return "".join([_ALPHABET[(number >> shift) & 31] for shift in range(5 * (count - 1), -1, -5)])
