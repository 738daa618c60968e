"""What tests of a module can call: its functions, its classes and their methods, with their parameters."""

from __future__ import annotations

import ast
import contextlib
import datetime  # noqa: ICN001 - as in the expressions that are made of it
import enum
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from setpoint_probe.foreign_code import Raised, attempt

from .cases import Cast, Param, Target
from .given.answers import Answer
from .given.given import NOTHING_GIVEN, Offers
from .programs import SYNTAX
from .values.kinds import annotated, constants, named, used
from .values.nearby_constants import Surroundings

_NOT_CALLED = frozenset(
    f"__{name}__"
    for name in (
        *("new", "init", "init_subclass", "class_getitem", "del", "hash", "getattribute", "subclasshook"),
        *("set_name", "weakref", "dict", "reduce", "reduce_ex", "sizeof", "getstate", "setstate"),
    )
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_OWN = 150
_NEAR_CHANGES = ("2020, 1, 2, 3, 4, 5", "2020, 7, 8, 9", "2021, 3, 14, 2, 30", "2021, 11, 7, 1, 30")
"""Winter, summer, and hours at which many clocks are changed."""
Seen = Mapping[str, tuple[str, ...]]
"""Values seen for a parameter, by `function.parameter`."""
_COLLECTS = re.compile(
    r"(typing\.|collections\.abc\.)?(list|dict|set|tuple|type|Callable|Iter\w+|Sequence|Mapping)\b",
    re.IGNORECASE,
)
"""Annotations whose names are of what the value holds, not of the value."""
Draw = Callable[[Any], Mapping[str, tuple[str, ...]]]
"""Gives values by parameter for something that can be called."""


class Hints(NamedTuple):
    """What is known of values for the parameters of a module's functions."""

    seen: Seen
    draw: Draw
    """Makes up values for what is annotated."""
    offers: Offers = NOTHING_GIVEN
    answers: Mapping[str, Answer] = {}


def cast_of(module: ModuleType, alias: str, tree: ast.Module, hints: Hints) -> Cast:
    """Find what can be called in an imported module."""
    nodes = dict(_nodes(tree.body, ""))
    around = _Around(dict(_makers(module, alias)), Surroundings(tree), tuple(_held(module, alias)), hints)
    found: dict[str, Target] = {}
    classes: dict[str, Target] = {}
    for name, thing in list(vars(module).items()):
        if not _of(module, name, thing, nodes):
            continue
        find = _Finder(alias, nodes, around)
        if inspect.isclass(thing):
            target = find.of_class(name, thing)
            classes[name] = found[name] = target
            found.update((each.name, each) for each in find.of_methods(name, thing, module))
        elif callable(thing):
            found[name] = find.target(name, "function", f"{alias}.{name}", "", thing)
    return Cast(alias, found, classes, hints.offers, hints.answers)


def _of(module: ModuleType, name: str, thing: Any, nodes: Mapping[str, ast.AST]) -> bool:  # noqa: ANN401 - whatever a module holds
    """Whether a name of a module is defined there, and not merely imported."""
    if name.startswith("__") or (
        inspect.isclass(thing) and issubclass(thing, enum.Enum) and name not in nodes
    ):
        return False
    return name in nodes or (
        callable(thing) and getattr(thing, "__module__", "") == module.__name__ and not inspect.isclass(thing)
    )


def _nodes(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _nodes(node.body, f"{prefix}{node.name}.")
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from _nodes(getattr(node, field, []), prefix)
            for handler in getattr(node, "handlers", []):
                yield from _nodes(handler.body, prefix)


def _makers(module: ModuleType, alias: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield expressions for values of the module's own types, by the type's name."""
    for name, thing in vars(module).items():
        if not inspect.isclass(thing) or getattr(thing, "__module__", "") != module.__name__:
            continue
        if issubclass(thing, enum.Enum):
            yield name, tuple(f"{alias}.{name}.{each.name}" for each in thing)
        else:
            words = ("", "1", "'a'", "[1, 2]", "1, 2", "'a', 1")
            tried = tuple(f"{alias}.{name}({arguments})" for arguments in words)
            yield name, tuple(text for text in tried if _works(text, module, alias))


def _works(text: str, module: ModuleType, alias: str) -> bool:
    made = attempt(lambda: eval(text, {alias: module}))  # noqa: S307 - an expression of ours
    return not isinstance(made, Raised)


def _held(module: ModuleType, alias: str) -> Iterator[tuple[str, str]]:
    """Yield the objects of the module's own classes that it holds, with the kind that they are values of."""
    for name, thing in vars(module).items():
        kind = type(thing)
        if name.startswith("__") or inspect.isclass(thing) or inspect.isroutine(thing):
            continue
        if isinstance(thing, datetime.tzinfo):
            for day in _NEAR_CHANGES:
                yield "date", f"datetime.datetime({day}, tzinfo={alias}.{name})"
        elif getattr(kind, "__module__", "") == module.__name__:
            yield "object", f"{alias}.{name}"


class _Around(NamedTuple):
    """What a module offers for the parameters of its functions."""

    makers: Mapping[str, tuple[str, ...]]
    """Expressions that make values of its own types, by the type's name."""
    surroundings: Surroundings
    held: tuple[tuple[str, str], ...]
    """Objects that it holds: kind and expression."""
    hints: Hints


class _Finder:
    def __init__(self, alias: str, nodes: Mapping[str, ast.AST], around: _Around) -> None:
        self._alias, self._nodes = alias, nodes
        self._makers, self._surroundings, self._held, self._hints = around

    def of_class(self, name: str, thing: type) -> Target:
        return self.target(name, "new", f"{self._alias}.{name}", "", thing)

    def of_methods(self, owner: str, thing: type, module: ModuleType) -> Iterator[Target]:
        shown: set[str] = set()
        for place in thing.__mro__:
            if getattr(place, "__module__", "") != module.__name__:
                continue
            for name, raw in vars(place).items():
                if (
                    name in shown
                    or name in _NOT_CALLED
                    or (
                        name.startswith("__")
                        and name not in SYNTAX
                        and f"{place.__name__}.{name}" not in self._nodes
                    )
                ):
                    continue
                shown.add(name)
                if (found := self._of_member(owner, name, raw, place)) is not None:
                    yield found

    def _of_member(self, owner: str, name: str, raw: Any, place: type) -> Target | None:  # noqa: ANN401 - whatever a class holds
        full = f"{owner}.{name}"
        defined = f"{place.__name__}.{name}"
        if isinstance(raw, (staticmethod, classmethod)):
            skip = 1 if isinstance(raw, classmethod) else 0
            return self.target(full, "static", name, owner, raw.__func__, skip=skip, defined=defined)
        if isinstance(raw, property) or (
            not callable(raw) and hasattr(raw, "__get__") and hasattr(raw, "func")
        ):
            return self.target(full, "property", name, owner, None, defined=defined)
        if inspect.isfunction(raw) or (callable(raw) and defined in self._nodes):
            return self.target(full, "method", name, owner, raw, skip=1, defined=defined)
        return None

    def target(  # noqa: PLR0913 - the facts of one target
        self,
        name: str,
        form: str,
        path: str,
        owner: str,
        thing: Any,  # noqa: ANN401 - whatever can be called
        *,
        skip: int = 0,
        defined: str = "",
    ) -> Target:
        node = self._nodes.get(defined or name)
        body = node
        if isinstance(node, ast.ClassDef):
            body = self._nodes.get(f"{name}.__init__") or self._nodes.get(f"{name}.__new__") or node
        near, _ = self._surroundings.of(body)
        params = tuple(self._params(name, thing, body, skip)) if thing is not None else ()
        first = getattr(node, "lineno", 0)
        last = getattr(node, "end_lineno", 0) or first
        return Target(name, form, path, owner, params, near, first, last, _waits(path, thing))

    def _params(self, name: str, thing: Any, node: ast.AST | None, skip: int) -> Iterator[Param]:  # noqa: ANN401 - whatever can be called
        _, matched = self._surroundings.of(node)
        near = tuple(constants(node)) if node is not None else ()
        drawn = self._hints.draw(thing)
        for each in _signature(thing, skip):
            if each.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            note = each.annotation
            text = note if isinstance(note, str) else "" if note is inspect.Parameter.empty else _shown(note)
            kinds = list(annotated(text))
            default = each.default
            key = f"{name.rpartition('.')[2]}.{each.name}"
            own = [*self._hints.seen.get(key, ()), *_choices(note)]
            own += drawn.get(each.name, ())
            own += [value for made, values in self._makers.items() if made in text for value in values]
            if default is not inspect.Parameter.empty:
                kinds += (
                    [type(default).__name__]
                    if type(default).__name__ in ("int", "str", "bool", "float", "list", "dict", "tuple")
                    else []
                )
                own += [repr(default)] if isinstance(default, (int, str, float, type(None))) else []
            if not kinds or kinds == ["none"]:
                kinds += used(each.name, node) if node is not None else ()
                kinds += named(each.name)
            own += [text for kind, text in self._held if kind in kinds or not kinds]
            if "str" in kinds or not kinds:
                own += [repr(text) for text in matched]
            fitting = [value for value in near if not kinds or _kind_of(value) in kinds]
            yield Param(
                name=each.name,
                required=default is inspect.Parameter.empty,
                star=each.kind is inspect.Parameter.VAR_POSITIONAL,
                keyword=each.kind is inspect.Parameter.KEYWORD_ONLY,
                kinds=tuple(dict.fromkeys(kinds)),
                own=tuple(dict.fromkeys([*own, *fitting]))[:_MOST_OWN],
                given=self._given(key, each.name, text),
            )

    def _given(self, key: str, param: str, note: str) -> tuple[str, ...]:
        """Return what the project's tests give for a parameter, by its place, its name or its type."""
        offers = self._hints.offers
        found = [*offers.fixtures((param,)), *offers.of_param.get(key, ())]
        if not _COLLECTS.match(note):
            words = re.findall(r"\w+", note)
            found += [call for word in words for call in offers.of_class.get(word, ())]
        return tuple(dict.fromkeys(found))


def _waits(path: str, thing: Any) -> str:  # noqa: ANN401 - whatever can be called
    """Say how what a call gives is taken: waited for, gone through, entered, or as it is."""
    if path in _BY_STATEMENT:
        return _BY_STATEMENT[path]
    wrapped = getattr(thing, "__wrapped__", None)
    code = getattr(thing, "__code__", None)
    if wrapped is not None and code is not None and code.co_filename == contextlib.__file__:
        return "async with" if inspect.isasyncgenfunction(wrapped) else "with"
    if inspect.isasyncgenfunction(thing):
        return "async for"
    return "await" if inspect.iscoroutinefunction(thing) else ""


_BY_STATEMENT = {
    "__enter__": "with", "__exit__": "with", "__aenter__": "async with", "__aexit__": "async with",
    "__aiter__": "async for", "__await__": "await",
}  # fmt: skip


def _signature(thing: Any, skip: int) -> list[inspect.Parameter]:  # noqa: ANN401 - whatever can be called
    try:
        return list(inspect.signature(thing).parameters.values())[skip:]
    except (ValueError, TypeError):
        return []


def _shown(note: Any) -> str:  # noqa: ANN401 - any annotation
    return note.__name__ if inspect.isclass(note) and get_origin(note) is None else str(note)


def _choices(note: Any) -> list[str]:  # noqa: ANN401 - any annotation
    if get_origin(note) is Literal:
        return [repr(each) for each in get_args(note)]
    return (
        [text for each in get_args(note) for text in _choices(each)] if get_origin(note) is not None else []
    )


def _kind_of(text: str) -> str:
    return type(ast.literal_eval(text)).__name__
