"""The steps of a file of tests in Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from setpoint.checks.proof.instrument.given import given_in_python
from setpoint.checks.proof.instrument.steps import ENDS, Step, Stepped, guarded
from setpoint.model import syntax

_BRANCHES = ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.TryStar | ast.Match
_DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def python_steps(path: str, text: str) -> Stepped | None:
    """Number the statements that have a line of their own; none where the file cannot be read."""
    if not text.isascii() or "\r" in text or "\f" in text:  # offsets count bytes, and lines end by \n
        return None
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    body = [node for node in module.body if not _is_first(node)]
    if not body:
        return None
    starts = (0, *accumulate(len(line) for line in text.splitlines(keepends=True)))
    reader = _Reader(starts=starts)
    found = [*reader.block(module.body, -1, depends=False, guarded=False), *reader.lambdas(module)]
    alone = [
        each for each in found if each.expression or not text[starts[each.line - 1] : each.start].strip()
    ]
    decorators = getattr(body[0], "decorator_list", [])
    begin = starts[min(each.lineno for each in (body[0], *decorators)) - 1]
    steps = sorted(alone, key=lambda each: each.start)
    given = tuple(given_in_python(module, starts))
    return Stepped(path=path, text=text, begin=begin, steps=guarded(steps, given), given=given)


@dataclass(frozen=True, kw_only=True)
class _Reader:
    starts: tuple[int, ...]

    def block(self, body: list[ast.stmt], function: int, *, depends: bool, guarded: bool) -> Iterator[Step]:
        where = (self._start(body[0]), self._end(body[-1]))
        for node in body:
            if isinstance(node, _DEFINES):
                yield from self._defined(node, function)
                continue
            if not _is_first(node):
                yield Step(
                    start=self._start(node),
                    end=self._end(node),
                    line=node.lineno,
                    block=where,
                    function=function,
                    depends=depends,
                    guarded=guarded and node is body[-1],
                )
            inner = depends or isinstance(node, _BRANCHES)
            held = isinstance(node, ast.With | ast.AsyncWith)
            for each in _blocks(node):
                yield from self.block(each, function, depends=inner, guarded=held)
            depends = depends or _leaves(node)

    def _defined(self, node: _DEFINES, function: int) -> Iterator[Step]:
        own = function if isinstance(node, ast.ClassDef) else self._start(node)
        wrapped = not isinstance(node, ast.ClassDef) and bool(node.decorator_list)
        yield from self.block(node.body, own, depends=False, guarded=wrapped)

    def lambdas(self, module: ast.Module) -> Iterator[Step]:
        """Yield what functions are that have no name."""
        for node in ast.walk(module):
            if isinstance(node, ast.Lambda):
                start, end = self._start(node.body), self._end(node.body)
                yield Step(
                    start=start,
                    end=end,
                    line=node.body.lineno,
                    block=(start, end),
                    function=self._start(node),
                    expression=True,
                )

    def _start(self, node: ast.stmt | ast.expr) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.stmt | ast.expr) -> int:
        return self.starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _is_first(node: ast.stmt) -> bool:
    """Whether a statement is documentation, or has to come first in a file."""
    spoken = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return spoken or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        if block := getattr(node, field, None):
            yield block
    for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield each.body


def _leaves(node: ast.AST) -> bool:
    """Whether a statement can leave its block early in a run that passes."""
    if isinstance(node, ast.Return | ast.Break | ast.Continue | ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.Call) and ENDS.match(ast.unparse(node.func)):
        return not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value)
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    return any(_leaves(each) for each in ast.iter_child_nodes(node) if not isinstance(each, inner))
