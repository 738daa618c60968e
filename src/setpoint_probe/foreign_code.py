"""The boundary to the code under work: whatever it raises becomes a value, and the engine goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Raised(NamedTuple):
    """What code of the project raised instead of returning."""

    error: Exception


def attempt(act: Callable[[], T]) -> T | Raised:
    """Call code of the project; return `Raised` with its `Exception` where it raises one."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - this boundary: code of the project raises what it likes
        return Raised(error)
