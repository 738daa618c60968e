"""Times and node ids in the form in which GitHub writes them."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import overload


def node(kind: str, number: int | str) -> str:
    """Return a global node id, from which `numbered` reads the number again."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def numbered(node_id: str) -> tuple[str, str]:
    """Return kind and number of a node id; empty where the forge did not make it."""
    try:
        kind, _, number = base64.b64decode(node_id, validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return kind, number


@overload
def stamp(at: datetime) -> str: ...
@overload
def stamp(at: None) -> None: ...
def stamp(at: datetime | None) -> str | None:
    """Write a time as GitHub does."""
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
