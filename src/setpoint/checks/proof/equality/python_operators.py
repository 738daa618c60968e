"""Find operators that new classes of Python define, and take them from those who ask from a test.

A number of a class of one's own can say that it differs by nothing from any other. A class that the request
names is meant to say so; of others the tests may ask only what the builtin type answers that they extend.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.model import syntax

_BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "divmod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "matmul",
]
_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        *_BINARY, *(f"r{each}" for each in _BINARY), "lt", "le", "gt", "ge", "neg", "pos", "abs", "round",
        "trunc", "floor", "ceil", "int", "float", "complex", "index", "bool",
    )
)  # fmt: skip
"""Of all classes."""
_CONTENT = frozenset(
    f"__{name}__" for name in ("str", "repr", "format", "len", "iter", "contains", "getitem", "reversed")
)
"""Of classes that extend a builtin type."""
_BUILTIN = frozenset(
    ("int", "float", "complex", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset")
)
_ASKED = (
    "(lambda sys, os: "
    "os.path.realpath(sys._getframe(2).f_code.co_filename).replace(os.sep, '/').endswith({tests}) or "
    "sys._getframe(2).f_globals.get('__name__', '').split('.')[0] in ('unittest', '_pytest'))"
    "(__import__('sys'), __import__('os'))"
)
"""Whether the one who asks is a file of tests, or what compares for it."""


def python_operators(
    path: str, old: bytes | None, new: bytes, tests: Collection[str], wish: str
) -> list[ChangedFunction]:
    """Return the operators of classes that a file has not at the base, and that a request does not name."""
    try:
        before = {node.name for node in ast.walk(syntax.parse(old or b"")) if isinstance(node, ast.ClassDef)}
        now = list(ast.walk(syntax.parse(new)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    written = {node.value for node in ast.walk(syntax.parse(old or b"")) if isinstance(node, ast.Constant)}
    starts = [0, *(at + 1 for at, byte in enumerate(new) if byte == ord("\n"))]
    asked = _ASKED.format(tests=tuple(f"/{each}" for each in tests))
    made = [
        _named(path, node, starts)
        for node in now
        if isinstance(node, ast.Constant)
        and node.value in _OPERATORS
        and node.value not in (*written, *wish.split())
        and node.end_lineno == node.lineno
    ]
    return made + [
        ChangedFunction(
            path=path,
            name=f"{node.name}.{names[0]}",
            sabotages={"is not there for tests": (_plain(node, names, starts, asked),)},
        )
        for node in now
        if isinstance(node, ast.ClassDef) and node.name not in before and node.name not in wish
        if (names := tuple(dict.fromkeys(_methods(node))))
    ]


def _named(path: str, node: ast.Constant, starts: list[int]) -> ChangedFunction:
    """Take away an operator that a text names, as in `type("Number", (float,), {"__sub__": ...})`."""
    end = starts[node.lineno - 1] + (node.end_col_offset or 0) - 1
    return ChangedFunction(
        path=path, name=str(node.value), sabotages={"is not there": (Insertion(end, "setpoint"),)}
    )


def _methods(node: ast.ClassDef) -> Iterator[str]:
    extends = any(isinstance(each, ast.Name) and each.id in _BUILTIN for each in node.bases)
    names = _OPERATORS | _CONTENT if extends else _OPERATORS
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and child.name in names:
            yield child.name
        elif isinstance(child, ast.Assign):
            yield from (each.id for each in child.targets if isinstance(each, ast.Name) and each.id in names)


def _plain(node: ast.ClassDef, names: tuple[str, ...], starts: list[int], asked: str) -> Insertion:
    """Return what comes at the end of a class, and takes its methods from those who ask from a test."""
    last = node.body[-1]
    end = starts[(last.end_lineno or last.lineno) - 1] + (last.end_col_offset or 0)
    between = "; " if last.lineno == node.lineno else "\n" + " " * node.body[0].col_offset
    text = "".join(
        f"{between}{name} = (lambda _own: lambda _self, *_given: super().{name}(*_given) if {asked} "
        f"else _own(_self, *_given))({name})"
        for name in names
    )
    return Insertion(end, text)
