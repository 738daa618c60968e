"""What a template may know of the function it edits, and how it writes its edits."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ..source.source import FunctionNode, Source, Splice, Unit, bound_names

_SHORT = 48
_DONORS = 40
_ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.JoinedStr,
)
_TIGHT = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.UnaryOp,
    ast.Attribute,
    ast.Await,
    ast.IfExp,
    ast.comprehension,
)
_WORD = re.compile(r"[\w.]+|'[^']*'|\"[^\"]*\"")
_LOOSER: tuple[tuple[type[ast.AST], tuple[type[ast.AST], ...]], ...] = (
    (ast.BoolOp, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.Tuple)),
    (ast.comprehension, (ast.IfExp, ast.Lambda, ast.Tuple)),
    (ast.IfExp, (ast.IfExp, ast.Lambda, ast.Tuple)),
    (ast.Compare, (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.Tuple)),
)
"""What binds more loosely than these, and so needs parentheses inside them; all else needs them anyway."""
_PLACED = (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.ExceptHandler, ast.comprehension)
_SIZED = frozenset(
    ("len", "sorted", "set", "list", "sum", "enumerate", "max", "min", "any", "all", "tuple", "iter")
)


class Draft(NamedTuple):
    """One edit that a template proposes."""

    edits: tuple[Splice, ...]
    factor: float = 1.0
    """Multiplies the template's prior: how likely this variant is among those of its family."""


class Template(NamedTuple):
    """One family of edits."""

    name: str
    prior: float
    """How often, by experience, a bug is mended by it; compares families only."""
    nodes: tuple[type[ast.AST], ...]
    """Syntax that it looks at."""
    propose: Callable[[Scope, Any], Iterator[Draft]]
    doc: str
    size: int = 1
    """How big an edit it is: 1 one token, 2 an expression, 3 a statement."""


class Scope:
    """A unit with the names, expressions and statements that edits may draw on."""

    def __init__(self, source: Source, unit: Unit) -> None:
        """Look at a unit; everything else is worked out when it is asked for."""
        self.source = source
        self.unit = unit
        self.nodes = tuple(
            node for node in ast.walk(unit.node) if isinstance(node, _PLACED) and not self._in_fstring(node)
        )

    def _in_fstring(self, node: ast.AST) -> bool:
        """Whether a node stands in an f-string, where older Pythons give no true columns."""
        while node is not self.unit.node:
            node = self.source.parents[node]
            if isinstance(node, ast.JoinedStr):
                return True
        return False

    def text(self, node: ast.AST) -> str:
        """Return the text of a node."""
        return self.source.node_text(node)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around a node."""
        return self.source.parents.get(node)

    def is_called(self, node: ast.AST) -> bool:
        """Return whether a node is what a call calls."""
        parent = self.parent(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def is_value(self, node: ast.expr) -> bool:
        """Return whether other expressions can stand here: it is read, not called, and no statement alone."""
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or self.is_called(node):
            return False
        return not isinstance(self.parent(node), (ast.Attribute, ast.Expr))

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement that a node belongs to."""
        while not isinstance(node, ast.stmt):
            node = self.source.parents[node]
        return node

    def replace(self, node: ast.AST, text: str, factor: float = 1.0) -> Iterator[Draft]:
        """Propose another text for an expression, in parentheses where its place needs them."""
        if text == self.text(node):
            return
        if self._needs_parentheses(node, text):
            text = f"({text})"
        yield Draft((Splice(*self.source.span(node), text),), factor)

    def gap(self, left: ast.AST, right: ast.AST, old: str, new: str, factor: float = 1.0) -> Iterator[Draft]:
        """Propose another operator between two nodes."""
        start, end = self.source.span(left)[1], self.source.span(right)[0]
        between = self.source.between(start, end)
        if between.count(old) == 1 and "#" not in between:
            yield Draft((Splice(start, end, between.replace(old, new)),), factor)

    def exchange(self, left: ast.AST, right: ast.AST, factor: float = 1.0) -> Iterator[Draft]:
        """Propose two nodes the other way round."""
        a, b = self.text(left), self.text(right)
        if a != b:
            yield Draft((Splice(*self.source.span(left), b), Splice(*self.source.span(right), a)), factor)

    def operand(self, node: ast.AST) -> str:
        """Return the text of an expression, in parentheses unless it is atomic."""
        text = self.text(node)
        return (
            text
            if isinstance(node, _ATOMS) or text[:1] == "(" == text[-1:].replace(")", "(")
            else f"({text})"
        )

    def _needs_parentheses(self, node: ast.AST, text: str) -> bool:
        """Return whether an expression would fall apart, or tear others apart, in the place of a node."""
        parent = self.parent(node)
        is_head = node is getattr(parent, "func", None) or node is getattr(parent, "value", None)
        if isinstance(parent, (ast.Call, ast.Subscript, ast.Starred)) and not is_head:
            return False
        if not isinstance(parent, (*_TIGHT, ast.Call, ast.Subscript, ast.Starred)) or _WORD.fullmatch(text):
            return False
        try:
            new = ast.parse(text, mode="eval").body
        except SyntaxError:
            return False
        if isinstance(new, _ATOMS) or (isinstance(new, ast.Tuple) and text[0] == "("):
            return False
        loose = next((kinds for kind, kinds in _LOOSER if isinstance(parent, kind)), None)
        return (
            loose is None
            or isinstance(new, loose)
            or (isinstance(parent, ast.Compare) and text.startswith("not "))
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that the function binds: parameters first, then variables."""
        found = [node.arg for node in self.nodes if isinstance(node, ast.arg)]
        found += [
            node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        return tuple(dict.fromkeys(name for name in found if name != "_"))

    @cached_property
    def unbound(self) -> tuple[str, ...]:
        """Names that the function reads and nothing around it binds."""
        known = {name for node in ast.walk(self.unit.node) for name in bound_names(node)} | self.source.bound
        read = [
            node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        return tuple(
            dict.fromkeys(name for name in read if name not in known and not hasattr(builtins, name))
        )

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Names without `self` and `cls`, and at most two dozen."""
        return tuple(name for name in self.names if name not in ("self", "cls"))[:24]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Parameters of the function itself, without `self` and `cls`."""
        node = self.unit.node
        if not isinstance(node, FunctionNode):
            return ()
        args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return tuple(arg.arg for arg in args if arg.arg not in ("self", "cls"))

    @cached_property
    def sequences(self) -> frozenset[str]:
        """Names that are used like something one can iterate or index."""
        found: set[str] = set()
        for node in self.nodes:
            parent = self.parent(node)
            if not isinstance(node, ast.Name):
                continue
            is_iterated = isinstance(parent, (ast.For, ast.comprehension)) and node is parent.iter
            is_indexed = isinstance(parent, ast.Subscript) and node is parent.value
            is_sized = (
                isinstance(parent, ast.Call)
                and isinstance(parent.func, ast.Name)
                and parent.func.id in _SIZED
            )
            if is_iterated or is_indexed or (is_sized and node is not getattr(parent, "func", None)):
                found.add(node.id)
        return frozenset(found)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Names that are computed with or compared by size."""
        found: set[str] = set()
        for node in self.nodes:
            parent = self.parent(node)
            if not isinstance(node, ast.Name):
                continue
            ordered = isinstance(parent, ast.Compare) and isinstance(
                parent.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
            )
            if ordered or isinstance(parent, (ast.BinOp, ast.AugAssign)):
                found.add(node.id)
        return frozenset(found) - self.sequences

    @cached_property
    def donors(self) -> dict[str, type[ast.AST]]:
        """Short expressions of the function, by text."""
        found: dict[str, type[ast.AST]] = {}
        kinds = (ast.Subscript, ast.Call, ast.Attribute, ast.BinOp, ast.Compare, ast.Constant)
        for node in self.nodes:
            if isinstance(node, kinds) and not isinstance(self.parent(node), ast.Expr):
                text = self.text(node)
                if len(text) < _SHORT and "\n" not in text and len(found) < _DONORS:
                    found.setdefault(text, type(node))
        return found

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """Conditions that the function tests somewhere."""
        found: list[str] = []
        for node in self.nodes:
            tests = [node.test] if isinstance(node, (ast.If, ast.While, ast.IfExp)) else []
            tests += node.values if isinstance(node, ast.BoolOp) else []
            found += [self.text(test) for test in tests if not isinstance(test, ast.BoolOp)]
        return tuple(dict.fromkeys(text for text in found if len(text) < _SHORT and "\n" not in text))[:12]

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """String constants of the file's code, as written, those of this unit first."""
        found = [self.text(node) for node in self.nodes if _is_string(node)]
        for node in ast.walk(self.source.tree):
            if (
                _is_string(node)
                and len(found) < 4 * _DONORS
                and not isinstance(self.parent(node), (ast.Expr, ast.JoinedStr))
            ):
                found.append(self.text(node))
        return tuple(dict.fromkeys(text for text in found if len(text) < _SHORT and "\n" not in text))[
            :_DONORS
        ]

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """Attribute names that the surrounding class, or else the function, uses without calling them."""
        found = [
            node.attr
            for node in self._around()
            if isinstance(node, ast.Attribute) and not self.is_called(node)
        ]
        return tuple(dict.fromkeys(found))[:_DONORS]

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Method names that the surrounding class defines or uses."""
        found = [node.name for node in self._around() if isinstance(node, FunctionNode)]
        found += [
            node.attr for node in self._around() if isinstance(node, ast.Attribute) and self.is_called(node)
        ]
        return tuple(dict.fromkeys(found))[:_DONORS]

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Functions and classes of the module that could be called instead of others."""
        defined = [
            node.name for node in self.source.tree.body if isinstance(node, (*FunctionNode, ast.ClassDef))
        ]
        used = [
            node.func.id
            for node in self.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        return tuple(dict.fromkeys(used + defined))[:_DONORS]

    @cached_property
    def passed(self) -> tuple[str, ...]:
        """Built-in functions and types that the file hands on as values."""
        names = (
            node
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.Name) and not self.is_called(node)
        )
        counted = Counter(node.id for node in names if hasattr(builtins, node.id))
        return tuple(name for name, _ in counted.most_common(16))

    @cached_property
    def globals(self) -> tuple[str, ...]:
        """Names of constants that the module binds."""
        found: list[str] = []
        for node in self.source.tree.body:
            if isinstance(node, ast.Assign):
                found += [target.id for target in node.targets if isinstance(target, ast.Name)]
        return tuple(dict.fromkeys(found))[:_DONORS]

    @cached_property
    def exceptions(self) -> tuple[str, ...]:
        """Exception names that the file raises or catches, and the usual ones."""
        found = re.findall(r"\b[A-Z]\w*(?:Error|Exception|Iteration)\b", self.source.text)
        usual = ["ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "StopIteration"]
        return tuple(dict.fromkeys([*found, *usual]))[:14]

    @cached_property
    def blocks(self) -> tuple[list[ast.stmt], ...]:
        """Lists of statements that follow one another."""
        found: list[list[ast.stmt]] = []
        for node in self.nodes:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found.append(block)
        return tuple(found)

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the block that a statement stands in; empty for the unit itself."""
        for block in self.blocks:
            if any(each is statement for each in block):
                return block
        return []

    def _around(self) -> tuple[ast.AST, ...]:
        parent = self.parent(self.unit.node)
        return tuple(ast.walk(parent)) if isinstance(parent, ast.ClassDef) else self.nodes


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
