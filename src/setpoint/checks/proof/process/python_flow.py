"""Find what files of Python read of their process, and whether it decides anything."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from setpoint.checks.integrity.constant_folding import folded
from setpoint.checks.proof.process.fact import PROC, Fact, Read, told
from setpoint.checks.proof.process.flow import Expression, Flow
from setpoint.model import syntax

_LANGUAGE = "python"
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BY_NAME = ("getattr", "hasattr")
_IMPORTS = ("__import__", "importlib.import_module")
_LONGEST = 60


def python_flow(source: bytes) -> Flow:
    """Return how values flow in a file; an empty flow where it cannot be parsed."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Flow()
    reader = _Reader(module)
    reader.walk(module, "")
    return reader.flow


class _Reader:
    """Reads one module."""

    def __init__(self, module: ast.Module) -> None:
        self.flow = Flow()
        self._imported = dict(_imported(module))
        self._globals = {
            name for node in ast.walk(module) if isinstance(node, ast.Global) for name in node.names
        }

    def walk(self, node: ast.AST, scope: str) -> None:
        """Take in a node and all that is in it."""
        inner = scope
        if isinstance(node, _Function | ast.Lambda):
            inner = scope or f"{getattr(node, 'name', 'lambda')}:{node.lineno}"
            self._parameters(node, inner)
        for condition in _conditions(node):
            self.flow.conditions.append(self.expression(condition, inner))
        for value in _returned(node):
            self.flow.returned.append(self.expression(value, inner))
        for targets, value in _assigned(node):
            names = [name for target in targets for name in self._targets(target, inner)]
            self.flow.assigned.append((names, self.expression(value, inner)))
        if isinstance(node, ast.Call):
            given = Expression()
            for each in (*node.args, *(word.value for word in node.keywords)):
                given.add(self.expression(each, inner))
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            self.flow.passed.append((called, given))
        for child in ast.iter_child_nodes(node):
            self.walk(child, inner)

    def expression(self, node: ast.AST, scope: str) -> Expression:
        """Return what an expression is made of; functions in it are read by themselves."""
        found = Expression()
        if read := self._read(node):
            found.reads.append(read)
        elif isinstance(node, ast.Name | ast.Attribute) and self._parts(node):
            pass  # a member of a module that tells nothing
        elif isinstance(node, ast.Name):
            found.names.append((scope, node.id))
        elif isinstance(node, ast.Attribute):
            found.names.append(("", f".{node.attr}"))
            found.add(self.expression(node.value, scope))
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right in itertools.pairwise(sides):
                found.pairs.append((self.expression(left, scope), self.expression(right, scope)))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            found.pairs.append((self.expression(node.left, scope), self.expression(node.right, scope)))
        elif not isinstance(node, _Function | ast.Lambda):
            for child in ast.iter_child_nodes(node):
                found.add(self.expression(child, scope))
        return found

    def _read(self, node: ast.AST) -> Read | None:
        """Return what a node reads of the process by itself."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PROC.match(node.value):
            return Read(Fact.RUNTIME, node.value[:_LONGEST])
        if isinstance(node, ast.Name) and node.id == "__debug__":
            return Read(Fact.BUILD, node.id)
        if isinstance(node, ast.Attribute) and node.attr == "isatty":
            return Read(Fact.TERMINAL, ast.unparse(node)[:_LONGEST])
        asked = node
        if isinstance(node, ast.Call | ast.Subscript):
            asked = node.func if isinstance(node, ast.Call) else node.value
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant):
            asked = node.comparators[0]
        text = ast.unparse(node)[:_LONGEST]
        if node is not asked:
            parts = self._parts(node) or self._parts(asked)
            read = told(_LANGUAGE, parts, text) if parts else None
            return read if read and (read.fact is Fact.ENVIRONMENT or self._parts(node)) else None
        parts = self._parts(node)
        return told(_LANGUAGE, parts, text) if parts else None

    def _parts(self, node: ast.AST) -> list[str]:
        """Return the names that lead to a member of a module; empty for anything else."""
        if isinstance(node, ast.Attribute):
            held = self._parts(node.value)
            return [*held, node.attr] if held else []
        if isinstance(node, ast.Name):
            return [*self._imported.get(node.id, ())]
        if not isinstance(node, ast.Call) or not node.args:
            return []
        called = ast.unparse(node.func)
        if called.endswith(_IMPORTS):
            return (folded(node.args[0]) or "").split(".")
        if called in _BY_NAME and len(node.args) > 1 and (name := folded(node.args[1])):
            held = self._parts(node.args[0])
            return [*held, name] if held else []
        return []

    def _parameters(self, node: _Function | ast.Lambda, scope: str) -> None:
        given = node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        names += [each.arg for each in (given.vararg, given.kwarg) if each is not None]
        self.flow.bound[scope].update(names)
        if not isinstance(node, ast.Lambda):
            self.flow.parameters[node.name] += [(scope, name) for name in names]

    def _targets(self, node: ast.expr, scope: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.Name):
            if scope and node.id not in self._globals:
                self.flow.bound[scope].add(node.id)
            yield scope, node.id
        elif isinstance(node, ast.Attribute):
            yield scope, f".{node.attr}"
        elif isinstance(node, ast.Subscript | ast.Starred):
            yield from self._targets(node.value, scope)
        elif isinstance(node, ast.Tuple | ast.List):
            for each in node.elts:
                yield from self._targets(each, scope)


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield node.test
    elif isinstance(node, ast.Match):
        yield node.subject
    elif isinstance(node, ast.match_case):
        yield from (node.guard,) if node.guard else ()
    elif isinstance(node, ast.BoolOp):
        yield from node.values[:-1]
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
    elif isinstance(node, ast.Subscript):
        yield node.slice


def _returned(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
        yield node.value
    elif isinstance(node, ast.Lambda):
        yield node.body


def _assigned(node: ast.AST) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    if isinstance(node, ast.Assign):
        yield node.targets, node.value
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
        yield [node.target], node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield [node.target], node.iter


def _imported(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Yield the names that stand for modules or their members, with the path to them."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for each in node.names:
                whole = each.name.split(".")
                yield (each.asname, whole) if each.asname else (whole[0], whole[:1])
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for each in node.names:
                yield each.asname or each.name, [*(node.module or "").split("."), each.name]
