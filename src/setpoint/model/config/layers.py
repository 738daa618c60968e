"""Tables of settings, one laid over the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ADDITIVE = frozenset({"pass_environment", "pass"})
"""Lists to which each layer adds."""


def overlaid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of both tables; where both have one, that of `over`, key by key in inner tables.

    A list that is additive holds the entries of both.
    """
    result = dict(under)
    for key, value in over.items():
        held = result.get(key)
        if isinstance(held, Mapping) and isinstance(value, Mapping):
            result[key] = overlaid(held, value)
        elif key in ADDITIVE and isinstance(held, list | tuple) and isinstance(value, list | tuple):
            result[key] = [*dict.fromkeys((*held, *value))]
        else:
            result[key] = value
    return result


def holds(table: Mapping[str, Any], place: list[str]) -> bool:
    """Whether a table says anything at a place."""
    value: Any = table
    for part in place:
        if not isinstance(value, Mapping) or part not in value:
            return value is not table and not isinstance(value, Mapping)
        value = value[part]
    return True
