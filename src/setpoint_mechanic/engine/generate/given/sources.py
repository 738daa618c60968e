"""A file of tests, taken apart: what it imports and defines, and what an expression in it rests on."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from ..values.kinds import MODULES

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
_BUILTIN = frozenset(dir(builtins))
OURS = "Written by `setpoint cover`"
"""Stands in files of tests that were generated: what they make was taken from the others."""
_MOST_STEPS, _MOST_ROWS = 8, 2
_SET_UPS = ("setUp", "setup_method")


class Unresolved(Exception):
    """A piece of a test rests on something that cannot be taken along."""


class Piece(NamedTuple):
    """Code of a test with all that it rests on."""

    steps: tuple[ast.stmt, ...]
    """Statements before the expression."""
    takes: tuple[str, ...]
    """Parameters of the test that it needs."""
    imports: tuple[str, ...]
    texts: tuple[str, ...]
    """Definitions at the top of the file."""


class TestSource:
    """The top of a file of tests."""

    __test__ = False

    def __init__(self, path: str, tree: ast.Module) -> None:
        """Take a file apart; `path` is its place in the tree."""
        self.path, self.tree = path, tree
        self.fixtures = {
            node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and is_fixture(node)
        }
        self._imports = dict(_imported(tree.body))
        self._defined: dict[str, ast.stmt] = {}
        for node in tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self._defined[node.name] = node
            for name in _assigned(node):
                self._defined[name] = node
        self.names = {*self._imports, *self._defined}

    @classmethod
    def read(cls, path: str, text: str) -> TestSource:
        """Take the text of a file apart; raises what the parser raises."""
        return cls(path, ast.parse(text))

    def piece(self, wanted: ast.expr, before: Sequence[ast.stmt], params: Iterable[str]) -> Piece:
        """Return an expression with what it rests on; raises `Unresolved`."""
        steps, open_names = _sliced(wanted, before)
        takes = [name for name in params if name in open_names]
        imports: dict[str, None] = {}
        found: dict[int, ast.stmt] = {}
        own: dict[int, ast.stmt] = {}
        for name in sorted(open_names - set(takes)):
            node = self._defined.get(name)
            if isinstance(node, (ast.Assign, ast.AnnAssign)):  # each call gets a value of its own
                own[node.lineno] = node
                for inside in sorted(free_names(node)):
                    self._resolve(inside, imports, found)
            else:
                self._resolve(name, imports, found)
        texts = tuple(ast.unparse(found[line]) for line in sorted(found))
        return Piece((*(own[line] for line in sorted(own)), *steps), tuple(takes), tuple(imports), texts)

    def definition(self, node: FunctionNode, params: Iterable[str]) -> Piece:
        """Return what a function rests on, without the function; raises `Unresolved`."""
        imports: dict[str, None] = {}
        found: dict[int, ast.stmt] = {}
        bare = stripped(node)
        for name in sorted(free_names(bare) - {node.name}):
            self._resolve(name, imports, found)
        return Piece(
            (), tuple(params), tuple(imports), tuple(ast.unparse(found[line]) for line in sorted(found))
        )

    def _resolve(self, name: str, imports: dict[str, None], found: dict[int, ast.stmt]) -> None:
        """Find what a name of the file stands for, and all that this rests on."""
        if name in self._imports:
            if not self._imports[name]:
                raise Unresolved(name)
            imports[self._imports[name]] = None
            return
        node = self._defined.get(name)
        if node is None:
            if name not in _BUILTIN:
                raise Unresolved(name)
            return
        if name in self.fixtures or (isinstance(node, FUNCTIONS) and node.name.startswith("test")):
            raise Unresolved(name)
        if node.lineno not in found:
            found[node.lineno] = node
            for inside in sorted(free_names(node)):
                self._resolve(inside, imports, found)


def is_fixture(node: FunctionNode) -> bool:
    """Whether a function is marked as a fixture of pytest."""
    return _mark_of(node) is not None


def _mark_of(node: FunctionNode) -> ast.expr | None:
    for mark in node.decorator_list:
        named = mark.func if isinstance(mark, ast.Call) else mark
        if ast.unparse(named) in ("pytest.fixture", "fixture"):
            return mark
    return None


def words_of(node: FunctionNode) -> Mapping[str, ast.expr]:
    """Return what the mark of a fixture says by name: its scope, its parameters, another name."""
    mark = _mark_of(node)
    return {word.arg: word.value for word in mark.keywords if word.arg} if isinstance(mark, ast.Call) else {}


def stripped(node: FunctionNode) -> FunctionNode:
    """Return a function without its marks."""
    bare: FunctionNode = ast.parse(ast.unparse(node)).body[0]  # type: ignore[assignment]  # it was one before
    bare.decorator_list = []
    return bare


def params_of(node: FunctionNode) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    return tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


def free_names(node: ast.AST) -> set[str]:
    """Return the names that code reads and does not bind in a scope of its own."""
    loads = {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    bound: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, _SCOPES):
            bound |= {arg.arg for arg in ast.walk(each) if isinstance(arg, ast.arg)}
            bound |= _stores(each)
        elif isinstance(each, ast.comprehension):
            bound |= _stores(each.target)
    return loads - bound


def _stores(node: ast.AST) -> set[str]:
    found = {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    inside = {each for child in ast.iter_child_nodes(node) for each in ast.walk(child)}
    found |= {each.name for each in inside if isinstance(each, (*FUNCTIONS, ast.ClassDef))}
    return found | {
        name
        for each in inside
        if isinstance(each, (ast.Import, ast.ImportFrom))
        for name, _ in _imported([each])
    }


def _imported(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the names that imports bind, each with an import of its own; empty where none works elsewhere."""
    for node in body:
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.asname or each.name.partition(".")[0], ast.unparse(ast.Import([each]))
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for each in node.names:
                text = ast.unparse(ast.ImportFrom(node.module, [each], 0))
                yield each.asname or each.name, "" if node.level or each.name == "*" else text


def _assigned(node: ast.stmt) -> Iterator[str]:
    """Yield the plain names that a statement assigns."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _stores(target)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _stores(node.target)


def _sliced(wanted: ast.expr, before: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """Return the statements that a value rests on, and the names that stay open."""
    open_names = free_names(wanted)
    steps: list[ast.stmt] = []
    for node in reversed(before):
        binds = set(_bound(node)) & open_names
        if not binds and not (set(_touched(node)) & open_names):
            continue
        steps.insert(0, node)
        open_names -= binds
        open_names |= free_names(node)
    if len(steps) > _MOST_STEPS:
        raise Unresolved("too much")
    return steps, open_names


def _bound(node: ast.stmt) -> Iterator[str]:
    yield from _assigned(node)
    if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
        yield from (name for name, _ in _imported([node]))
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name


def _touched(node: ast.stmt) -> Iterator[str]:
    """Yield the names of objects that a statement changes, or may."""
    places: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        places = [each for each in node.targets if isinstance(each, (ast.Attribute, ast.Subscript))]
    elif isinstance(node, ast.AugAssign):
        places = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and not called.attr.startswith("assert"):
            places = [called]
    for place in places:
        root: ast.AST = place
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name):
            yield root.id


class Spot(NamedTuple):
    """A place in a test: an expression, the statements before it, and the parameters of the test."""

    node: ast.Call
    before: tuple[ast.stmt, ...]
    params: tuple[str, ...]


def spots(source: TestSource) -> Iterator[Spot]:
    """Yield each call of each test of a file, with what stands before it."""
    for node in source.tree.body:
        if isinstance(node, FUNCTIONS) and not is_fixture(node):
            for row in _rows(node):
                yield from _spots(node.body, row, params_of(node))
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, FUNCTIONS)]
            first = [step for each in methods if each.name in _SET_UPS for step in _plain(each, source).body]
            for each in methods:
                made = _plain(each, source)
                for row in _rows(made) if each.name.startswith("test") else ():
                    yield from _spots(made.body, (*first, *row), params_of(made)[1:])
    yield from _spots([each for each in source.tree.body if isinstance(each, (ast.Expr, ast.Assign))], (), ())


def _rows(node: FunctionNode) -> list[tuple[ast.stmt, ...]]:
    """Return the first rows of a parametrised test, as assignments; an empty one for any other test."""
    rows: list[tuple[ast.stmt, ...]] = [()]
    for mark in node.decorator_list:
        if (
            isinstance(mark, ast.Call)
            and ast.unparse(mark.func).endswith("mark.parametrize")
            and len(mark.args) > 1
        ):
            names, values = mark.args[0], getattr(mark.args[1], "elts", [])
            words = [ast.unparse(each).strip("'\"") for each in getattr(names, "elts", [])]
            if isinstance(names, ast.Constant):
                words = [word.strip() for word in str(names.value).split(",")]
            found = [_assigned_row(words, each) for each in values[:_MOST_ROWS]]
            rows = [(*row, *more) for row in rows for more in found][:_MOST_ROWS] or rows
    return rows


def _assigned_row(words: Sequence[str], row: ast.expr) -> tuple[ast.stmt, ...]:
    values = [row]
    if isinstance(row, ast.Call) and ast.unparse(row.func) == "pytest.param":
        values = row.args
    elif isinstance(row, (ast.Tuple, ast.List)) and len(words) > 1:
        values = row.elts
    return tuple(
        ast.Assign([ast.Name(word, ast.Store())], value, lineno=0) for word, value in zip(words, values)
    )


def _spots(body: Sequence[ast.stmt], before: tuple[ast.stmt, ...], params: tuple[str, ...]) -> Iterator[Spot]:
    for place, node in enumerate(body):
        here = (*before, *body[:place])
        inner = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
        for block in inner if not isinstance(node, _SCOPES) else ():
            yield from _spots(block, here, params)
        if not any(inner):
            yield from (Spot(each, here, params) for each in ast.walk(node) if isinstance(each, ast.Call))


def _plain(node: FunctionNode, source: TestSource) -> FunctionNode:
    """Write a method so that what it keeps in `self` is a variable."""
    made: FunctionNode = ast.parse(ast.unparse(node)).body[0]  # type: ignore[assignment]  # it was one before
    _Selfless(source.names).visit(made)
    return made


class _Selfless(ast.NodeTransformer):
    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            name = f"own_{node.attr}" if node.attr in self._taken or node.attr in MODULES else node.attr
            return ast.Name(name, node.ctx)
        return node
