"""Whether a changed source is the same program: comments, docstrings and layout are not what runs."""

from __future__ import annotations

import ast
import doctest
import re

from setpoint.checks.proof.kinds.sources.comments import same_without_comments
from setpoint.model import syntax

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_READ_FIRST = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""Comments in the first lines that the system or the interpreter reads."""
_OF_COMPILERS = re.compile(r"#\s*(?:cython|distutils):")
_FIRST_LINES = 2


def same_program(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether two states of a file do the same, whatever their comments and docstrings say.

    Doctests count as code, and so do comments that address the interpreter, a compiler or a build. Whether
    code reads its docstrings is asked elsewhere.
    """
    if before is None or after is None:
        return False
    if not path.endswith(".py"):
        return same_without_comments(path, before, after)
    try:
        return _without_docstrings(before) == _without_docstrings(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


def docstrings_of(source: bytes) -> list[str]:
    """Return the docstrings of a file in Python, in their order; none where it does not parse."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = (ast.get_docstring(node) for node in ast.walk(module) if isinstance(node, _DOCUMENTED))
    return [each for each in found if each is not None]


def _without_docstrings(source: bytes) -> tuple[str, ...]:
    """Return what a file does: its code, the examples in its docstrings, and comments that act."""
    text = source.decode("utf-8")
    lines = text.splitlines()
    acts = [line for line in lines[:_FIRST_LINES] if _READ_FIRST.match(line)]
    acts += [line for line in lines if _OF_COMPILERS.match(line)]
    module = syntax.parse(text)
    examples: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, _DOCUMENTED) and (said := ast.get_docstring(node, clean=False)) is not None:
            del node.body[0]
            examples += [f"{each.source}{each.want}" for each in doctest.DocTestParser().get_examples(said)]
    return ast.dump(module), *examples, *acts
