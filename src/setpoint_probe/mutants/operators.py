"""Mutants: small plain changes of a program that its tests ought to notice (DeMillo et al. 1978)."""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple

from ..source.hot_swap import Compiled, NotSwappable, compile_unit
from ..source.source import Edits, FunctionNode, Source, Unit
from ..templates import Draft, Scope, Template, by_node
from .thorough import thorough_drafts

_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_TELLING = frozenset(
    ("print", "warn", "warning", "debug", "info", "log", "error", "exception", "critical", "echo", "secho")
)
"""Calls that only tell something: their words are seldom worth a test."""


class Mutant(NamedTuple):
    """One change of one place."""

    source: Source
    unit: Unit
    edits: Edits
    operator: str
    """Name of the family of edits."""
    line: int
    """First line that is changed."""
    lines: tuple[int, int]
    """First and last line of the statement's head: tests that reach one of them can notice the mutant."""
    compiled: Compiled | None = None
    """What its function compiles to."""


class Operator(NamedTuple):
    """Which edits of a family are mutants."""

    most: int
    """How many of the likeliest edits are taken for one place."""
    text: str = ""
    """Only edits that put this text in; empty for any."""


OPERATORS: dict[str, Operator] = {
    "comparison": Operator(1),
    "arithmetic": Operator(1),
    "augmented": Operator(1),
    "boolean": Operator(1),
    "drop-sign": Operator(1),
    "negate": Operator(1),
    "negate-filter": Operator(1),
    "drop-part": Operator(8),
    "branches": Operator(1),
    "number": Operator(1),
    "truth": Operator(1),
    "string": Operator(1),
    "jump": Operator(1),
    "returned": Operator(1, "None"),
    "swap-arguments": Operator(1),
    "slice": Operator(1),
    "delete": Operator(1),
}
"""The families of edits that make mutants; each edit is one that a hurried person could have written."""


class Made(NamedTuple):
    """The mutants of some lines."""

    mutants: tuple[Mutant, ...]
    same: int
    """Changes left out because they compile to the same program as the original or as another mutant."""


def make(
    sources: Mapping[str, Source], wanted: Mapping[str, Collection[int]], seed: int, *, thorough: bool = False
) -> Made:
    """Make all mutants of the wanted lines (none given for a file: all), in a random order."""
    mutants: list[Mutant] = []
    same = 0
    asked = _Asked(by_node(), thorough=thorough)
    for path, source in sources.items():
        skipped = _not_mutated(source)
        for unit in source.units:
            original = _compiled(source, unit, ())
            programs = {_comparable(original)} if original else set()
            for mutant in _of_unit(Scope(source, unit), asked, wanted.get(path, ()), skipped):
                code = _compiled(source, unit, mutant.edits)
                if code is None:
                    continue
                program = _comparable(code)
                if program in programs:
                    same += 1
                else:
                    programs.add(program)
                    compiled = Compiled(original, code) if original and unit.is_function else None
                    mutants.append(mutant._replace(compiled=compiled))
    random.Random(seed).shuffle(mutants)  # noqa: S311 - draws a sample, keeps no secret
    return Made(tuple(mutants), same)


class _Asked(NamedTuple):
    """Which families are made."""

    templates: Mapping[type[ast.AST], tuple[Template, ...]]
    thorough: bool

    def drafts(self, scope: Scope, node: ast.AST) -> Iterator[tuple[str, Draft]]:
        """Return the edits of one place, each with the name of its family."""
        for template in self.templates.get(type(node), ()):
            operator = OPERATORS.get(template.name)
            if operator is not None and _makes_sense(template.name, scope, node, self.thorough):
                for draft in _chosen(operator, template.propose(scope, node)):
                    yield template.name, draft
        if self.thorough:
            yield from thorough_drafts(scope, node)


def _of_unit(
    scope: Scope,
    asked: _Asked,
    wanted: Collection[int],
    skipped: Collection[ast.AST],
) -> Iterator[Mutant]:
    seen: set[Edits] = set()
    for node in scope.nodes:
        if node in skipped:
            continue
        for name, draft in asked.drafts(scope, node):
            mutant = _mutant(scope, node, name, draft)
            if mutant.edits not in seen and (not wanted or mutant.line in wanted):
                seen.add(mutant.edits)
                yield mutant


def _chosen(operator: Operator, drafts: Iterator[Draft]) -> Iterator[Draft]:
    fitting = (
        draft
        for draft in drafts
        if not operator.text or any(edit.text == operator.text for edit in draft.edits)
    )
    for count, draft in enumerate(fitting, start=1):
        yield draft
        if count == operator.most:
            return


def _mutant(scope: Scope, node: ast.AST, operator: str, draft: Draft) -> Mutant:
    edits = tuple(sorted(draft.edits))
    line = scope.source.data.count(b"\n", 0, edits[0].start) + 1
    statement = scope.statement(node)
    body = getattr(statement, "body", None)
    last = statement.end_lineno or statement.lineno
    if isinstance(body, list) and body:
        last = max(statement.lineno, int(body[0].lineno) - 1)
    return Mutant(scope.source, scope.unit, edits, operator, line, (min(line, statement.lineno), last))


def _makes_sense(operator: str, scope: Scope, node: ast.AST, thorough: bool) -> bool:  # noqa: FBT001 - called in one place
    """Leave out what another operator makes too, and what only changes the words of a message."""
    if operator == "negate":
        test = getattr(node, "test", None)
        plain = isinstance(test, ast.Compare) and len(test.ops) == 1
        return not (plain and not isinstance(test.ops[0], _ORDERINGS))  # type: ignore[union-attr]  # a Compare here
    if operator == "truth":
        return isinstance(getattr(node, "value", None), bool)
    if operator == "returned":
        value = getattr(node, "value", None)
        return isinstance(node, ast.Return) and not (isinstance(value, ast.Constant) and value.value is None)
    if operator == "delete":
        return _worth_deleting(node, thorough)
    return thorough or not _in_message(scope, node)


def _worth_deleting(node: ast.AST, thorough: bool) -> bool:  # noqa: FBT001 - called in one place
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and (thorough or _called(node.value) not in _TELLING)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    return isinstance(node, (ast.Raise, ast.Delete))


def _in_message(scope: Scope, node: ast.AST) -> bool:
    """Whether an expression is part of an error, of an assertion or of what is only told."""
    if isinstance(node, ast.stmt):
        return False
    at: ast.AST | None = node
    while at is not None and not isinstance(at, ast.stmt):
        if isinstance(at, ast.Call) and _called(at) in _TELLING:
            return True
        at = scope.parent(at)
    return isinstance(at, (ast.Raise, ast.Assert))


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _not_mutated(source: Source) -> frozenset[ast.AST]:
    """Return nodes that no test can be asked to notice: annotations, exports, guards for type checkers."""
    found: set[ast.AST] = set()
    for node in ast.walk(source.tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.arg):
            parts = [node.annotation]
        elif isinstance(node, FunctionNode):
            parts = [node.returns]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif _is_aside(node):
            parts = [node]
        for part in parts:
            if part is not None:
                found.update(ast.walk(part))
    return frozenset(found)


def _is_aside(node: ast.AST) -> bool:
    """Whether it is what only the type checker or the main program sees, or a name like `__all__`."""
    if isinstance(node, ast.If):
        names = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node.test)}
        return bool(names & {"TYPE_CHECKING", "__name__"})
    return isinstance(node, ast.Assign) and any(_is_dunder(target) for target in node.targets)


def _is_dunder(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.startswith("__") and target.id.endswith("__")


def _compiled(source: Source, unit: Unit, edits: Edits) -> CodeType | None:
    try:
        return compile_unit(source, unit, edits)
    except (SyntaxError, NotSwappable):
        return None


def _comparable(code: CodeType) -> tuple[Any, ...]:
    """Return what a unit compiles to, comparable and free of places."""
    constants = tuple(
        _comparable(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each))
        for each in code.co_consts
    )
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, constants)
