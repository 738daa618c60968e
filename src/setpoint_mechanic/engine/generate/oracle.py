"""What can be asserted of a value: an expression equal to it, or else what can be seen of it from outside."""

from __future__ import annotations

import builtins
import collections
import datetime  # noqa: ICN001 - tests name it so
import decimal
import enum
import fractions
import inspect
import itertools
import math
import operator
import pathlib
import re
import types
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from setpoint_probe.foreign_code import Raised, attempt

_MOST = 160
"""Characters of an expected value."""
_MOST_ITEMS = 24
_MOST_DEPTH = 4
_MOST_FIELDS = 4
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+|0x[0-9a-f]{6,}")
_NUMERIC = frozenset(
    (
        *(decimal.Decimal, fractions.Fraction, pathlib.PurePosixPath),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
    )
)
_PLACES: dict[type, str] = {
    each: f"{module.__name__}."
    for module, kinds in (
        (decimal, (decimal.Decimal,)),
        (fractions, (fractions.Fraction,)),
        (pathlib, (pathlib.PurePosixPath,)),
        (
            collections,
            (collections.OrderedDict, collections.Counter, collections.deque, collections.defaultdict),
        ),
    )
    for each in kinds
}
_SHORT_FLOAT = 8


class Oracle:
    """Describes values in the words that a test of one module has."""

    def __init__(self, module: ModuleType, alias: str) -> None:
        """Take the module under test and what it is called."""
        self._module, self._alias = module, alias
        self.folder = ""
        """The test's own temporary folder; empty where it has none."""
        self.names: dict[str, Any] = {
            alias: module, "math": math, "datetime": datetime, "decimal": decimal, "fractions": fractions,
            "collections": collections, "pathlib": pathlib, "types": types, "re": re, "itertools": itertools,
            "operator": operator,
        }  # fmt: skip

    def describe(self, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any value at all
        """Return assertions as expressions, with `{}` for what holds the value."""
        if value is None or isinstance(value, bool):
            return (f"{{}} is {value}",)
        if type(value) is float and (told := _of_float(value)):
            return (told,)
        text = self.expression(value)
        if text is not None and len(text) <= _MOST:
            return (f"{{}} == {_braced(text)}",)
        if inspect.isclass(value):
            return (f"{{}}.__name__ == {value.__name__!r}",)
        if inspect.isroutine(value):
            return ("callable({})",)
        return tuple(self._seen(value))

    def _seen(self, value: Any) -> list[str]:  # noqa: ANN401 - any object
        """Say what can be seen of an object that no expression equals."""
        kind = type(value)
        found = [f"type({{}}).__name__ == {kind.__name__!r}"]
        if _own(kind, "__repr__") and (shown := _shown(value)):
            found.append(f"repr({{}}) == {_braced(repr(shown))}")
        if isinstance(value, (Mapping, list, tuple, set, frozenset)):
            found += self._held(value)
        for name, held in self._fields(value):
            found += [check.replace("{}", f"{{}}.{name}", 1) for check in self.describe(held)]
        return found

    def _contents(self, value: Any) -> tuple[str, str | None, int]:  # noqa: ANN401 - a collection
        """Return what makes a plain collection of a value, the items as an expression, and their number."""
        items: object = dict(value) if isinstance(value, Mapping) else list(value)
        word = "dict" if isinstance(value, Mapping) else "list"
        if isinstance(value, (set, frozenset)):
            items, word = set(value), "set"
        return word, self.expression(items), len(value)

    def _held(self, value: Any) -> list[str]:  # noqa: ANN401 - a collection
        read = attempt(lambda: self._contents(value))
        if isinstance(read, Raised):
            return []  # a collection of the project's own may refuse
        word, text, size = read
        if text is not None and len(text) <= _MOST:
            return [f"{word}({{}}) == {_braced(text)}"]
        return [f"len({{}}) == {size}"]

    def _fields(self, value: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - any object
        fields = getattr(value, "__dict__", None)
        if not isinstance(fields, dict) or type(value).__module__ == "types":
            return []
        plain = [
            (name, held)
            for name, held in sorted(fields.items(), key=lambda each: str(each[0]))
            if isinstance(name, str)
            and not name.startswith("_")
            and (held is None or isinstance(held, bool) or self.expression(held) is not None)
        ]
        return plain[:_MOST_FIELDS]

    def expression(self, value: Any, depth: int = 0) -> str | None:  # noqa: ANN401 - any value at all
        """Return an expression that equals a value and has its type, or none."""
        kind = type(value)
        if kind in (int, str, bytes, bool, complex) or value is None:
            shown = (self._of_path(value) if kind is str else "") or repr(value)
            return shown if len(shown) <= _MOST and "nan" not in shown else None
        if kind is float:
            return (
                repr(value)
                if math.isfinite(value)
                else "math.inf"
                if value > 0
                else "-math.inf"
                if value < 0
                else None
            )
        if isinstance(value, enum.Enum):
            return self._checked(f"{self._alias}.{kind.__name__}.{value.name}", value)
        if kind in (list, tuple, set, frozenset, dict):
            return self._container(value, depth)
        if inspect.isclass(value):
            return self._of_class(value)
        return self._by_repr(value)

    def _container(self, value: Any, depth: int) -> str | None:  # noqa: ANN401 - a plain container
        if depth >= _MOST_DEPTH or len(value) > _MOST_ITEMS:
            return None
        if isinstance(value, dict):
            keys, values = self._items(value, depth), self._items(value.values(), depth)
            if keys is None or values is None:
                return None
            return "{" + ", ".join(f"{key}: {held}" for key, held in zip(keys, values)) + "}"
        items = self._items(value, depth)
        return None if items is None else _put_together(type(value), items)

    def _items(self, values: Iterable[Any], depth: int) -> list[str] | None:
        items = [self.expression(each, depth + 1) for each in values]
        told = [each for each in items if each is not None]
        return told if len(told) == len(items) else None

    def _of_path(self, value: str | pathlib.Path) -> str:
        """Return an expression for a path, or for a text that is one below the temporary folder."""
        text = str(value)
        shown = f"pathlib.Path({text!r})"
        if self.folder and (text == self.folder or text.startswith(f"{self.folder}/")):
            rest = text[len(self.folder) + 1 :]
            shown = f"tmp_path / {rest!r}" if rest else "tmp_path"
            return f"str({shown})" if isinstance(value, str) else f"({shown})"
        return shown if isinstance(value, pathlib.Path) else ""

    def _of_class(self, value: type) -> str | None:
        name: str = value.__name__
        if vars(builtins).get(name) is value:
            return name
        if vars(self._module).get(name) is value:
            return f"{self._alias}.{name}"
        return None

    def _by_repr(self, value: Any) -> str | None:  # noqa: ANN401 - any object
        kind = type(value)
        if isinstance(value, pathlib.Path):
            return self._of_path(value)
        if not _own(kind, "__repr__") or not (_own(kind, "__eq__") or kind in _NUMERIC):
            return None
        shown = _shown(value)
        if not shown:
            return None
        if kind.__module__ == self._module.__name__:
            return self._checked(f"{self._alias}.{shown}", value)
        return self._checked(f"{_PLACES.get(kind, '')}{shown}", value)

    def _checked(self, text: str, value: Any) -> str | None:  # noqa: ANN401 - any object
        """Return a text only if evaluating it gives the value again."""
        if len(text) > _MOST or "lambda" in text:
            return None

        def gives_it_again() -> bool:
            again = eval(text, dict(self.names))  # noqa: S307 - what a value's own repr says
            return type(again) is type(value) and bool(again == value)

        return text if attempt(gives_it_again) is True else None  # most reprs are no expressions


def changed_files(before: pathlib.Path, now: pathlib.Path) -> list[str]:
    """Describe files of a folder that others are now than before, by `{}` for the folder."""
    was, has = _texts(before), _texts(now)
    found = [f"not ({{}} / {name!r}).exists()" for name in sorted(set(was) - set(has))]
    for name in sorted(has):
        data = has[name]
        if was.get(name) == data or len(data) > _MOST:
            continue
        place = f"({{}} / {_braced(repr(name))})"
        try:
            text = data.decode("ascii")
        except UnicodeDecodeError:
            text = "\r"
        if "\r" in text:
            found.append(f"{place}.read_bytes() == {_braced(repr(data))}")
        else:
            found.append(f"{place}.read_text() == {_braced(repr(text))}")
    return found[:_MOST_FIELDS]


def _texts(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))[:_MOST_ITEMS]
        if path.is_file()
    }


def _put_together(kind: type, items: list[str]) -> str:
    """Write a collection other than a dictionary."""
    inside = ", ".join(items)
    if kind is tuple:
        return f"({inside},)" if len(items) == 1 else f"({inside})"
    if kind is list:
        return f"[{inside}]"
    shown = "{" + ", ".join(sorted(items)) + "}" if items else ""
    return f"frozenset({shown})" if kind is frozenset else shown or "set()"


def _of_float(value: float) -> str:
    """Return an assertion of a number that is written with many digits, or is none; else nothing."""
    if math.isnan(value):
        return "math.isnan({})"
    long = math.isfinite(value) and len(repr(value)) > _SHORT_FLOAT
    return f"math.isclose({{}}, {value!r})" if long else ""


def _own(kind: type, name: str) -> bool:
    """Whether a type, or one it is made of other than `object`, defines a special method."""
    return any(name in vars(place) for place in kind.__mro__ if place is not object)


def _shown(value: Any) -> str:  # noqa: ANN401 - any object
    """Return the repr of a value where it is short and the same in each process; else nothing."""
    shown: object = attempt(lambda: repr(value))
    is_set = isinstance(value, (set, frozenset))
    if not isinstance(shown, str) or is_set or len(shown) > _MOST or "\n" in shown:
        return ""
    return "" if _ADDRESS.search(shown) else shown


def _braced(text: str) -> str:
    """Keep braces of a value apart from the place for the subject."""
    return text.replace("{", "{{").replace("}", "}}")


def filled(check: str, subject: str) -> str:
    """Put the subject into an assertion."""
    return check.format(subject)
