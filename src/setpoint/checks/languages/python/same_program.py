"""Whether a changed Python source is the same program: comments, docstrings and layout are not what runs."""

from __future__ import annotations

import ast
import doctest
import re

from setpoint.model import syntax

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_READ_FIRST = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""Comments in the first lines that the system or the interpreter reads."""
_FOR_COMPILERS = re.compile(r"#\s*(?:cython|distutils):")
_FIRST_LINES = 2
_FOR_TYPES = ("typing", "typing_extensions", "__future__", "collections.abc")


def same_program(before: bytes, after: bytes) -> bool:
    """Whether two texts do the same, whatever their comments and docstrings say.

    Doctests count as code, and so do comments that address the interpreter or a compiler.
    """
    try:
        return _runs(before) == _runs(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


def same_but_types(before: bytes, after: bytes) -> bool:
    """Whether two texts do the same except for annotations, and for imports of `typing`.

    Annotations of fields in classes count as code, because data classes are made of them.
    """
    try:
        return _runs(_untyped(before)) == _runs(_untyped(after))
    except (SyntaxError, ValueError, RecursionError):
        return False


def _untyped(source: bytes) -> bytes:
    return ast.unparse(_Untyped().visit(syntax.parse(source))).encode()


class _Untyped(ast.NodeTransformer):
    """Takes annotations away, and imports that only they need."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Leave the fields of a class as they are."""
        kept = [each if isinstance(each, ast.AnnAssign) else self.visit(each) for each in node.body]
        node.body = list(filter(None, kept))
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Take the annotation of an argument away."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Take the annotation of what a function returns away."""
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Do the same."""
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Turn an annotated variable into a plain one."""
        return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno) if node.value else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        """Leave out what is imported for annotations."""
        return None if node.module in _FOR_TYPES else node

    def visit_Import(self, node: ast.Import) -> ast.Import | None:
        """Do the same."""
        return None if all(each.name in _FOR_TYPES for each in node.names) else node


def _runs(source: bytes) -> tuple[str, ...]:
    """Return what runs of a file: its code, the examples in its docstrings, and comments for tools."""
    text = source.decode("utf-8")
    lines = text.splitlines()
    comments = [line for line in lines[:_FIRST_LINES] if _READ_FIRST.match(line)]
    comments += [line for line in lines if _FOR_COMPILERS.match(line)]
    module = syntax.parse(text)
    examples: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, _DOCUMENTED) and (held := ast.get_docstring(node, clean=False)) is not None:
            del node.body[0]
            examples += [f"{each.source}{each.want}" for each in doctest.DocTestParser().get_examples(held)]
    return ast.dump(module), *examples, *comments
