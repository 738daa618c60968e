"""What all languages share that tree-sitter parses (extra `languages`)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, ClassVar

from setpoint.checks.languages.changed_function import ChangedFunction, changed, weighed
from setpoint.checks.languages.language import ChangedCode, Language
from setpoint.checks.languages.tokens import tokens
from setpoint.checks.parsing import functions_of, parser_of, suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

ALL_NAMES = "*"
"""Represents, among exported names, all names of another module."""


class ParsedLanguage(Language):
    """A language that tree-sitter parses."""

    suffixes: ClassVar[tuple[str, ...]]

    def owns(self, path: str) -> bool:
        """Whether a file is a source in this language."""
        return suffix_of(path) in self.suffixes

    def changed(self, path: str, before: bytes | None, after: bytes) -> ChangedCode:
        """Return what of a file's code differs from the base; a function inside another belongs to that."""
        then, now = _root(path, before or b""), _root(path, after)
        if then is None or now is None:
            return ChangedCode(unread=(f"{path}, for which the extra `setpoint[languages]` is missing",))
        known = [(name, self._program(node)) for name, node in self.functions_in(then)]
        here = list(self.functions_in(now))
        differs = changed(known, [(name, self._program(node)) for name, node in here])
        found = (self.described(path, name, node) for name, node in compress(here, differs))
        return ChangedCode(functions=tuple(weighed(each, before or b"") for each in found))

    def same_program(self, before: bytes, after: bytes, path: str) -> bool:
        """Whether two texts differ in comments, documentation and layout alone."""
        old, new = _root(path, before), _root(path, after)
        if old is None or new is None or old.has_error or new.has_error:
            return before == after
        return self._program(old) == self._program(new) and self.documented(old) == self.documented(new)

    def lost_names(self, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
        """Return exported names that the base had and the result has not: why, by `module: name`."""
        now, found = self._modules(after), dict[str, str]()
        for module, names in self._modules(before).items():
            here = now.get(module, set())
            gone = "it is gone" if module in now else "its module is gone"
            lost = set() if ALL_NAMES in here else names - here - {ALL_NAMES}
            found |= {f"{module}: {name}": gone for name in sorted(lost)}
        return found

    def unread(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those of the paths that cannot be parsed because an extra is not installed."""
        return tuple(path for path in paths if self.owns(path) and parser_of(suffix_of(path)) is None)

    def functions_in(self, root: Node) -> Iterator[tuple[str, Node]]:
        """Yield the functions of a file with their qualified names."""
        yield from functions_of(root)

    @abstractmethod
    def described(self, path: str, name: str, node: Node) -> ChangedFunction:
        """Return a function with the ways to break it."""

    @abstractmethod
    def addresses_tool(self, comment: str) -> bool:
        """Whether a comment addresses a compiler or another tool, so that it is part of the program."""

    @abstractmethod
    def exported(self, path: str, root: Node) -> tuple[str, Iterator[str]]:
        """Return what others import a file as, and the names that it offers them."""

    def documented(self, root: Node) -> Sequence[str]:  # noqa: ARG002 -- others run their documentation
        """Return what of the comments is run."""
        return ()

    def _program(self, node: Node) -> tuple[str, ...]:
        return tuple(tokens(node, self.addresses_tool))

    def _modules(self, files: Mapping[str, bytes]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for path, content in files.items():
            root = _root(path, content) if self.owns(path) else None
            if root is not None:
                module, names = self.exported(path, root)
                found.setdefault(module, set()).update(names)
        return found


def _root(path: str, source: bytes) -> Node | None:
    parser = parser_of(suffix_of(path))
    return parser.parse(source).root_node if parser is not None else None
