"""Edits of statements: taken out, put in, moved, guarded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..source.source import FunctionNode, Splice
from .places import indent_of, is_docstring, whole_lines
from .scope import Draft, Scope, Template

_SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.Expr,
    ast.Return,
    ast.Continue,
    ast.Break,
    ast.Raise,
    ast.Delete,
    ast.AnnAssign,
)
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_LONGEST = 80


def delete(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Take a statement out."""
    lines = whole_lines(scope, node)
    if lines is None or isinstance(node, ast.Pass):
        return
    others = [each for each in scope.block_of(node) if each is not node]
    yield Draft((Splice(*lines, "" if others else f"{indent_of(scope, node)}pass{scope.source.newline}"),))


def swap(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Exchange a statement with the one before it."""
    block = scope.block_of(node)
    place = _place(block, node)
    if place < 1:
        return
    first, second = whole_lines(scope, block[place - 1]), whole_lines(scope, node)
    if first and second:
        a, b = scope.source.between(*first), scope.source.between(*second)
        newline = scope.source.newline
        if not b.endswith("\n"):
            b, a = b + newline, a.rstrip("\r\n")
        yield Draft((Splice(*first, b), Splice(*second, a)))


def dedent(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Move the last statement of a block out behind it."""
    parent = scope.parent(node)
    block = scope.block_of(node)
    lines = whole_lines(scope, node)
    if not isinstance(parent, _COMPOUND) or lines is None or len(block) < 2 or block[-1] is not node:  # noqa: PLR2004 - one has to stay
        return
    if node.end_lineno == parent.end_lineno:
        yield Draft((Splice(*lines, _moved(scope, lines, parent.col_offset - node.col_offset)),))


def indent(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Move a statement into the end of the block before it."""
    block = scope.block_of(node)
    place = _place(block, node)
    lines = whole_lines(scope, node)
    if place < 1 or lines is None or not isinstance(block[place - 1], _COMPOUND):
        return
    before = block[place - 1]
    inner = getattr(before, "finalbody", []) or getattr(before, "orelse", []) or getattr(before, "body", [])
    shift = inner[-1].col_offset - node.col_offset
    if shift > 0 and inner[-1].lineno > before.lineno:
        yield Draft((Splice(*lines, _moved(scope, lines, shift)),))


def unwrap(scope: Scope, node: ast.If | ast.With | ast.Try | ast.For | ast.While) -> Iterator[Draft]:
    """Do without condition what stands under one; or run what stands in a loop once."""
    lines = whole_lines(scope, node)
    if lines is None or node.body[0].lineno == node.lineno:
        return
    inner = scope.source.lines_span(node.body[0].lineno, node.body[-1].end_lineno or node.lineno)
    yield Draft((Splice(*lines, _moved(scope, inner, node.col_offset - node.body[0].col_offset)),))


def jump(scope: Scope, node: ast.Break | ast.Continue | ast.Pass) -> Iterator[Draft]:
    """Leave a loop instead of going on with it, go on instead of leaving."""
    words = ["break", "continue", "pass", "return"]
    for word in words:
        if word != scope.text(node):
            yield Draft((Splice(*scope.source.span(node), word),))


def insert(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Put in a statement that the function has elsewhere, or a small one on its names."""
    lines = whole_lines(scope, node)
    if lines is None or isinstance(node, FunctionNode) or is_docstring(node):
        return
    indentation, newline = indent_of(scope, node), scope.source.newline
    last = scope.block_of(node)[-1:] == [node] and not isinstance(node, _LEAVING)
    ends_open = not scope.source.between(*lines).endswith("\n")
    for text, factor in _donated(scope):
        yield Draft((Splice(lines[0], lines[0], f"{indentation}{text}{newline}"),), factor)
        if last:
            start = newline if ends_open else ""
            yield Draft((Splice(lines[1], lines[1], f"{start}{indentation}{text}{newline}"),), factor)


def fill(scope: Scope, node: ast.Pass) -> Iterator[Draft]:
    """Do something where nothing is done: what `insert` would put in."""
    for text, factor in _donated(scope):
        yield Draft((Splice(*scope.source.span(node), text),), factor)


def guard(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Leave the function early where a parameter has a bordering value."""
    unit = scope.unit.node
    lines = whole_lines(scope, node)
    if lines is None or not isinstance(unit, FunctionNode) or node not in unit.body[:2] or is_docstring(node):
        return
    indentation, newline = indent_of(scope, node), scope.source.newline
    for rank, name in enumerate(scope.parameters[:4]):
        tests = [f"not {name}", f"{name} is None", f"len({name}) <= 1"]
        numbers = [f"{name} == 0", f"{name} < 0", f"{name} <= 1"]
        tests = [*numbers, *tests] if _is_counted(scope, name) else [*tests, *numbers]
        for place, test in enumerate(tests):
            for value_place, value in enumerate((name, "None", "[]", "0", "1", "False", "True", "''")):
                text = f"{indentation}if {test}:{newline}{indentation}    return {value}{newline}"
                factor = 1.0 - 0.1 * rank - 0.004 * place - 0.002 * value_place
                yield Draft((Splice(lines[0], lines[0], text),), factor)


def _is_counted(scope: Scope, name: str) -> bool:
    """Return whether a name stands in a calculation, as numbers do."""
    return any(
        isinstance(node, ast.BinOp) and name in (scope.text(node.left), scope.text(node.right))
        for node in scope.nodes
    )


def guarded(scope: Scope, node: ast.stmt) -> Iterator[Draft]:
    """Do a statement only under a condition that the function knows."""
    lines = whole_lines(scope, node)
    if lines is None or not isinstance(node, _SIMPLE) or is_docstring(node):
        return
    indentation, newline = indent_of(scope, node), scope.source.newline
    body = _moved(scope, lines, 4)
    tests = [*scope.conditions]
    for name in scope.values[:8]:
        tests += [name, f"not {name}", f"{name} is not None", f"{name} is None"]
    for rank, test in enumerate(dict.fromkeys(tests)):
        yield Draft((Splice(*lines, f"{indentation}if {test}:{newline}{body}"),), 1.0 - 0.015 * rank)


def _donated(scope: Scope) -> Iterator[tuple[str, float]]:
    """Yield one-line statements: the function's own, small ones on its names, own ones renamed."""
    simple = [
        node
        for block in scope.blocks
        for node in block
        if isinstance(node, _SIMPLE) and not is_docstring(node)
    ]
    own = {scope.text(node): node for node in simple}
    short = [(text, node) for text, node in own.items() if "\n" not in text and len(text) < _LONGEST][:30]
    found: dict[str, float] = {text: 1.0 for text, _ in short}
    for text in ("return", "return None", "return True", "return False", "break", "continue"):
        found.setdefault(text, 0.7)
    for text, factor in _small(scope):
        found.setdefault(text, factor)
    for text, node in short:
        for varied in _renamed(scope, text, node):
            found.setdefault(varied, 0.5)
    yield from found.items()


def _small(scope: Scope) -> Iterator[tuple[str, float]]:
    for name in scope.values[:10]:
        for text in (f"{name} += 1", f"{name} -= 1", f"return {name}", f"{name} = None", f"{name} = 0"):
            yield text, 0.6
        for other in scope.values[:10]:
            if other != name:
                yield f"{name} = {other}", 0.6
                if name in scope.sequences:
                    yield f"{name}.append({other})", 0.55
                if other not in scope.sequences and other not in scope.numbers:
                    yield f"{name} = {other}({name})", 0.4


def _renamed(scope: Scope, text: str, node: ast.stmt) -> Iterator[str]:
    used = sorted({each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & set(scope.values))
    for old in used[:3]:
        for new in scope.values[:8]:
            if new != old:
                yield re.sub(rf"\b{re.escape(old)}\b", new, text)


def _moved(scope: Scope, lines: tuple[int, int], shift: int) -> str:
    """Return lines with more or less indentation; lines inside strings move too, that the tests will tell."""
    moved: list[str] = []
    for line in scope.source.between(*lines).splitlines(keepends=True):
        if not line.strip():
            moved.append(line)
        elif shift >= 0:
            moved.append(" " * shift + line)
        else:
            moved.append(line[min(-shift, len(line) - len(line.lstrip())) :])
    return "".join(moved)


def _place(block: list[ast.stmt], node: ast.stmt) -> int:
    return next((place for place, each in enumerate(block) if each is node), -1)


_ANY = (*_SIMPLE, *_COMPOUND, ast.Pass, ast.Assert)
TEMPLATES = (
    Template("delete", 0.4, _ANY, delete, "a statement taken out", 2),
    Template("swap-statements", 0.35, _ANY, swap, "two statements exchanged", 2),
    Template("dedent", 0.45, _ANY, dedent, "a statement moved out of a block", 2),
    Template("indent", 0.4, _ANY, indent, "a statement moved into a block", 2),
    Template(
        "unwrap-block",
        0.35,
        (ast.If, ast.With, ast.Try, ast.For, ast.While),
        unwrap,
        "a block without its head",
        3,
    ),
    Template(
        "jump",
        0.6,
        (ast.Break, ast.Continue, ast.Pass),
        jump,
        "break, continue, pass or return for one another",
    ),
    Template("insert", 0.3, _ANY, insert, "a statement put in", 3),
    Template("fill", 0.5, (ast.Pass,), fill, "something where nothing was done", 2),
    Template("guard", 0.16, _ANY, guard, "an early return for a bordering value", 3),
    Template("guarded", 0.2, _SIMPLE, guarded, "a statement under a condition", 3),
)
