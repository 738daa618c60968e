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
    milliseconds = int(at.timestamp() * 1000)
    digits = [_ALPHABET[(milliseconds >> (5 * place)) & 31] for place in reversed(range(_MILLISECOND_DIGITS))]
    digits += [secrets.choice(_ALPHABET) for _ in range(_RANDOM_DIGITS)]
    return f"{prefix}-{''.join(digits)}"


def sortable_row(prefix: str, at: datetime, count: int) -> tuple[str, ...]:
    """Make so many different identifiers of one moment, in the order in which they sort."""
    row: set[str] = set()
    while len(row) < count:
        row.add(sortable(prefix, at))
    return tuple(sorted(row))
