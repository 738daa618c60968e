"""What a module keeps from call to call: noticed where a call changes it, and put back."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from setpoint_probe.foreign_code import Raised, attempt

_KINDS = (list, dict, set, bytearray)
_MOST = 2000
"""Items of a collection that is watched."""


class State:
    """Global names of a module, attributes of its classes, and the plain collections that they hold."""

    def __init__(self, module: ModuleType) -> None:
        """Remember how things stand."""
        owners: list[Any] = [module]
        owners += [
            each
            for each in vars(module).values()
            if inspect.isclass(each) and each.__module__ == module.__name__
        ]
        self._names = [(owner, name, held) for owner in owners for name, held in _plain(owner)]
        self._held = [
            (held, held.copy()) for _, _, held in self._names if type(held) in _KINDS and len(held) <= _MOST
        ]

    def restore(self) -> bool:
        """Put back what has changed; says whether anything had."""
        found = False
        for held, before in self._held:
            if not _same(held, before):
                found = True
                _refill(held, before)
        for owner, name, held in self._names:
            if vars(owner).get(name) is not held:
                found = True
                with contextlib.suppress(AttributeError, TypeError):
                    setattr(owner, name, held)
        return found


def _plain(owner: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a module or a class
    """Yield what is no function, class or module, by name."""
    for name, held in list(vars(owner).items()):
        if (
            name.startswith("__")
            or isinstance(held, ModuleType)
            or inspect.isroutine(held)
            or inspect.isclass(held)
        ):
            continue
        yield name, held


def _same(held: Any, before: Any) -> bool:  # noqa: ANN401 - two plain collections
    if len(held) != len(before):
        return False
    same = attempt(lambda: bool(held == before))
    return isinstance(same, Raised) or same  # items of the project's own may refuse to be compared


def _refill(held: Any, before: Any) -> None:  # noqa: ANN401 - two plain collections
    if isinstance(held, (list, bytearray)):
        held[:] = before
    else:
        held.clear()
        held.update(before)
