"""Find the assertions of tests in Python, and turn each round: the test must then fail."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from setpoint.checks.integrity.assertion_strength import cannot_fail
from setpoint.checks.proof.assertions.assertion import Arm, Assertion, Assertions, Edit, Owner, shown
from setpoint.model import syntax

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MORE = """


def setpoint_otherwise(value):
    import inspect

    kinds = (inspect.isawaitable, inspect.isroutine, inspect.isgenerator, inspect.isclass, inspect.ismodule)
    if any(kind(value) for kind in kinds) or type(value).__module__ == "unittest.mock":
        return value  # it is true whatever it holds
    return not value
"""
_RAISING = re.compile(
    r"(?:pytest\.)?(?:raises|warns|deprecated_call)$|(?:^|\.)assert(?:Raises|Warns|Logs)\w*$"
)
_ASSERTS = re.compile(r"(?:^|\.)_?assert\w*$")
_TRUTH = ("assertTrue", "assertFalse", "assert_")
_FAILS = re.compile(r"(?:^|\.)(?:fail|skip\w*|_?assert\w*)$")
_PLATFORM = re.compile(r"\b(?:sys|os|platform)\b|version|platform", re.IGNORECASE)
_COMPARES = ast.Compare | ast.BoolOp


def python_assertions(path: str, source: bytes) -> Assertions:
    """Return the assertions of a file of tests, by the outermost function or method that holds them."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Assertions(())
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    owners = []
    for name, node in _functions(module, ""):
        found = _Reader(path=path, source=source, starts=starts, owner=name)
        found.read(node.body, ())
        owners.append(
            Owner(
                name=name,
                is_test=node.name.startswith("test") or node.name.endswith("_test"),
                body=ast.dump(node),
                words=frozenset(_words(node)),
                assertions=tuple(found.found),
            )
        )
    return Assertions(tuple(owners), _MORE)


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield f"{inside}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{inside}{child.name}::")
        elif isinstance(child, ast.stmt):
            yield from _functions(child, inside)


def _words(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        for name in ("id", "attr", "arg"):
            if isinstance(word := getattr(each, name, None), str):
                yield word


@dataclass(kw_only=True)
class _Reader:
    """Reads the assertions of one function."""

    path: str
    source: bytes
    starts: list[int]
    owner: str
    found: list[Assertion] = field(default_factory=list)

    def read(self, body: list[ast.stmt], arms: tuple[Arm, ...], *, elsewhere: bool = False) -> None:
        """Read statements one by one; what they hold comes after them."""
        for statement in body:
            self._of(statement, arms, elsewhere=elsewhere)
            for branch, inner, other in _branches(statement):
                around = (Arm(self._place(statement), branch), *arms) if branch else arms
                self.read(inner, around, elsewhere=elsewhere or other)

    def _of(self, statement: ast.stmt, arms: tuple[Arm, ...], *, elsewhere: bool) -> None:
        if isinstance(statement, ast.Assert):
            units = self._assert(statement)
        elif isinstance(statement, ast.Expr):
            units = self._expression(statement)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            units = self._with(statement)
        elif isinstance(statement, ast.Try):
            units = self._try(statement)
        else:
            return
        self.found += [each._replace(arms=arms, elsewhere=elsewhere) for each in units]

    def _assert(self, node: ast.Assert) -> Iterator[Assertion]:
        if isinstance(node.test, ast.Constant) and not node.test.value:
            return
        if cannot_fail(node.test):
            yield self._empty(node, "it is true whatever the code does")
            return
        for each in _demands(node.test):
            yield self._assertion(node, self._otherwise(each))
        if node.msg is not None and isinstance(node.msg, _COMPARES):
            yield self._empty(node, f"`{self._text(node.msg)}` is its message, and is not compared")

    def _expression(self, node: ast.Expr) -> Iterator[Assertion]:
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Attribute) and _ASSERTS.search(ast.unparse(value)):
            yield self._empty(node, "it is not called")
        if not isinstance(value, ast.Call):
            return
        name = ast.unparse(value.func)
        if _RAISING.search(name) and not value.args[1:]:
            if not isinstance(node.value, ast.Await):
                yield self._empty(node, "nothing is called in it")
        elif name.rpartition(".")[2] in _TRUTH and value.args:
            yield from self._truth(node, value)
        elif _ASSERTS.search(name) or _RAISING.search(name):
            yield from self._call(node, value)

    def _truth(self, node: ast.Expr, call: ast.Call) -> Iterator[Assertion]:
        first, negated = call.args[0], ast.unparse(call.func).endswith("False")
        tested = ast.UnaryOp(op=ast.Not(), operand=first) if negated else first
        if cannot_fail(tested):
            yield self._empty(node, "it is true whatever the code does")
        else:
            yield self._assertion(node, self._otherwise(first))
        if len(call.args) > 1 and (
            isinstance(call.args[1], _COMPARES)
            or (isinstance(call.args[1], ast.Constant) and not isinstance(call.args[1].value, str))
        ):
            yield self._empty(node, f"`{self._text(call.args[1])}` is its message, and is not compared")

    def _call(self, node: ast.Expr, call: ast.Call) -> Iterator[Assertion]:
        same = len(call.args) > 1 and ast.dump(call.args[0]) == ast.dump(call.args[1])
        if same and ast.unparse(call.func).rpartition(".")[2].startswith(("assertEqual", "assertIs")):
            yield self._empty(node, "both sides are the same")
            return
        begin = self._at(node.lineno, node.col_offset)
        yield self._assertion(node, Edit(begin, begin, 'raise AssertionError("turned round"); '))

    def _with(self, node: ast.With | ast.AsyncWith) -> Iterator[Assertion]:
        calls = [each.context_expr for each in node.items if isinstance(each.context_expr, ast.Call)]
        if any(_RAISING.search(ast.unparse(each.func)) for each in calls):
            first, last = node.body[0], node.body[-1]
            begin = self._at(first.lineno, first.col_offset)
            end = self._at(last.end_lineno or 0, last.end_col_offset or 0)
            yield self._assertion(node, Edit(begin, end, "pass"))

    def _try(self, node: ast.Try) -> Iterator[Assertion]:
        """Let nothing happen where a handler asserts something: the test has to demand an exception."""
        handled = [each for handler in node.handlers for each in ast.walk(handler)]
        if not any(isinstance(each, ast.Assert) or _is_call(each, _ASSERTS) for each in handled):
            return
        edits = [
            Edit(
                self._at(each.lineno, each.col_offset),
                self._at(each.end_lineno or 0, each.end_col_offset or 0),
                "pass",
            )
            for each in node.body
            if not isinstance(each, ast.Assert | ast.Raise)
            and not (isinstance(each, ast.Expr) and _is_call(each.value, _FAILS))
        ]
        if edits:
            yield self._assertion(node, *edits)

    def _otherwise(self, node: ast.expr) -> Edit:
        text = self._text(node, whole=True)
        plain = isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)
        begin, end = (
            self._at(node.lineno, node.col_offset),
            self._at(node.end_lineno or 0, node.end_col_offset or 0),
        )
        return Edit(begin, end, f"(not ({text}))" if plain else f"setpoint_otherwise({text})")

    def _assertion(self, node: ast.stmt, *edits: Edit) -> Assertion:
        return Assertion(self.path, node.lineno, self._text(node), self.owner, edits)

    def _empty(self, node: ast.stmt, why: str) -> Assertion:
        return Assertion(self.path, node.lineno, self._text(node), self.owner, empty=why)

    def _text(self, node: ast.stmt | ast.expr, *, whole: bool = False) -> str:
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        text = self.source[self._at(node.lineno, node.col_offset) : self._at(*end)].decode("utf-8", "replace")
        return text if whole else shown(text.partition("\n")[0] if isinstance(node, ast.With) else text)

    def _place(self, node: ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def _at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column


def _demands(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what an assertion demands: each part of an `and`, and all of everything else."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for each in test.values:
            yield from _demands(each)
    else:
        yield test


def _is_call(node: ast.AST, name: re.Pattern[str]) -> bool:
    return isinstance(node, ast.Call) and name.search(ast.unparse(node.func)) is not None


def _branches(node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt], bool]]:
    """Yield the bodies in a statement, each with its branch, and whether it is for some platforms alone."""
    if isinstance(node, ast.If):
        other = _PLATFORM.search(ast.unparse(node.test)) is not None
        yield "if", node.body, other
        yield "else", node.orelse, other
    elif isinstance(node, ast.Try):
        yield "body", node.body, False
        for place, handler in enumerate(node.handlers):
            yield f"except {place}", handler.body, False
        yield "else", node.orelse, False
        yield "", node.finalbody, False
    elif isinstance(node, ast.Match):
        for place, case in enumerate(node.cases):
            yield f"case {place}", case.body, False
    else:
        for name in ("body", "orelse"):
            yield "", getattr(node, name, []), False
