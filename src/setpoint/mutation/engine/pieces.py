"""A module compiled statement by statement, so that an edit costs the compilation of one alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from types import CodeType

from .source import Edits, Source, splice
from .swap import future_flags

_ANNOTATIONS_AT_ONCE = (3, 14)
"""From here on a module has one function for all its annotations, which pieces cannot share."""


class NotInPieces(Exception):
    """This module is more than its statements one after the other, with the reason."""


class Pieces:
    """The statements of a module as they stand."""

    def __init__(self, source: Source) -> None:
        """Compile them; raises `NotInPieces`."""
        body = source.tree.body
        if any(each.end_lineno == other.lineno for each, other in zip(body, body[1:])):
            raise NotInPieces("statements share a line")
        if sys.version_info >= _ANNOTATIONS_AT_ONCE and any(
            isinstance(each, ast.AnnAssign) for each in ast.walk(source.tree)
        ):
            raise NotInPieces("it has annotations")
        self._source = source
        self._flags = future_flags(source)
        # compiled alone, a text between others would count as the module's documentation
        texts = {each for each in body[1:] if isinstance(each, ast.Expr) and _is_text(each.value)}
        self._codes: dict[ast.AST, CodeType] = {
            each: self._compiled(each, ()) for each in body if each not in texts
        }

    def edited(self, node: ast.AST | None, edits: Edits) -> Sequence[CodeType]:
        """Give the code of all statements, in order, that which holds the node with edits; none for no edits.

        Raises `NotInPieces` for an edit that does not compile.
        """
        parents = self._source.parents
        while node is not None and node not in self._codes:
            node = parents.get(node)
        if edits and node is None:
            raise NotInPieces("the edit is in no statement")
        changed = {node: self._compiled(node, edits)} if node is not None and edits else {}
        return [changed.get(each, code) for each, code in self._codes.items()]

    def _compiled(self, node: ast.AST, edits: Edits) -> CodeType:
        assert isinstance(node, ast.stmt)  # noqa: S101 - for the type checker; a module consists of statements
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        start, end = self._source.lines_span(first, node.end_lineno or node.lineno)
        if any(edit.start < start or edit.end > end for edit in edits):
            raise NotInPieces("the edit goes beyond its statement")
        shifted = tuple(edit._replace(start=edit.start - start, end=edit.end - start) for edit in edits)
        try:
            text = "\n" * (first - 1) + splice(self._source.data[start:end], shifted).decode("utf-8")
            code: CodeType = compile(text, self._source.path, "exec", self._flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NotInPieces(str(error)) from error
        return code


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
