"""What stands near a function: its constants, and those of the module's tables that it looks into."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from random import Random

from .kinds import constants
from .regex_samples import is_pattern, samples
from .values import Near, Number

_DEPTH = 3
"""Functions of the module that are called by those that are called are looked at too."""
_MOST_TEXT, _MOST_WORDS, _MOST_NUMBERS = 30, 80, 40
_PER_PATTERN, _MOST_SAMPLES = 2, 120
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Surroundings:
    """The names that a module binds outside its functions, and what they hold."""

    def __init__(self, tree: ast.Module) -> None:
        """Look through a parsed file."""
        self._tree = tree
        self._named: dict[str, list[ast.AST]] = {}
        self._known: dict[ast.AST, tuple[Near, tuple[str, ...]]] = {}
        for node in tree.body:
            for name in bound(node):
                self._named.setdefault(name, []).append(node)

    def of(self, node: ast.AST | None) -> tuple[Near, tuple[str, ...]]:
        """Return words and numbers near a function, and texts that its regular expressions match."""
        if node is None:
            return Near(), ()
        if node not in self._known:
            self._known[node] = self._look(node)
        return self._known[node]

    def users_of(self, node: ast.AST) -> list[frozenset[int]]:
        """Return the lines of each function that looks, also through others, into what a statement binds."""
        names = set(bound(node))
        functions = [each for each in ast.walk(self._tree) if isinstance(each, _FUNCTIONS)]
        return [
            frozenset(range(each.body[0].lineno, (each.end_lineno or each.lineno) + 1))
            for each in functions
            if any(names.intersection(_loaded(found)) for found in self._reached(each))
        ]

    def _look(self, node: ast.AST) -> tuple[Near, tuple[str, ...]]:
        texts: dict[str, None] = {}
        numbers: dict[Number, None] = {}
        for each in self._reached(node):
            for text in constants(each):
                value = ast.literal_eval(text)
                if isinstance(value, str) and value:
                    texts[value] = None
                elif isinstance(value, (int, float)) and abs(value) < 1 << 31:
                    numbers[value] = None
        random = Random(0)
        patterns = [text for text in texts if is_pattern(text)]
        matched = [made for text in patterns for made in samples(text, _PER_PATTERN, random)]
        words = [text for text in texts if text not in patterns and len(text) <= _MOST_TEXT]
        near = Near(tuple(words[:_MOST_WORDS]), tuple(numbers)[:_MOST_NUMBERS])
        return near, tuple(matched[:_MOST_SAMPLES])

    def _reached(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield a function, and what of the module it names, directly or through what it names."""
        seen: set[int] = set()
        level: list[ast.AST] = [node]
        for _ in range(_DEPTH):
            following: list[ast.AST] = []
            for each in level:
                if id(each) in seen:
                    continue
                seen.add(id(each))
                yield each
                following += [found for name in _loaded(each) for found in self._named.get(name, ())]
            level = following


def bound(node: ast.AST) -> Collection[str]:
    """Return the names that a statement of a module binds: a function's own, or those of an assignment."""
    if isinstance(node, _FUNCTIONS):
        return (node.name,)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [target.id for target in targets if isinstance(target, ast.Name)]
    return ()


def _loaded(node: ast.AST) -> Collection[str]:
    found: Mapping[str, None] = {
        each.id: None
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    return tuple(found)
