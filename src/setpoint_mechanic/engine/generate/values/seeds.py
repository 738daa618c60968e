"""Values and whole examples that people wrote: in documentation, and in tests that are there already."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Collection, Iterable, Iterator
from types import ModuleType

from ..cases import Case

_MOST_SCRIPT = 8
_MOST_TEXT = 100


def examples(module: ModuleType, alias: str) -> Iterator[Case]:
    """Yield the examples of the module's documentation as cases, each with the statements before it."""
    for found in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
        script: list[str] = []
        for example in found.examples:
            try:
                tree = ast.parse(example.source)
            except SyntaxError:
                continue
            if len(tree.body) != 1 or "__import__" in example.source:
                script += [_named(each, module, alias) for each in tree.body]
                continue
            node = tree.body[0]
            if isinstance(node, ast.Expr):
                text = _named(_printed(node.value), module, alias)
                if len(script) <= _MOST_SCRIPT:
                    yield Case(
                        found.name.removeprefix(module.__name__).lstrip("."),
                        script=tuple(filter(None, script)),
                        expression=text,
                        want=example.want,
                    )
                script.append(text)
            else:
                script.append(_named(node, module, alias))


def _printed(node: ast.expr) -> ast.expr:
    """Return what `print` is given."""
    if (
        isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "print"
        and len(node.args) == 1
        and not node.keywords
    ):
        return node.args[0]
    return node


def _named(node: ast.AST, module: ModuleType, alias: str) -> str:
    """Write a statement so that names of the module are looked up in the module; empty for its import."""
    if isinstance(node, ast.ImportFrom) and (node.module or "") == module.__name__:
        return ""
    if (
        isinstance(node, ast.Import)
        and [each.name for each in node.names] == [module.__name__]
        and not node.names[0].asname
    ):
        return f"import {module.__name__}"
    local = {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    local |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return ast.unparse(_Naming(set(vars(module)) - local, alias).visit(node))


class _Naming(ast.NodeTransformer):
    def __init__(self, names: Collection[str], alias: str) -> None:
        self._names, self._alias = names, alias

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._names:
            return ast.Attribute(ast.Name(self._alias, ast.Load()), node.id, ast.Load())
        return node


def seen_values(texts: Iterable[str], signatures: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Return the values with which known functions are called in some sources, by `function.parameter`."""
    found: dict[str, dict[str, None]] = {}
    for text in texts:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                _take(node, signatures, found)
    return {name: tuple(values) for name, values in found.items()}


def _take(node: ast.Call, signatures: dict[str, list[str]], found: dict[str, dict[str, None]]) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    params = signatures.get(name)
    if params is None:
        return
    given = [*zip(params, node.args), *((each.arg, each.value) for each in node.keywords)]
    for param, value in given:
        text = ast.unparse(value)
        if param and len(text) <= _MOST_TEXT and _is_literal(value):
            found.setdefault(f"{name}.{param}", {})[text] = None


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def signatures_of(tree: ast.Module) -> dict[str, list[str]]:
    """Return the parameters of each function of a file, those of a class for its name; without `self`."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            found[node.name] = names[1:] if names[:1] in (["self"], ["cls"]) else names
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                    found[node.name] = [arg.arg for arg in each.args.args[1:]]
                elif isinstance(each, ast.FunctionDef) and each.name == "__call__":
                    found[f"{node.name}.__call__"] = [arg.arg for arg in each.args.args[1:]]
    return found
