"""Edits that a failure's own words ask for: what is None, which key or name is missing, which type is wrong.

They stand before the general families, because an exception tells the kind of the mend as well as the place.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import importlib.util
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from setpoint_probe.localise.ochiai import Line, Spectra
from setpoint_probe.source.source import FunctionNode, Source, Splice, Unit
from setpoint_probe.templates import Draft, Scope
from setpoint_probe.templates.places import indent_of, is_docstring, whole_lines

from .candidates import Candidate

_SCORE = 1.1
_MOST_PLACES = 6
"""Ways of failing that are looked at: what one bug breaks in many places has a place of its own."""
_SIZES = {"base-case": 2, "none-default": 2, "wrong-type": 1, "spelling-of-name": 1}
"""How big an edit of a family is, where it is no statement: as with the general families."""
_EMPTY = ("''", "[]", "{}", "0", "()")
_NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
_NO_ATTRIBUTE = re.compile(r"AttributeError: .* has no attribute '(\w+)'")
_UNBOUND = re.compile(r"UnboundLocalError: .*?'(\w+)'")


class _Place(NamedTuple):
    """The innermost line of the project in a failure, and what stands on it."""

    scope: Scope
    statement: ast.stmt
    nodes: tuple[ast.expr, ...]
    """Values that are read on the line."""
    error: str


def guided(sources: Mapping[str, Source], spectra: Spectra, failing: Collection[str]) -> Iterator[Candidate]:
    """Yield edits for the exceptions of failing tests, likeliest first for each."""
    seen: set[tuple[str, Line]] = set()
    for test in failing:
        reached = spectra.tests[test]
        if not reached.traceback:
            continue
        key = (reached.error.split(":", 1)[0], reached.traceback[-1])
        if key in seen or len(seen) == _MOST_PLACES:
            continue
        seen.add(key)
        place = _place(sources, reached.traceback[-1], reached.error)
        if place is not None:
            yield from _proposed(place)


def _proposed(place: _Place) -> Iterator[Candidate]:
    kind = place.error.split(":", 1)[0]
    rank = 0
    source = place.scope.source
    for name, draft in _imports(place) if kind == "NameError" else ():
        unit = _first_import(source)
        yield Candidate(source, unit, draft.edits, name, 2, unit.first_line, _SCORE)
    for mend in _MENDS.get(kind, ()):
        for name, draft in mend(place):
            edits = tuple(sorted(draft.edits))
            line = source.data.count(b"\n", 0, edits[0].start) + 1
            yield Candidate(
                source,
                place.scope.unit,
                edits,
                name,
                _SIZES.get(name, 3),
                line,
                _SCORE * draft.factor - 0.004 * rank,
            )
            rank += 1


def _place(sources: Mapping[str, Source], line: Line, error: str) -> _Place | None:
    path, number = line
    source = sources.get(path)
    unit = next((u for u in source.units if u.first_line <= number <= u.last_line), None) if source else None
    if source is None or unit is None or not unit.is_function:
        return None
    scope = Scope(source, unit)
    nodes = tuple(
        node
        for node in scope.nodes
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and node.lineno <= number <= (node.end_lineno or number)
    )
    statements = [
        n for n in scope.nodes if isinstance(n, ast.stmt) and n is not unit.node and n.lineno <= number
    ]
    inside = [each for each in statements if number <= (each.end_lineno or 0)]
    if not inside:
        return None
    return _Place(scope, max(inside, key=lambda each: each.lineno), nodes, error)


_Proposal = Iterator[tuple[str, Draft]]


def _none_guards(place: _Place) -> _Proposal:
    """Leave, or use something empty, where a value is None."""
    if "NoneType" not in place.error:
        return
    for node in _plain(place):
        text = place.scope.text(node)
        for draft in _leaving(place, f"{text} is None"):
            yield "none-guard", draft
        for rank, empty in enumerate(_EMPTY):
            for draft in place.scope.replace(node, f"{text} or {empty}", 0.95 - 0.03 * rank):
                yield "none-default", draft


def _missing_keys(place: _Place) -> _Proposal:
    """Ask for a key that may be missing."""
    for node in place.nodes:
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
            continue
        holder, key = place.scope.text(node.value), place.scope.text(node.slice)
        texts = [f"{holder}.get({key})", *(f"{holder}.get({key}, {each})" for each in (*_EMPTY, key))]
        texts += [f"{holder}.get({key}, {name})" for name in place.scope.parameters[:4]]
        texts += [f"{holder}.setdefault({key}, {each})" for each in _EMPTY[:4]]
        for rank, text in enumerate(texts):
            for draft in place.scope.replace(node, text, 1.0 - 0.03 * rank):
                yield "missing-key", draft
        for draft in _leaving(place, f"{key} not in {holder}"):
            yield "missing-key", draft


def _missing_places(place: _Place) -> _Proposal:
    """Leave where a sequence is empty."""
    for node in _plain(place):
        for draft in _leaving(place, f"not {place.scope.text(node)}"):
            yield "empty-guard", draft


def _wrong_types(place: _Place) -> _Proposal:
    """Turn a value into the type that the message names."""
    named = [
        name
        for name in ("str", "int", "float", "list", "tuple", "bytes", "dict", "set")
        if name in place.error
    ]
    for node in place.nodes:
        parent = place.scope.parent(node)
        if isinstance(parent, (ast.Attribute, ast.Call)) and node is getattr(
            parent, "func", getattr(parent, "value", 0)
        ):
            continue
        for rank, name in enumerate(named):
            for draft in place.scope.replace(node, f"{name}({place.scope.text(node)})", 0.9 - 0.05 * rank):
                yield "wrong-type", draft


def _base_cases(place: _Place) -> _Proposal:
    """Leave a function that calls itself without end, where a parameter has a bordering value."""
    start = _start(place)
    if start is None:
        return
    at, indentation = start
    newline = place.scope.source.newline
    rank = 0
    for name in place.scope.parameters[:3]:
        for test in (f"not {name}", f"{name} <= 0", f"{name} <= 1", f"{name} == 0", f"len({name}) <= 1"):
            for value in (name, "0", "1", "[]", "None", "True", "False", "''", f"[{name}]"):
                text = f"{indentation}if {test}:{newline}{indentation}    return {value}{newline}"
                yield "base-case", Draft((Splice(at, at, text),), 1.0 - 0.004 * rank)
                rank += 1


def _unbound(place: _Place) -> _Proposal:
    """Yield a name a value before it is read."""
    match, start = _UNBOUND.match(place.error), _start(place)
    if match is None or start is None:
        return
    at, indentation = start
    values = ("None", "False", "0", "[]", "''", "{}", "True", "1", "set()", *place.scope.parameters[:4])
    for rank, value in enumerate(values):
        text = f"{indentation}{match.group(1)} = {value}{place.scope.source.newline}"
        yield "unbound", Draft((Splice(at, at, text),), 1.0 - 0.02 * rank)


def _start(place: _Place) -> tuple[int, str] | None:
    """Return the place of a function's first statement behind its docstring, and the indentation there."""
    node = place.scope.unit.node
    if not isinstance(node, FunctionNode):
        return None
    first = next((each for each in node.body if whole_lines(place.scope, each)), None)
    lines = whole_lines(place.scope, first) if first else None
    if first is None or lines is None:
        return None
    return (lines[1] if is_docstring(first) else lines[0]), indent_of(place.scope, first)


def _spelling(place: _Place) -> _Proposal:
    """Take a name that is spelt nearly alike."""
    match = _NOT_DEFINED.match(place.error) or _NO_ATTRIBUTE.match(place.error)
    if match is None:
        return
    scope, wrong = place.scope, match.group(1)
    known = {*scope.names, *scope.source.bound, *dir(builtins)}
    if place.error.startswith("AttributeError"):
        known = {each.attr for each in ast.walk(scope.source.tree) if isinstance(each, ast.Attribute)} | {
            *scope.methods
        }
    alike = difflib.get_close_matches(wrong, sorted(known - {wrong}), 8, 0.5)
    for node in place.nodes:
        for rank, name in enumerate(alike):
            if isinstance(node, ast.Name) and node.id == wrong:
                for draft in scope.replace(node, name, 1.0 - 0.03 * rank):
                    yield "spelling-of-name", draft
            elif isinstance(node, ast.Attribute) and node.attr == wrong:
                end = scope.source.span(node)[1]
                yield (
                    "spelling-of-name",
                    Draft((Splice(end - len(wrong.encode()), end, name),), 1.0 - 0.03 * rank),
                )


def _imports(place: _Place) -> _Proposal:
    """Import a name that nothing binds: a module, or what other files of the process import under it."""
    match = _NOT_DEFINED.match(place.error)
    if match is None:
        return
    name, source = match.group(1), place.scope.source
    words = [f"from {module} import {name}" for module in _offering(source, name)]
    try:
        found = importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        found = False
    at = source.offsets[_first_import(source).node.lineno - 1]
    for text in [*([f"import {name}"] if found else []), *words]:
        yield "missing-import", Draft((Splice(at, at, f"{text}{source.newline}"),))


def _offering(source: Source, name: str) -> list[str]:
    """Name the modules that hold a name: those that the file imports from first, then any that define it."""
    own = [
        node.module
        for node in source.tree.body
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]
    found = [module for module in own if hasattr(sys.modules.get(module), name)]
    for module, loaded in list(sys.modules.items()):
        value = vars(loaded).get(name) if hasattr(loaded, "__dict__") else None
        if getattr(value, "__module__", None) == module and not module.startswith("_"):
            found.append(module)
    return list(dict.fromkeys(found))[:4]


def _first_import(source: Source) -> Unit:
    """Return the first import that is not of `__future__`, else the first unit."""
    for unit in source.units:
        node = unit.node
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            return unit
    plain = [u for u in source.units if not isinstance(u.node, (ast.Expr, ast.ImportFrom))]
    return (plain or list(source.units))[0]


def _leaving(place: _Place, test: str) -> Iterator[Draft]:
    """Put a guard before the statement: leave in the ways that the function has, or with something empty."""
    lines = whole_lines(place.scope, place.statement)
    if lines is None:
        return
    scope = place.scope
    found = [
        scope.text(n) for n in scope.nodes if isinstance(n, (ast.Return, ast.Raise, ast.Continue, ast.Break))
    ]
    ways = [text for text in found if "\n" not in text][:6]
    ways += [
        "return None",
        "return",
        "continue",
        *(f"return {value}" for value in (*_EMPTY, "False", "True")),
    ]
    ways += [f"return {name}" for name in scope.parameters[:4]]
    indentation, newline = indent_of(scope, place.statement), scope.source.newline
    for rank, way in enumerate(dict.fromkeys(ways)):
        text = f"{indentation}if {test}:{newline}{indentation}    {way}{newline}"
        yield Draft((Splice(lines[0], lines[0], text),), 1.0 - 0.02 * rank)


def _plain(place: _Place) -> list[ast.expr]:
    """Return the names and attributes on the line that are values, not functions that are called."""
    return [
        node
        for node in place.nodes
        if isinstance(node, (ast.Name, ast.Attribute))
        and not (isinstance(node, ast.Name) and node.id in ("self", "cls"))
        and node is not getattr(place.scope.parent(node), "func", None)
    ]


_MENDS: dict[str, tuple[Callable[[_Place], _Proposal], ...]] = {
    "TypeError": (_none_guards, _wrong_types),
    "AttributeError": (_none_guards, _spelling),
    "KeyError": (_missing_keys,),
    "IndexError": (_missing_places,),
    "ZeroDivisionError": (_missing_places,),
    "StopIteration": (_missing_places,),
    "ValueError": (_missing_places,),
    "UnboundLocalError": (_unbound,),
    "RecursionError": (_base_cases,),
    "NameError": (_spelling,),
}
