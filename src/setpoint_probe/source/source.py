"""A source file as bytes, tree and spans: all edits are splices of bytes, so formatting and comments stay."""

from __future__ import annotations

import ast
import difflib
import tokenize
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


class Splice(NamedTuple):
    """A replacement of the bytes from `start` up to `end` by a text."""

    start: int
    end: int
    text: str


Edits = tuple[Splice, ...]


class Unit(NamedTuple):
    """What is swapped as a whole: an outermost function, or a statement outside all functions."""

    node: ast.stmt
    owner: str
    """Name of the class right around it, empty outside classes."""
    first_line: int
    """First line, decorators included."""
    last_line: int

    @property
    def is_function(self) -> bool:
        """Whether its code can be swapped; other statements run at import only."""
        return isinstance(self.node, FunctionNode)

    @property
    def name(self) -> str:
        """Return the qualified name of a function, else the line."""
        name = self.node.name if isinstance(self.node, FunctionNode) else f"line {self.first_line}"
        return f"{self.owner}.{name}" if self.owner else name


class UnreadableSource(Exception):
    """A file that cannot be edited by splices, with the reason."""


class Source:
    """One parsed file."""

    def __init__(self, path: str, data: bytes) -> None:
        """Parse the bytes of a file; raises `UnreadableSource` for anything but UTF-8 Python that parses."""
        self.path = path
        self.data = data
        try:
            self.text = data.decode("utf-8")
            self.tree = ast.parse(self.text)
        except (UnicodeDecodeError, SyntaxError, ValueError) as error:
            raise UnreadableSource(f"{path}: {error}") from error
        if data.startswith(b"\xef\xbb\xbf") or b"\x0c" in data or b"\r" in data.replace(b"\r\n", b""):
            raise UnreadableSource(
                f"{path}: a byte order mark, form feeds or old line ends make columns unsure"
            )
        self.newline = "\r\n" if b"\r\n" in data else "\n"
        self.offsets = [0]
        for line in data.split(b"\n"):
            self.offsets.append(self.offsets[-1] + len(line) + 1)
        self.offsets[-1] = len(data)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.units = tuple(_units(self.tree.body, ""))

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names that the module itself binds, outside functions."""
        outside = [unit.node for unit in self.units if not unit.is_function]
        found = {name for node in outside for name in _names_bound(node)}
        definitions = (*FunctionNode, ast.ClassDef)
        return frozenset(found | {node.name for node in ast.walk(self.tree) if isinstance(node, definitions)})

    def touched_by(self, unit: Unit) -> frozenset[str]:
        """Return the names whose values may hang on a statement outside functions, step by step."""
        found = {unit.owner, *_names_bound(unit.node)} - {""}
        while more := {name for read, bound in self._outside if read & found for name in bound} - found:
            found |= more
        return frozenset(found)

    @cached_property
    def _outside(self) -> list[tuple[set[str], set[str]]]:
        """The names that each statement outside functions reads, and those that it binds."""
        outside = [each.node for each in self.units if not each.is_function]
        return [
            ({name for inner in ast.walk(node) for name in names_read(inner)}, _names_bound(node))
            for node in outside
        ]

    @cached_property
    def in_functions(self) -> tuple[ast.AST, ...]:
        """All syntax inside functions, in order, without what stands in f-strings."""
        found: list[ast.AST] = []
        for unit in self.units:
            if unit.is_function:
                hidden = {
                    id(inner)
                    for node in ast.walk(unit.node)
                    if isinstance(node, ast.JoinedStr)
                    for inner in ast.walk(node)
                }
                found += [node for node in ast.walk(unit.node) if id(node) not in hidden]
        return tuple(found)

    @classmethod
    def read(cls, path: str) -> Source:
        """Read a file from disk; raises `UnreadableSource`."""
        try:
            with Path(path).open("rb") as stream:
                encoding, _ = tokenize.detect_encoding(stream.readline)
                stream.seek(0)
                data = stream.read()
        except (OSError, SyntaxError) as error:
            raise UnreadableSource(f"{path}: {error}") from error
        if encoding != "utf-8":
            raise UnreadableSource(f"{path}: written in {encoding}, only UTF-8 is edited")
        return cls(path, data)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the bytes that a node covers, as start and end offset."""
        return (
            self.offsets[node.lineno - 1] + node.col_offset,  # type: ignore[attr-defined]  # only positioned nodes come here
            self.offsets[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[attr-defined]  # the same
        )

    def between(self, start: int, end: int) -> str:
        """Return the text of a span of bytes."""
        return self.data[start:end].decode("utf-8")

    def node_text(self, node: ast.AST) -> str:
        """Return the text of a node as it is written."""
        return self.between(*self.span(node))

    def lines_span(self, first: int, last: int) -> tuple[int, int]:
        """Return the bytes of whole lines, line ends included."""
        return self.offsets[first - 1], min(self.offsets[last], len(self.data))

    def edited(self, edits: Edits) -> str:
        """Return the file's text with splices applied; the splices may not overlap."""
        return splice(self.data, edits).decode("utf-8")

    def diff(self, edits: Edits, name: str) -> str:
        """Return the change that splices make, as a unified diff of the file under a relative name."""
        before = self.text.splitlines(keepends=True)
        after = self.edited(edits).splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def splice(data: bytes, edits: Edits) -> bytes:
    """Apply splices to bytes; raises `ValueError` when two overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits):
        if edit.start < at:
            raise ValueError("two edits overlap")
        parts += [data[at : edit.start], edit.text.encode("utf-8")]
        at = edit.end
    return b"".join([*parts, data[at:]])


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that one node binds."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*FunctionNode, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".", 1)[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def _names_bound(node: ast.AST) -> set[str]:
    return {name for inner in ast.walk(node) for name in bound_names(inner)}


def names_read(node: ast.AST) -> Iterator[str]:
    """Yield the names that one node reads."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _units(body: list[ast.stmt], owner: str) -> list[Unit]:
    """List outermost functions and the other statements outside functions, in order."""
    units: list[Unit] = []
    for node in body:
        nested = _nested_bodies(node)
        if isinstance(node, ast.ClassDef):
            units += _units(node.body, node.name)
        elif nested and _defines(nested):
            for inner in nested:
                units += _units(inner, owner)
        else:
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            units.append(Unit(node, owner, first, node.end_lineno or node.lineno))
    return units


def _nested_bodies(node: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(node, (*FunctionNode, ast.ClassDef)):
        return []
    bodies = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(node, "handlers", [])]
    return [body for body in bodies if body]


def _defines(bodies: list[list[ast.stmt]]) -> bool:
    """Whether a compound statement outside functions holds functions or classes."""
    wanted = (*FunctionNode, ast.ClassDef)
    return any(isinstance(inner, wanted) for body in bodies for node in body for inner in ast.walk(node))
