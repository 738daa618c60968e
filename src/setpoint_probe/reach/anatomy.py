"""What there is to be tested in a source file: its functions, their lines and their branches.

Lines and branches are those of the common measure (Ned Batchelder's coverage.py): a statement counts at its
first line, a branch is a way that a condition, a loop or a case can go on to another line. Left out are
docstrings, bodies that are only `...`, blocks for type checkers and what is marked `pragma: no cover`.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

_PRAGMA = re.compile(r"#\s*(pragma|PRAGMA)[:\s]?\s*(no|NO)\s*(cover|COVER)")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_FORKS = (ast.If, ast.While, ast.For, ast.AsyncFor)
_MATCH: Any = getattr(ast, "Match", ())
_CASE: Any = getattr(ast, "match_case", ())
"""Python 3.9 has none, and then nothing is an instance of these."""
_HEADED: tuple[Any, ...] = (*_DEFINITIONS, *_FORKS, ast.With, ast.AsyncWith, ast.Try, _MATCH)

UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError)
"""What reading a file and taking it apart raises where it is no Python."""

Arc = tuple[int, int]
"""From a line to a line; 0 for the entry of a function, -1 for its end."""


class Branch(NamedTuple):
    """One of the two ways on from a line."""

    line: int
    taken: bool
    """Into the block behind the line, or past it."""


@dataclass(frozen=True)
class Function:
    """A function or method."""

    name: str
    """Qualified within the file, as in `Basket.total`."""
    owner: str
    """The class it is a method of; empty for a function."""
    first: int
    last: int
    lines: frozenset[int]
    """Statements of its body, without those of functions inside it."""
    branches: frozenset[Branch]
    complexity: int
    """Ways through it: 1 and one for each decision (McCabe 1976)."""


@dataclass(frozen=True)
class Anatomy:
    """What there is to be tested in one file."""

    lines: frozenset[int]
    branches: frozenset[Branch]
    functions: tuple[Function, ...]
    heads: dict[int, int]
    """First line of the statement that each line belongs to."""
    bodies: dict[int, int]
    """First line of the block behind each line that branches."""

    def lines_in(self, arcs: Iterable[Arc]) -> frozenset[int]:
        """Return the statements that were reached."""
        return self.lines.intersection({self.heads.get(line, line) for _, line in arcs if line > 0})

    def branches_in(self, arcs: Iterable[Arc]) -> frozenset[Branch]:
        """Return the branches that were taken."""
        found = set()
        for before, after in arcs:
            line = self.heads.get(before, before)
            to = self.heads.get(after, after)
            if line in self.bodies and to != line:
                found.add(Branch(line, to == self.bodies[line]))
        return self.branches.intersection(found)


def text_of(path: str | Path) -> str:
    """Read a source as Python reads it, whatever its encoding and line ends.

    Raises `OSError`, and `SyntaxError` or `ValueError` where the encoding is not known or does not fit.
    """
    return importlib.util.decode_source(Path(path).read_bytes())


def dissect(text: str, path: str) -> Anatomy:
    """Take a file apart; raises `SyntaxError` or `ValueError` where it is no Python."""
    tree = ast.parse(text)
    heads = dict(_heads(tree))
    left_out = _left_out(tree, text.split("\n"))  # a form feed ends no line
    code = compile(text, path, "exec", dont_inherit=True)
    lines = {heads.get(line, line) for line in _executable(code, frozenset())} - left_out
    bodies = dict(_bodies(tree, heads, lines))
    branches = frozenset(
        branch for node in ast.walk(tree) for branch in _branches(node, heads, bodies) if branch.line in lines
    )
    return Anatomy(
        lines=frozenset(lines),
        branches=branches,
        functions=tuple(_functions(tree, lines, branches)),
        heads=heads,
        bodies=bodies,
    )


def _heads(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Map the lines of each statement, or of its head where it has a body, to its first line."""
    for node in ast.walk(tree):
        if isinstance(node, _CASE):
            first, last = node.pattern.lineno, node.body[0].lineno - 1
        elif isinstance(node, ast.stmt):
            first, last = node.lineno, node.end_lineno or node.lineno
            if isinstance(node, _HEADED):
                inside = [inner.lineno for inner in _inner(node)]
                last = max(first, min([last, *(line - 1 for line in inside)]))
        else:
            continue
        for line in range(first, last + 1):
            yield line, first


def _inner(node: Any) -> Iterator[Any]:  # noqa: ANN401 - statements, and patterns of a match
    if isinstance(node, _MATCH):
        yield from (case.pattern for case in node.cases)
    else:
        yield from getattr(node, "body", [])


def _executable(code: CodeType, skipped: frozenset[int]) -> Iterator[int]:
    """Yield the lines of a code object and of those inside it, without the line of a function's head."""
    for _, _, line in code.co_lines():
        if line and line not in skipped:
            yield line
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            lines = {line for _, _, line in inner.co_lines() if line}
            head = {inner.co_firstlineno} if len(lines) > 1 and inner.co_name != "<module>" else set()
            yield from _executable(inner, frozenset(head))


def _left_out(tree: ast.Module, text: list[str]) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, *_DEFINITIONS)) and isinstance(body, list) and body:
            if _is_docstring(body[0]):
                found.add(body[0].lineno)
            if isinstance(node, _FUNCTIONS) and all(_says_nothing(each) for each in body):
                found.update(range(body[0].lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, (ast.stmt, ast.ExceptHandler)):
            head = node.lineno
            marked = head <= len(text) and _PRAGMA.search(text[head - 1])
            if marked or (isinstance(node, ast.If) and _for_checkers(node)):
                found.update(range(head, (_end(node) or head) + 1))
    return found


def _end(node: ast.stmt | ast.ExceptHandler) -> int:
    """Return the last line of what is marked: of an `if`, its own block."""
    if isinstance(node, ast.If):
        return node.body[-1].end_lineno or node.lineno
    return node.end_lineno or node.lineno


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _says_nothing(node: ast.stmt) -> bool:
    return _is_docstring(node) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
    )


def _for_checkers(node: ast.If) -> bool:
    test = node.test
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _bodies(tree: ast.Module, heads: dict[int, int], lines: Collection[int]) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        if not isinstance(node, (*_FORKS, _CASE)):
            continue
        line = node.pattern.lineno if isinstance(node, _CASE) else node.lineno
        inside = [heads.get(each.lineno, each.lineno) for each in node.body]
        body = next((each for each in inside if each in lines), 0)
        if body and body != line:
            yield line, body


def _branches(node: Any, heads: dict[int, int], bodies: dict[int, int]) -> Iterator[Branch]:  # noqa: ANN401 - any node of a tree
    if isinstance(node, _CASE):
        line = node.pattern.lineno
        certain = node.guard is None and getattr(node.pattern, "pattern", node) is None
    elif isinstance(node, _FORKS):
        line = node.lineno
        certain = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    else:
        return
    if line in bodies and heads.get(line) == line and not certain:
        yield Branch(line, taken=True)
        yield Branch(line, taken=False)


def _functions(tree: ast.Module, lines: Collection[int], branches: Collection[Branch]) -> Iterator[Function]:
    for node, name, owner in _defined(tree.body, "", ""):
        last = node.end_lineno or node.lineno
        own = set(range(node.body[0].lineno, last + 1))
        for inner in ast.walk(node):
            if inner is not node and isinstance(inner, _FUNCTIONS):
                own -= set(range(inner.body[0].lineno, (inner.end_lineno or inner.lineno) + 1))
        if node.body[0].lineno == node.lineno:
            own = {node.lineno}
        inside = own.intersection(lines)
        if inside:
            ways = frozenset(branch for branch in branches if branch.line in own)
            yield Function(name, owner, node.lineno, last, frozenset(inside), ways, _complexity(node))


def _defined(
    body: Iterable[ast.stmt], prefix: str, owner: str
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str, str]]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            yield node, f"{prefix}{node.name}", owner
            yield from _defined(node.body, f"{prefix}{node.name}.", "")
        elif isinstance(node, ast.ClassDef):
            yield from _defined(node.body, f"{prefix}{node.name}.", f"{prefix}{node.name}")
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from _defined(getattr(node, field, []), prefix, owner)
            for handler in getattr(node, "handlers", []):
                yield from _defined(handler.body, prefix, owner)


def _complexity(function: ast.AST) -> int:
    count = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, (*_FORKS, ast.IfExp, ast.ExceptHandler, _CASE, ast.Assert)):
            count += 1
    return count
