"""Find the functions of a Python file that a change added or changed, and say how to sabotage them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import compress

from setpoint.checks.proof.sensitivity.changed_function import (
    MARK,
    ChangedFunction,
    Insertion,
    Sabotage,
    changed,
    weighed,
)
from setpoint.model import syntax

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OTHER_VALUE = (
    "(lambda v: v if not isinstance(v, (bool, int, float, str))"
    " and not (isinstance(v, (list, tuple, dict)) and v)"
    f" else (open({MARK}, 'a').close(), not v if isinstance(v, bool)"
    " else -v - 7 if isinstance(v, (int, float)) else v[::-1] + '~' if isinstance(v, str)"
    " else dict(list(v.items())[:-1]) if isinstance(v, dict) else v[:-1])[1])"
)
"""An expression that turns a value into another one of its type; values of other types stay as they are."""
_RAISE = "(_ for _ in ()).throw(RuntimeError('sabotaged by Setpoint'))"
"""An expression that raises."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def changed_python(
    path: str, old: bytes | None, new: bytes
) -> tuple[tuple[ChangedFunction, ...], tuple[str, ...]]:
    """Return functions with another body than before, and why a file has none, in words.

    A function that does nothing (a stub, an abstract method) is left out; a lambda outside functions is one
    of them, and one inside another function belongs to that.
    """
    try:
        now = syntax.parse(new)
        before = syntax.parse(old) if old is not None else ast.Module(body=[], type_ignores=[])
    except (SyntaxError, ValueError, RecursionError):
        return (), (f"{path} cannot be parsed",)
    known = [(name, _text(node)) for name, node in functions_in(before)]
    here = list(functions_in(now))
    differs = changed(known, [(name, _text(node)) for name, node in here])
    found = [_of(path, *each, new) for each in compress(here, differs) if not _is_stub(each[1])]
    stood = {ast.dump(node) for _, node in lambdas_in(before)}
    found += [
        _of_lambda(path, name, node, new) for name, node in lambdas_in(now) if ast.dump(node) not in stood
    ]
    return tuple(weighed(each, old or b"") for each in found), ()


def functions_in(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield all functions with their qualified names, those inside others too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            name = f"{prefix}{child.name}"
            if isinstance(child, _FUNCTIONS):
                yield name, child
            yield from functions_in(child, f"{name}.")
        else:
            yield from functions_in(child, prefix)


def lambdas_in(node: ast.AST) -> Iterator[tuple[str, ast.Lambda]]:
    """Yield the lambdas outside functions, named after what they are bound to."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            yield target.id if isinstance(target, ast.Name) else f"lambda in line {child.lineno}", child
        elif not isinstance(child, _FUNCTIONS):
            yield from lambdas_in(child)


def _text(node: Function) -> str:
    """Return what a function does, without functions inside it and without its docstring."""
    body = [ast.dump(_hollow(each)) for each in _outside_functions(_behind_docstring(node))]
    return "\n".join([_signature(node.args), *map(ast.dump, node.decorator_list), *body])


def _signature(args: ast.arguments) -> str:
    """Return names and default values of parameters, without their types."""
    groups = (args.posonlyargs, args.args, args.kwonlyargs)
    names = [[each.arg for each in group] for group in groups]
    rest = [each and each.arg for each in (args.vararg, args.kwarg)]
    values = [each and ast.dump(each) for each in (*args.defaults, *args.kw_defaults)]
    return repr((names, rest, values))


def _outside_functions(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [each for each in body if not isinstance(each, _FUNCTIONS)]


def _hollow(node: ast.AST) -> ast.AST:
    """Return a statement without the functions in it."""
    copied = type(node)()
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            kept = [each for each in value if not isinstance(each, _FUNCTIONS)]
            setattr(copied, name, [_hollow(each) if isinstance(each, ast.AST) else each for each in kept])
        else:
            setattr(copied, name, _hollow(value) if isinstance(value, ast.AST) else value)
    return copied


def _behind_docstring(node: Function) -> list[ast.stmt]:
    first = node.body[0] if node.body else None
    written = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if written else node.body


def _is_stub(node: Function) -> bool:
    return all(
        isinstance(each, ast.Pass | ast.Raise)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def _of(path: str, name: str, node: Function, source: bytes) -> ChangedFunction:
    first = _behind_docstring(node)[0]
    decorators = getattr(first, "decorator_list", [])
    line, column = min(
        [(first.lineno, first.col_offset), *((d.lineno, d.col_offset - 1) for d in decorators)]
    )
    lines = source.splitlines(keepends=True)
    offset = offset_of(lines, line, column)
    opens_line = node.body[0].lineno > node.lineno and (
        first is node.body[0] or (node.body[0].end_lineno or line) < line
    )
    glue = "\n" + lines[line - 1][:column].decode("utf-8", "replace") if opens_line else "; "
    ends = {"raises": "raise RuntimeError('sabotaged by Setpoint')", "does nothing": "return"}
    sabotages: dict[str, Sabotage] = {
        does: (Insertion(offset, f"open({MARK}, 'a').close(); {end}{glue}"),) for does, end in ends.items()
    }
    returns = [each.value for each in own_nodes(node) if isinstance(each, ast.Return) and each.value]
    if returns and node.name != "__hash__":  # another hash is as good
        sabotages["returns something else"] = tuple(
            insertion
            for value in returns
            for insertion in (
                Insertion(offset_of(lines, value.lineno, value.col_offset), f"{OTHER_VALUE}(("),
                Insertion(offset_of(lines, value.end_lineno or 0, value.end_col_offset or 0), "))"),
            )
        )
    return ChangedFunction(
        path=path,
        name=name,
        sabotages=sabotages,
        # It marks too: where marks cannot be written, no test may seem to notice a sabotage.
        harmless=(Insertion(offset, f"open({MARK}, 'a').close(); _setpoint = None{glue}"),),
        first=Insertion(offset, glue),
        marks=True,
        text=_written(source, node),
    )


def _of_lambda(path: str, name: str, node: ast.Lambda, source: bytes) -> ChangedFunction:
    body, lines = node.body, source.splitlines(keepends=True)
    start = offset_of(lines, body.lineno, body.col_offset)
    end = offset_of(lines, body.end_lineno or 0, body.end_col_offset or 0)
    begins = {
        "raises": f"((open({MARK}, 'a').close(), {_RAISE}) if True else (",
        "does nothing": f"(open({MARK}, 'a').close() if True else (",
        "returns something else": f"{OTHER_VALUE}((",
    }
    sabotages: dict[str, Sabotage] = {
        does: (Insertion(start, text), Insertion(end, "))")) for does, text in begins.items()
    }
    return ChangedFunction(
        path=path,
        name=name,
        sabotages=sabotages,
        harmless=(Insertion(start, f"(open({MARK}, 'a').close() or ("), Insertion(end, "))")),
        marks=True,
        text=_written(source, node),
    )


def _written(source: bytes, node: Function | ast.Lambda) -> str:
    """Return the lines of a function; columns do not count in bytes where a file is not in UTF-8."""
    return b"\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno]).decode("utf-8", "replace")


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is inside a function, without functions and classes inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield child
            yield from own_nodes(child)


def offset_of(lines: list[bytes], line: int, column: int) -> int:
    """Return the 0-based byte of a place in a source."""
    return sum(map(len, lines[: line - 1])) + column
