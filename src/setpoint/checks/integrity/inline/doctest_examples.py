"""Examples in docstrings and texts that the project runs as tests: whether a change keeps them."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from setpoint.checks.integrity.additions import REACHING
from setpoint.model import syntax

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_STEERS = ("__doc__", "__test__")
"""Names by which a module gives its examples at run time."""


@dataclass(frozen=True, kw_only=True)
class Examples:
    """The examples of one docstring or text."""

    name: str
    """The definition, or empty for the module or text."""
    examples: tuple[tuple[str, str, str], ...]
    """Source, wanted output and options of each."""


def ran_in(tests: Iterable[str]) -> frozenset[str]:
    """Return the files of which examples ran, of the identifiers of tests."""
    found = set()
    for test in tests:
        path, separator, rest = test.partition("::")
        name = path.rpartition("/")[2]
        first = rest.partition("::")[0].partition("[")[0]
        of_python = path.endswith(".py") and (not first.isidentifier() or first == name.removesuffix(".py"))
        of_text = path.endswith((".rst", ".txt", ".md")) and first == name
        if separator and (of_python or of_text):
            found.add(path)
    return frozenset(found)


def examples_of(path: str, text: str) -> tuple[Examples, ...]:
    """Return the examples of a file, one entry for each docstring that has some; a text is one entry."""
    if not path.endswith(".py"):
        return _parsed("", text)
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(each for name, held in _docstrings(module.body, module, "") for each in _parsed(name, held))


def lost(
    before: Mapping[str, str], after: Mapping[str, str], ran: Collection[str]
) -> list[tuple[str, str, str]]:
    """Return path, definition and what was done to it; `ran` are the files whose examples ran."""
    standing = [each for path, text in after.items() for each in examples_of(path, text)]
    found: list[tuple[str, str, str]] = []
    for path in sorted(before.keys() & ran):
        named = {each.name: each for each in examples_of(path, after.get(path, ""))}
        for old in examples_of(path, before[path]):
            if not any(_kept(old.examples, each.examples) for each in standing):
                what = "was edited" if old.name in named else "is gone"
                found.append((path, old.name, f"the example in the documentation {what}"))
        if _steered(after.get(path, "")) > _steered(before[path]):
            found.append((path, "", "the documentation is replaced at run time"))
    return found


def without_moved(
    tests: Iterable[str], before: Mapping[str, str], after: Mapping[str, str], now: Collection[str]
) -> tuple[str, ...]:
    """Leave out examples that run from another place: a module became a package, a function moved.

    Both maps are source text by path; `now` names the tests that ran.
    """
    standing = [
        each.examples
        for path in sorted(ran_in(now) & after.keys())
        for each in examples_of(path, after[path])
        if any(_is_of(test, path, each.name) for test in now)
    ]

    def runs(test: str) -> bool:
        path = test.partition("::")[0]
        held = examples_of(path, before[path]) if ran_in((test,)) & before.keys() else ()
        return any(
            _is_of(test, path, old.name) and any(_kept(old.examples, new) for new in standing) for old in held
        )

    return tuple(test for test in tests if not runs(test))


def _is_of(test: str, path: str, name: str) -> bool:
    """Whether a test runs the examples of a definition; pytest puts the name of the module before it."""
    file, _, told = test.partition("::")
    module, dot, rest = told.rpartition(f".{name}") if name else (told, ".", "")
    modules = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return file == path and bool(dot) and not rest and f".{modules}".endswith(f".{module}")


def _docstrings(
    body: Sequence[ast.stmt], owner: ast.Module | _Definition, name: str
) -> list[tuple[str, str]]:
    held = ast.get_docstring(owner, clean=False)
    found = [(name, held)] if held else []
    for node in body:
        if isinstance(node, _Definition):
            found += _docstrings(node.body, node, f"{name}.{node.name}".lstrip("."))
    return found


def _parsed(name: str, text: str) -> tuple[Examples, ...]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return ()
    told = tuple(
        (each.source.strip(), each.want.strip(), repr(sorted(each.options.items()))) for each in found
    )
    return (Examples(name=name, examples=told),) if told else ()


def _kept(old: Sequence[tuple[str, str, str]], new: Sequence[tuple[str, str, str]]) -> bool:
    """Whether all examples are there in order, and what was put between them binds none of their names."""
    used = {name for source, _, _ in old for name in _names(source)} | REACHING
    wanted = list(old)
    for each in new:
        if not wanted:
            return True
        if each == wanted[0]:
            wanted.pop(0)
        elif _binds(each[0]) & used or _names(each[0]) & REACHING:
            return False
    return not wanted


def _names(source: str) -> set[str]:
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in _walked(source)
        if isinstance(each, ast.Name | ast.Attribute)
    }


def _binds(source: str) -> set[str]:
    """Name what an example binds; an assignment to an attribute binds whatever it belongs to."""
    found = set[str]()
    for node in _walked(source):
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, _Definition):
            found.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not isinstance(
            node.ctx, ast.Load
        ):
            found |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found


def _walked(source: str) -> Iterable[ast.AST]:
    try:
        return ast.walk(syntax.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _steered(source: str) -> int:
    """Count the places that bind the documentation of something, or the module's own table of examples."""
    return sum(
        not isinstance(node.ctx, ast.Load)
        and (node.attr if isinstance(node, ast.Attribute) else node.id) in _STEERS
        for node in _walked(source)
        if isinstance(node, ast.Name | ast.Attribute)
    )
