"""Judge whether a function can be called in all the ways in which another one can."""

from __future__ import annotations

import ast
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Parameters(NamedTuple):
    """The parameters of a function, without the object that it belongs to."""

    placed: list[tuple[str, ast.expr | None]]
    """Those that can be given by their place, with their default values."""
    only_placed: int
    """How many of them have no name for callers."""
    named: dict[str, ast.expr | None]
    """Those that can be given by name alone."""
    more: bool
    """Whether it takes any more by place."""
    others: bool
    """Whether it takes any more by name."""


def accepts(old: Function, new: Function, *, bound: bool) -> bool:
    """Whether every call of one function is a call of another; `bound`: both are methods."""
    if type(old) is not type(new):
        return False
    before, now = _parameters(old, bound=bound), _parameters(new, bound=bound)
    if now.more and now.others:
        return True  # it passes on whatever it is given
    if (before.more and not now.more) or (before.others and not now.others):
        return False
    return _placed(before, now) and _named(before, now)


def _placed(before: _Parameters, now: _Parameters) -> bool:
    for place, (name, default) in enumerate(before.placed):
        if place >= len(now.placed):
            if not (now.more and place < before.only_placed):
                return False
            continue
        other, given = now.placed[place]
        if place >= before.only_placed and (other != name or place < now.only_placed):
            return False
        if not _default_stays(default, given):
            return False
    return all(default is not None for _, default in now.placed[len(before.placed) :])


def _named(before: _Parameters, now: _Parameters) -> bool:
    by_name = now.named | dict(now.placed[now.only_placed :])
    for name, default in before.named.items():
        if name not in by_name and not now.others:
            return False
        if name in by_name and not _default_stays(default, by_name[name]):
            return False
    return all(default is not None for name, default in now.named.items() if name not in before.named)


def _default_stays(before: ast.expr | None, now: ast.expr | None) -> bool:
    """Whether a parameter may still be left out, and means the same then as far as that can be read."""
    if before is None:
        return True
    if now is None:
        return False
    both = isinstance(before, ast.Constant) and isinstance(now, ast.Constant)
    return not both or ast.dump(before) == ast.dump(now)


def _parameters(function: Function, *, bound: bool) -> _Parameters:
    args = function.args
    placed = [*args.posonlyargs, *args.args]
    values: list[ast.expr | None] = [None] * (len(placed) - len(args.defaults))
    every = list(zip((each.arg for each in placed), [*values, *args.defaults], strict=True))
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)
    own = 1 if bound and not static and every else 0
    return _Parameters(
        placed=every[own:],
        only_placed=max(0, len(args.posonlyargs) - own),
        named=dict(zip((each.arg for each in args.kwonlyargs), args.kw_defaults, strict=True)),
        more=args.vararg is not None,
        others=args.kwarg is not None,
    )
