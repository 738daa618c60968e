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


def same_program(before: bytes, after: bytes) -> bool:
    """Whether two texts do the same, whatever their comments and docstrings say.

    Doctests count as code, and so do comments that address the interpreter or a compiler.
    """
    try:
        return _runs(before) == _runs(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


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
