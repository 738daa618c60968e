"""Tells behaviour that the code's author specified from behaviour that is merely there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from setpoint_probe.foreign_code import Raised, attempt

EXAMPLE, ERROR, TYPE = (
    "the example in its documentation",
    "the error in its documentation",
    "its declared type",
)
MEETS, CONTRADICTS = "meets", "contradicts"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_RAISES = re.compile(
    r"^\s*:(?:raises?|exception)\s+([\w.]+)\s*:|^\s{2,}([A-Z]\w*(?:Error|Exception|Exit|Warning|Iteration))\b"
)
_RAISES_WORDS = re.compile(r"[Rr]aises?\s+(?:an?\s+)?`{0,2}([A-Z]\w*)")


def compared(value: Any, want: str) -> str:  # noqa: ANN401 - any value at all
    """Say whether a value is what an example shows; empty where that cannot be told."""
    want = want.strip()
    shown = attempt(lambda: (repr(value), str(value)))
    if isinstance(shown, Raised) or not want:
        return ""
    if want in shown or attempt(lambda: bool(ast.literal_eval(want) == value)) is True:
        return MEETS
    literal = attempt(lambda: ast.literal_eval(want))
    return "" if isinstance(literal, Raised) or type(literal) is not type(value) else CONTRADICTS


class Specification:
    """What the source of a module promises, by the qualified name of each function and class."""

    def __init__(self, tree: ast.Module) -> None:
        """Read the documentation and the annotations of a module."""
        self._errors: dict[str, frozenset[str]] = {}
        self._types: dict[str, str] = {}
        for name, node in _definitions(tree, ""):
            self._errors[name] = frozenset(_errors(ast.get_docstring(node) or ""))
            note = getattr(node, "returns", None)
            self._types[name] = ast.unparse(note) if note is not None else ""

    def raises(self, target: str, error: str) -> bool:
        """Whether the documentation of a function, or of its class, names an error."""
        name = error.rpartition(".")[2]
        owner = target.rpartition(".")[0]
        return any(name in self._errors.get(each, ()) for each in (target, owner, f"{target}.__init__"))

    def gives(self, target: str, kind: str) -> bool:
        """Whether a function is annotated to return a type."""
        return bool(kind) and self._types.get(target, "").strip("'\"").rpartition(".")[2] == kind


def _definitions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Any]]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, _DEFINITIONS):
            yield f"{prefix}{each.name}", each
            if isinstance(each, ast.ClassDef):
                yield from _definitions(each, f"{prefix}{each.name}.")
        elif isinstance(each, ast.stmt):
            yield from _definitions(each, prefix)


def _errors(text: str) -> Iterator[str]:
    """Yield the errors that a docstring names: in a section, in a field, or in a sentence."""
    inside = False
    for line in text.splitlines():
        inside = bool(re.match(r"\s*Raises:?\s*$", line)) or (inside and not re.match(r"\S.*:\s*$", line))
        found = _RAISES.match(line)
        if found and (inside or found[1]):
            yield (found[1] or found[2]).rpartition(".")[2]
        yield from _RAISES_WORDS.findall(line)


def specified(outcome: Mapping[str, str], target: str, promises: Specification) -> str:
    """Say by what the author specified an outcome, given as its parts; empty where it is only pinned."""
    if outcome["meets"] == MEETS:
        return EXAMPLE
    if outcome["error"]:
        return ERROR if promises.raises(target, outcome["error"]) else ""
    only_type = re.fullmatch(r"type\(\{\}\)\.__name__ == '(\w+)'", outcome["check"])
    return TYPE if only_type and promises.gives(target, only_type[1]) else ""
