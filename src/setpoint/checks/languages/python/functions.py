"""Find the functions of a Python file that a change added or changed, and say how to sabotage them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import compress

from setpoint.checks.languages.changed_function import (
    MARK,
    MESSAGE,
    NOTHING,
    OTHER,
    RAISES,
    ChangedFunction,
    Insertion,
    Sabotage,
    changed,
    weighed,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ENTERED = f"open({MARK}, 'a').close()"
_OTHER_VALUE = (
    "(lambda v: v if not isinstance(v, (bool, int, float, str))"
    " and not (isinstance(v, (list, tuple, dict)) and v)"
    f" else ({_ENTERED}, not v if isinstance(v, bool)"
    " else -v - 7 if isinstance(v, (int, float)) else v[::-1] + '~' if isinstance(v, str)"
    " else dict(list(v.items())[:-1]) if isinstance(v, dict) else v[:-1])[1])"
)
"""An expression that turns a value into another one of its type; values of other types stay as they are."""


def changed_functions(
    path: str, before: ast.Module, after: ast.Module, source: bytes, old: bytes
) -> tuple[ChangedFunction, ...]:
    """Return functions with another body, other parameters or decorators than before.

    A function that does nothing (a stub, an abstract method) is left out.
    """
    known = [(name, _does(node)) for name, node in functions_in(before)]
    here = list(functions_in(after))
    differs = changed(known, [(name, _does(node)) for name, node in here])
    found = (_of(path, *each, source) for each in compress(here, differs) if not _is_stub(each[1]))
    return tuple(weighed(each, old) for each in found)


def functions_in(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield all functions with their qualified names, those inside others too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if isinstance(child, Function):
                yield name, child
            yield from functions_in(child, f"{name}.")
        else:
            yield from functions_in(child, prefix)


def without_functions(node: ast.AST) -> ast.AST:
    """Return a copy of a statement without the functions inside it, and without types of variables."""
    copied = type(node)()
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            kept = [each for each in value if not isinstance(each, Function)]
            copies = [without_functions(each) if isinstance(each, ast.AST) else each for each in kept]
            setattr(copied, name, copies)
        elif name != "annotation":
            setattr(copied, name, without_functions(value) if isinstance(value, ast.AST) else value)
    return copied


def _does(node: Function) -> str:
    """Return what a function does, without functions inside it, its docstring and types of parameters."""
    body = [each for each in _behind_docstring(node) if not isinstance(each, Function)]
    parts = [*node.decorator_list, *map(without_functions, body)]
    return "\n".join([type(node).__name__, _parameters(node.args), *map(ast.dump, parts)])


def _parameters(args: ast.arguments) -> str:
    groups = (args.posonlyargs, args.args, args.kwonlyargs)
    names = [[each.arg for each in group] for group in groups]
    rest = [each and each.arg for each in (args.vararg, args.kwarg)]
    defaults = [each and ast.dump(each) for each in (*args.defaults, *args.kw_defaults)]
    return repr((names, rest, defaults))


def _behind_docstring(node: Function) -> list[ast.stmt]:
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if documented else node.body


def _is_stub(node: Function) -> bool:
    return all(
        isinstance(each, ast.Pass | ast.Raise)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def _of(path: str, name: str, node: Function, source: bytes) -> ChangedFunction:
    lines = source.splitlines(keepends=True)
    first = _first(node, lines)
    ends = {RAISES: f"raise RuntimeError({MESSAGE!r})", NOTHING: "return"}
    sabotages: dict[str, Sabotage] = {
        does: (Insertion(first.offset, f"{_ENTERED}; {end}{first.text}"),) for does, end in ends.items()
    }
    returns = [each.value for each in _own_nodes(node) if isinstance(each, ast.Return) and each.value]
    if returns and node.name != "__hash__":  # another hash is as good
        sabotages[OTHER] = tuple(
            insertion
            for value in returns
            for insertion in (
                Insertion(_offset(lines, value.lineno, value.col_offset), f"{_OTHER_VALUE}(("),
                Insertion(_offset(lines, value.end_lineno or 0, value.end_col_offset or 0), "))"),
            )
        )
    return ChangedFunction(
        path=path,
        name=name,
        sabotages=sabotages,
        # It marks too: where marks cannot be written, no test may seem to notice a sabotage.
        harmless=(Insertion(first.offset, f"{_ENTERED}; _setpoint = None{first.text}"),),
        first=first,
        marks=True,
        text=b"".join(lines[node.lineno - 1 : node.end_lineno]).decode("utf-8", "replace").rstrip(),
    )


def _first(node: Function, lines: list[bytes]) -> Insertion:
    """Return where a statement is put that runs first in a function, and what separates it from the body."""
    first = _behind_docstring(node)[0]
    decorators = getattr(first, "decorator_list", [])
    line, column = min(
        [(first.lineno, first.col_offset), *((each.lineno, each.col_offset - 1) for each in decorators)]
    )
    opens_line = node.body[0].lineno > node.lineno and (
        first is node.body[0] or (node.body[0].end_lineno or line) < line
    )
    glue = "\n" + lines[line - 1][:column].decode("utf-8", "replace") if opens_line else "; "
    return Insertion(_offset(lines, line, column), glue)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is inside a function, without functions and classes inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _offset(lines: list[bytes], line: int, column: int) -> int:
    """Return the 0-based byte of a place in a source."""
    return sum(map(len, lines[: line - 1])) + column
