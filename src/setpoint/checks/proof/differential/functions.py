"""Find the functions of changed Python files that the base has too, so that both can be called."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.subject import Subject
from setpoint.model import syntax
from setpoint_probe.wire.calls_order import recording
from setpoint_probe.wire.cover_order import module_of

_ALIKE = 0.7


@dataclass(frozen=True, kw_only=True)
class Comparable:
    """The functions of the changed files, by the name that they have on the result."""

    now: Mapping[str, tuple[str, str]]
    """Module (empty: as it was recorded) and qualified name, on the result."""
    before: Mapping[str, tuple[str, str]]
    """The same at the base, of those that can be called there with the same arguments."""
    changed: frozenset[str]
    """Those whose own text differs."""
    loose: frozenset[str]
    """Classes whose objects have other attributes than at the base."""
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How each is written, on both sides."""
    _all: Mapping[str, tuple[ChangedFunction, ...]] = field(default_factory=dict)

    def instrumented(self, sources: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
        """Return the sources with a statement at the top of each function that records its calls."""
        return {
            path: _recorded(sources[path], (each for each in own if str(each) in self.now), folder)
            for path, own in self._all.items()
        }


def comparable(subject: Subject, base: Path) -> Comparable:
    """Compare the functions of the changed files; `base` is the tree of the base."""
    paths = [path for path in subject.paths if is_source(path) and path not in subject.of_tests]
    here = {path: _functions(path, subject.after.get(path)) for path in paths}
    there = {path: _functions(path, subject.before.get(path)) for path in paths}
    loose = frozenset(
        name
        for path in paths
        for name in _other_attributes(subject.before.get(path, b""), subject.after.get(path, b""))
    )
    found: dict[str, tuple[str, str]] = {}
    for path, own in here.items():
        for name, each in own.items():
            if name.partition(".")[0] in loose:
                continue
            if name in there[path]:
                found[str(each)] = ("", name)
            elif moved := [other for other in paths if name in there[other] and name not in here[other]]:
                found[str(each)] = (module_of(base, moved[0]), name)
            elif renamed := _renamed(each, own, there[path]):
                found[str(each)] = ("", renamed)
    changed = frozenset(
        str(each)
        for path in here
        if path in subject.after
        for each in changed_python(path, subject.before.get(path), subject.after[path])[0]
    )
    named = {str(each): ("", name) for own in here.values() for name, each in own.items()}
    return Comparable(
        now=dict(sorted(named.items(), key=lambda each: each[0] not in changed)),
        before=found,
        changed=changed,
        loose=loose,
        texts={
            str(each): (each.text, *(old[name].text for old in there.values() if name in old))
            for own in here.values()
            for name, each in own.items()
        },
        _all={path: tuple(own.values()) for path, own in here.items() if own},
    )


def _functions(path: str, source: bytes | None) -> dict[str, ChangedFunction]:
    if source is None:
        return {}
    return {each.name: each for each in changed_python(path, None, source)[0] if each.first is not None}


def _renamed(
    function: ChangedFunction, here: Mapping[str, ChangedFunction], there: Mapping[str, ChangedFunction]
) -> str:
    """Return the function that is gone and is written alike; empty where none or several are."""
    owner, _, own = function.name.rpartition(".")
    gone = [
        each.name
        for each in there.values()
        if each.name not in here
        and each.name.rpartition(".")[0] == owner
        and _ratio(each.text.replace(each.name.rpartition(".")[2], own), function.text) >= _ALIKE
    ]
    return gone[0] if len(gone) == 1 else ""


def _ratio(before: str, after: str) -> float:
    return difflib.SequenceMatcher(None, before, after, autojunk=False).ratio()


def _other_attributes(before: bytes, after: bytes) -> Iterator[str]:
    """Yield the classes whose objects do not hold the same attributes on both sides."""
    then, now = (dict(_attributes(each)) for each in (before, after))
    yield from (name for name, held in now.items() if then.get(name, held) != held)


def _attributes(source: bytes) -> Iterator[tuple[str, frozenset[str]]]:
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name, frozenset(_stored(node))


def _stored(node: ast.ClassDef) -> Iterable[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id


def _recorded(source: bytes, functions: Iterable[ChangedFunction], folder: Path) -> bytes:
    made = [
        each.first._replace(text=f"{recording(str(each), folder)}{each.first.text}")
        for each in functions
        if each.first is not None
    ]
    for offset, text in sorted(made, reverse=True):
        source = source[:offset] + text.encode() + source[offset:]
    return source
