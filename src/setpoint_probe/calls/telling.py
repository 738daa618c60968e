"""What can be told of a value from outside, as a text that is the same for equal values.

The value's own `__eq__` is never asked: it can say what it likes.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import itertools
import math
import re
import sys
import types
from collections import deque
from collections.abc import Collection, Iterator
from typing import Any

_DEEPEST, _MOST_ITEMS, _MOST_TEXT, _MOST_PARTS, _MOST_SHOWN = 6, 400, 20_000, 4000, 80
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")
_MADE_BY_CODE = 1 << 9
"""Flag of types that were made while the program runs: those of `class` statements, and some of C."""
_CALLED = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_NAMED = (type, types.ModuleType)


class Teller:
    """Tells values, and remembers the classes of the objects among them."""

    def __init__(self) -> None:
        """Begin with no class."""
        self._left = _MOST_PARTS
        self.classes: dict[str, type] = {}

    def tell(self, value: Any, depth: int = 0) -> str:  # noqa: ANN401, PLR0911 -- any value; one form for each kind
        """Return what can be told of a value."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return "..."
        if isinstance(value, _CALLED):
            return "a function"
        if plain := _plain(value):
            return plain
        if isinstance(value, dict):
            pairs = dict.items(value)
            held = (f"{self.tell(key, depth + 1)}: {self.tell(each, depth + 1)}" for key, each in _few(pairs))
            return f"{{{', '.join(sorted(held))}}}"
        if isinstance(value, (list, deque)):
            return f"[{', '.join(self._items(value, depth))}]"
        if isinstance(value, tuple):
            return f"({', '.join(self._items(value, depth))})"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(self._items(value, depth)))}}}"
        if isinstance(value, BaseException):
            return f"{type(value).__qualname__}{self.tell(value.args, depth + 1)}"
        return self._object(value, depth)

    def _items(self, value: Any, depth: int) -> list[str]:  # noqa: ANN401 -- a collection
        return [self.tell(each, depth + 1) for each in _few(value)]

    def _object(self, value: object, depth: int) -> str:
        kind = type(value)
        if is_of_library(kind):
            return f"{kind.__qualname__} {_ADDRESS.sub('0x', repr(value)[:_MOST_TEXT])}"
        self.classes[f"{kind.__module__}.{kind.__qualname__}"] = kind
        held = (f"{name}: {self.tell(each, depth + 1)}" for name, each in _state(value))
        return f"{kind.__qualname__}{{{', '.join(sorted(held))}}}"

    def prints(self) -> dict[str, str]:
        """Return a fingerprint of each class that was met."""
        return {name: fingerprint(kind) for name, kind in self.classes.items()}


def digest(told: str) -> str:
    """Return a hash of what was told."""
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()


def shortened(value: Any) -> str:  # noqa: ANN401 -- any value at all
    """Return the repr of a value on one line, cut where it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 -- the value's own code
        text = type(value).__name__
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def fingerprint(kind: type) -> str:
    """Return a hash of the names of the attributes that objects of a class hold."""
    names: set[str] = set()
    for place in kind.__mro__:
        if is_of_library(place):
            continue
        names.update(map(str, vars(place).get("__annotations__", ())))
        slots = vars(place).get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else map(str, slots))
        for each in vars(place).values():
            code = getattr(getattr(each, "__func__", each), "__code__", None)
            if isinstance(code, types.CodeType):
                names.update(
                    str(one.argval) for one in dis.get_instructions(code) if one.opname == "STORE_ATTR"
                )
    return digest(" ".join(sorted(names)))[:16]


def _few(values: Any) -> Iterator[Any]:  # noqa: ANN401 -- a collection
    return itertools.islice(iter(values), _MOST_ITEMS)


def _plain(value: Any) -> str:  # noqa: ANN401, PLR0911 -- any value; one form for each kind
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
        return _ADDRESS.sub("0x", str.__repr__(value)[:_MOST_TEXT])
    if isinstance(value, (bytes, bytearray)):
        return f"bytes {bytes(value)!r}"
    if isinstance(value, _NAMED):
        return f"{type(value).__name__} {getattr(value, '__qualname__', value.__name__)}"
    return ""


def _state(value: object) -> Iterator[tuple[str, Any]]:
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        yield from ((str(key), each) for key, each in held.items())
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if isinstance(name, str) and not name.startswith("__"):
                yield name, getattr(value, name, None)


def is_of_library(kind: type) -> bool:
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
