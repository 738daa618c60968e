"""With whom a call shares the collection that it gives: whoever changes it changes what is not his."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from ..foreign_code import Raised, attempt
from ..wire.calls import NEXT_CALL

_KINDS = (list, dict, set, bytearray, deque)


def shared_with(
    value: Any,  # noqa: ANN401 - any value at all
    arguments: Mapping[str, Any],
    function: Any,  # noqa: ANN401 - a function or class
    again: Callable[[], Any],
) -> tuple[str, ...]:
    """Return what a collection is beside the answer to a call, in words; nothing where it is nobody else's.

    `again` makes the same call once more, with arguments of its own.
    """
    if not isinstance(value, _KINDS):
        return ()
    found = [f"its argument {name}" for name, each in arguments.items() if each is value]
    subject = arguments.get("self")
    if any(each is value for each in _attributes(subject)):
        found.append("what the object holds")
    if any(each is value for each in getattr(function, "__globals__", {}).values()):
        found.append("what the module holds")
    if not found and "self" not in arguments:
        first = attempt(again)
        if not isinstance(first, Raised) and isinstance(first, _KINDS) and attempt(again) is first:
            found.append(NEXT_CALL)
    return tuple(found)


def _attributes(subject: object) -> list[Any]:
    held = attempt(lambda: [*vars(subject).values()])
    return [] if isinstance(held, Raised) else held
