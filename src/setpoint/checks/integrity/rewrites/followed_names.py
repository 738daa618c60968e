"""Names that the request asks to rename or to remove, and what that means for tests of the base.

Tests of a renamed function cannot run on the result unchanged: they are run with the new name. Tests of a
removed one cannot run at all. Both only where the request asks for it, and where the change did it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from setpoint.model import syntax
from setpoint.model.evidence import Failure

_CLAUSES = re.compile(r"[;\n]|[.!?](?=\s|$)|\b(?:but|so that|because|since)\b", re.IGNORECASE)
_RENAMES = re.compile(r"\b(?:renam\w*|call\w*|replac\w*)\b", re.IGNORECASE)
_REMOVES = re.compile(
    r"\b(?:remov(?:e|es|ing)|delet(?:e|es|ing)|drop(?:s|ping)?|get rid of)\b", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:don't|do not|never|without|not|no longer)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Z0-9]+(?![a-z])|[A-Za-z][a-z0-9]*")
_SMALL = frozenset(
    {
        "a",
        "an",
        "as",
        "by",
        "do",
        "for",
        "from",
        "get",
        "in",
        "is",
        "make",
        "of",
        "on",
        "set",
        "the",
        "to",
        "with",
    }
)
_DOTTED = re.compile(r"(?:\w+\.)+\w+")
_LACKS = frozenset({"NameError", "AttributeError", "ImportError", "ModuleNotFoundError"})
_QUOTED = re.compile(r"'([\w.]+)'")


@dataclass(frozen=True, kw_only=True)
class FollowedNames:
    """What a change did to names, as far as the request asks for it."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    """New name by old name."""
    removed: frozenset[str] = frozenset()

    def adapted(self, source: str) -> str:
        """Return tests of the base with the new names, and without imports of what was removed."""
        return _without_imports(_with_names(source, self.renamed), self.removed)

    def excuses(self, failure: Failure) -> bool:
        """Whether a test fails because it uses what was removed."""
        error = failure.error.rpartition(".")[2] or failure.message.partition(":")[0].strip()
        lacking = {part for name in _QUOTED.findall(failure.message) for part in name.split(".")}
        return error in _LACKS and bool(lacking & self.removed)


def followed_names(request: str, before: Mapping[str, str], after: Mapping[str, str]) -> FollowedNames:
    """Tell what was renamed and removed as asked; `before` and `after` are changed code by path."""
    old, new = defined(before), defined(after)
    gone, fresh = old.keys() - new.keys(), new.keys() - old.keys()
    clauses = [each for each in _CLAUSES.split(request) if each and not _NOT.search(each)]
    renamed = {
        first: second
        for clause in clauses
        if _RENAMES.search(clause)
        for first in gone
        for second in fresh
        if _before(first, second, clause)
    }
    asked = {
        name
        for clause in clauses
        if _REMOVES.search(clause)
        for name in gone - renamed.keys()
        if _named(name, clause)
    }
    inside = {name for name in gone for owner in old[name] if owner & asked}
    return FollowedNames(renamed=renamed, removed=frozenset(asked | inside) - renamed.keys())


def defined(sources: Mapping[str, str]) -> dict[str, set[frozenset[str]]]:
    """Return each name that code defines, its modules included, with the modules and classes it lies in."""
    found: dict[str, set[frozenset[str]]] = {}
    for path, text in sources.items():
        stem = path.rpartition("/")[2].removesuffix(".py")
        module = path.split("/")[-2] if stem == "__init__" and "/" in path else stem
        found.setdefault(module, set()).add(frozenset())
        try:
            tree = syntax.parse(text)
        except (SyntaxError, ValueError):
            continue
        for name, owners in _definitions(tree.body, frozenset({module})):
            found.setdefault(name, set()).add(owners)
    return found


def _definitions(body: list[ast.stmt], owners: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, owners
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node.body, owners | {node.name})
            else:
                named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                yield from ((each.arg, owners | {node.name}) for each in named)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((each.id, owners) for each in targets if isinstance(each, ast.Name))
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions([*node.body, *node.orelse], owners)


def removed_lines(source: str, removed: Collection[str]) -> set[int]:
    """Return the lines of the definitions with these names, 1-based."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError):
        return set()
    return {
        line
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in removed
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _before(first: str, second: str, clause: str) -> bool:
    """Whether a clause names one thing and then the other: 'rename A to B', 'replace A by B'."""
    places = [re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", clause) for name in (first, second)]
    return places[0] is not None and places[1] is not None and places[0].start() < places[1].start()


def _named(name: str, clause: str) -> bool:
    """Whether a clause names a thing, by its name or by all words of its name."""
    if re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", clause):
        return True
    words = {_plain(word) for word in _WORD.findall(name)} - _SMALL
    return bool(words) and words <= {_plain(word) for word in _WORD.findall(clause)}


def _plain(word: str) -> str:
    return word.lower().removesuffix("s")


def _with_names(source: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return source
    lines = source.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    for token in reversed(tokens):
        text = token.string
        if token.type == tokenize.NAME:
            new = renamed.get(text, text)
        elif token.type == tokenize.STRING and token.start[0] == token.end[0]:
            new = _DOTTED.sub(lambda found: ".".join(renamed.get(p, p) for p in found[0].split(".")), text)
        else:
            continue
        if new != text:
            row, (start, end) = token.start[0] - 1, (token.start[1], token.end[1])
            lines[row] = f"{lines[row][:start]}{new}{lines[row][end:]}"
    return "".join(lines)


def _without_imports(source: str, removed: Collection[str]) -> str:
    """Take names out of imports, so that the other tests of a file can still run."""
    if not removed:
        return source
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError):
        return source
    lines = source.splitlines(keepends=True)
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in sorted(nodes, key=lambda each: each.lineno, reverse=True):
        kept = _kept(node, removed)
        if len(kept) == len(node.names):
            continue
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        indent = " " * node.col_offset
        node.names = kept
        lines[first:last] = [f"{indent}{ast.unparse(node) if kept else 'pass'}\n"]
    return "".join(lines)


def _kept(node: ast.Import | ast.ImportFrom, removed: Collection[str]) -> list[ast.alias]:
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in removed:
        return []
    return [alias for alias in node.names if not any(part in removed for part in alias.name.split("."))]
