"""What can be told of a value from outside, as a text that is the same for equal values.

The value's own `__eq__` is never asked: it can say what it likes.
"""

from __future__ import annotations

import enum
import itertools
import math
import re
import sys
import types
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from ..foreign_code import Raised, attempt
from ..wire.calls import SPECIAL
from .built import Built
from .driven import driven

_DEEPEST, _MOST_ITEMS, _MOST_TEXT, _MOST_PARTS = 6, 400, 20_000, 4000
_NOTHING: Mapping[str, Collection[str]] = {}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")
_MADE_BY_CODE = 1 << 9
"""Flag of types that were made while the program runs: those of `class` statements, and some of C."""
_PROBES = (7193, "setpoint-7193", -55.25, (7193,), None)
_CALLED = (types.FunctionType, types.MethodType)
_SPECIAL: dict[str, Callable[[Any], Any]] = dict(zip(SPECIAL, (len, bool, str, repr, iter)))
"""What a reader can ask of an object without a name."""
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


class Teller:
    """Tells values."""

    def __init__(self, loose: Mapping[str, Collection[str]] = _NOTHING) -> None:
        """Take classes whose objects may hold other attributes, and what is public of them."""
        self._loose = loose
        self._left = _MOST_PARTS
        self.vague: dict[str, None] = {}
        """What was told by its kind alone, in words."""

    def tell(self, value: Any, depth: int = 0) -> str:  # noqa: ANN401, PLR0911 - any value; one form for each kind
        """Return what can be told of a value."""
        self._left = self._left - 1 if depth else _MOST_PARTS
        if depth > _DEEPEST or self._left < 0:
            return "..."
        if isinstance(value, _CALLED) and "<locals>" in value.__qualname__:
            self.vague["a function"] = None
            return "a function"
        if isinstance(value, Built):
            return f"{value.name}{Teller(self._loose).tell(value.steps)}"
        plain = _plain(value)
        if plain:
            return plain
        if isinstance(value, dict):
            return self._pairs(dict.items(value), depth)
        if isinstance(value, (list, deque)):
            return f"[{', '.join(self._items(value, depth))}]"
        if isinstance(value, tuple):
            return f"({', '.join(self._items(value, depth))})"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(self._items(value, depth)))}}}"
        if isinstance(value, BaseException):
            return f"{type(value).__qualname__}{self.tell(value.args, depth + 1)}"
        return self._object(value, depth)

    def _items(self, value: Any, depth: int) -> list[str]:  # noqa: ANN401 - a collection
        return [self.tell(each, depth + 1) for each in itertools.islice(iter(value), _MOST_ITEMS)]

    def _pairs(self, pairs: Any, depth: int) -> str:  # noqa: ANN401 - items of a mapping
        held = [
            f"{self.tell(key, depth + 1)}: {self.tell(each, depth + 1)}"
            for key, each in itertools.islice(iter(pairs), _MOST_ITEMS)
        ]
        return f"{{{', '.join(sorted(held))}}}"

    def _object(self, value: Any, depth: int) -> str:  # noqa: ANN401 - any object
        kind = type(value)
        name = kind.__qualname__
        if _is_of_library(kind):
            shown: object = attempt(lambda: repr(value))
            if not isinstance(shown, str) or _ADDRESS.search(shown):
                self.vague[f"an object of {name}"] = None
            return f"{name} {_steady(shown)}" if isinstance(shown, str) else name
        if name in self._loose:
            return f"{name}{self._pairs([(each, _seen(value, each)) for each in self._loose[name]], depth)}"
        held = dict(_state(value))
        inside = attempt(lambda: self._pairs(value.items(), depth)) if isinstance(value, Mapping) else ""
        return f"{name}{self._pairs(held.items(), depth)}{inside if isinstance(inside, str) else ''}"


def _seen(value: Any, name: str) -> Any:  # noqa: ANN401 - any object
    """Return what a reader sees of an object under a name; exceptions are alike."""
    ask = _SPECIAL.get(name)
    seen = attempt(lambda: driven(ask(value) if ask else getattr(value, name)))
    return "raises" if isinstance(seen, Raised) else seen[0]


def _plain(value: Any) -> str:  # noqa: ANN401, PLR0911 - any value; one form for each kind
    """Tell a value that has no parts; empty for others."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        whole = float(value)
        return f"float {whole + 0.0:.12g}" if math.isfinite(whole) else f"float {whole}"
    if isinstance(value, str):
        return _steady(str.__repr__(value))
    if isinstance(value, (bytes, bytearray)):
        return f"bytes {bytes(value)!r}"
    if isinstance(value, _NAMED):
        return f"{type(value).__name__} {getattr(value, '__qualname__', value.__name__)}"
    return ""


def _steady(text: str) -> str:
    return _ADDRESS.sub("0x", text[:_MOST_TEXT])


def _state(value: object) -> Iterator[tuple[str, Any]]:
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        yield from ((str(key), each) for key, each in held.items())
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if isinstance(name, str) and not name.startswith("__"):
                found = attempt(partial(getattr, value, name))
                yield name, None if isinstance(found, Raised) else found


def _is_of_library(kind: type) -> bool:
    """Whether a type comes with Python or is compiled, so that its repr can be believed."""
    names: Collection[str] = getattr(sys, "stdlib_module_names", ("builtins", "datetime", "decimal", "re"))
    if kind.__module__.partition(".")[0] not in {*names, "builtins"}:
        return False
    if not kind.__flags__ & _MADE_BY_CODE:
        return True
    held: object = sys.modules.get(kind.__module__)  # a class can say that it comes from anywhere
    for name in kind.__qualname__.split("."):
        held = getattr(held, name, None)
    return held is kind


def equals_everything(value: Any) -> bool:  # noqa: ANN401 - any value at all
    """Whether a value says that it equals several things that differ."""
    kinds = [type(value)]
    if isinstance(value, (list, tuple)):
        kinds += [type(each) for each in itertools.islice(iter(value), 5)]
    own = [each for each in kinds if not _is_of_library(each) and "__eq__" in _methods(each)]
    if not own:
        return False
    parts = [value, *(itertools.islice(iter(value), 5) if isinstance(value, (list, tuple)) else ())]
    found = [
        sum(attempt(partial(_claims, part, probe)) is True for probe in _PROBES)
        for part in parts
        if type(part) in own
    ]
    return any(count > 1 for count in found)


def _claims(value: object, probe: object) -> bool:
    return bool(value == probe)


def _methods(kind: type) -> set[str]:
    return {name for place in kind.__mro__ if not _is_of_library(place) for name in vars(place)}
