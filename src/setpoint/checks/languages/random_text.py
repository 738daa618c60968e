"""Names and numbers of canaries, which nobody can know before they run."""

from __future__ import annotations

import secrets

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LENGTH = 9


def word() -> str:
    """Return a new name."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def unequal() -> tuple[int, int]:
    """Return two numbers, of which the first is less."""
    one = secrets.randbelow(10**6)
    return one, one + 1 + secrets.randbelow(1000)
