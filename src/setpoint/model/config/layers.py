"""Tables of settings, one laid over the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def overlaid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of both tables; where both have one, that of `over`, key by key in inner tables."""
    result = dict(under)
    for key, value in over.items():
        held = result.get(key)
        if isinstance(held, Mapping) and isinstance(value, Mapping):
            result[key] = overlaid(held, value)
        else:
            result[key] = value
    return result
