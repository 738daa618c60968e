"""Read from a file of Python how its functions answer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from setpoint.checks.proof.named.answers import Answers
from setpoint.checks.proof.sensitivity.changed_function import MARK, Insertion
from setpoint.checks.proof.sensitivity.python_functions import (
    Function,
    functions_in,
    lambdas_in,
    offset_of,
    own_nodes,
)
from setpoint.model import syntax

_RAISE = (
    f"((open({MARK}, 'a').close(), (_ for _ in ()).throw(RuntimeError('sabotaged by Setpoint')))"
    " if True else None, ("
)
_YIELDS = (ast.Yield, ast.YieldFrom)
_OPEN_ENDED = frozenset({"abstractmethod", "overload"})


def python_answers(source: bytes) -> dict[str, Answers]:
    """Return how each function of a file answers, by its qualified name; none where it cannot be parsed."""
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    lines = source.splitlines(keepends=True)
    return {
        **{name: _of_lambda(name, node) for name, node in lambdas_in(tree)},
        **{name: _of(name, node, lines) for name, node in functions_in(tree) if not _is_declared(node)},
    }


def _of_lambda(name: str, node: ast.Lambda) -> Answers:
    return Answers(name=name, blind=_ignores_input(node.args, [node.body]), text=ast.unparse(node))


def _of(name: str, node: Function, lines: list[bytes]) -> Answers:
    own = list(own_nodes(node))
    returned = [each.value for each in own if isinstance(each, ast.Return) and each.value is not None]
    yields = any(isinstance(each, _YIELDS) for each in own)
    ends = isinstance(node.body[-1], ast.Raise)
    values = [each for each in returned if not _is_none(each)]
    return Answers(
        name=name,
        places=tuple(_places(values, lines)),
        only_raises=ends and not yields and not any(isinstance(each, ast.Return) for each in own),
        guarded=any(isinstance(each, ast.Raise | ast.Assert) for each in own),
        blind=bool(values) and not yields and _ignores_input(node.args, node.body),
        text=b"".join(lines[node.lineno - 1 : node.end_lineno]).decode("utf-8", "replace"),
    )


def _places(values: list[ast.expr], lines: list[bytes]) -> Iterator[Insertion]:
    for value in values:
        yield Insertion(offset_of(lines, value.lineno, value.col_offset), _RAISE)
        yield Insertion(offset_of(lines, value.end_lineno or 0, value.end_col_offset or 0), "))[1]")


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _ignores_input(args: ast.arguments, body: Iterable[ast.AST]) -> bool:
    rest = [each for each in (args.vararg, args.kwarg) if each is not None]
    names = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs, *rest)}
    taken = names - {"self", "cls"}
    used = {each.id for part in body for each in ast.walk(part) if isinstance(each, ast.Name)}
    return bool(taken) and used.isdisjoint({*taken, "self", "cls", "locals"})


def _is_declared(node: Function) -> bool:
    """Whether a function only declares what others have to do."""
    for each in node.decorator_list:
        if getattr(each, "id", getattr(each, "attr", "")) in _OPEN_ENDED:
            return True
    rest = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return all(isinstance(each, ast.Expr) and _is_ellipsis(each.value) for each in rest) and bool(rest)


def _is_ellipsis(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is ...
