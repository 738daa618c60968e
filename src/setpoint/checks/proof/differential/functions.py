"""Find the functions of changed Python files that the base has too, so that both can be called."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.subject import Subject
from setpoint.model import syntax
from setpoint.model.proof import WorkKind
from setpoint_probe.source.import_roots import module_of
from setpoint_probe.wire.calls import SPECIAL
from setpoint_probe.wire.calls_order import recording, watching

FOLDER = "{folder}"
"""Represents, in an insertion, the folder to which calls are written."""
_ALIKE = 0.7
_PROPERTIES = frozenset({"property", "cached_property"})


@dataclass(frozen=True, kw_only=True)
class Comparable:
    """The functions of the changed files, by the name that they have on the result."""

    now: Mapping[str, tuple[str, str]]
    """Module (empty: as it was recorded) and qualified name, on the result."""
    before: Mapping[str, tuple[str, str]]
    """The same at the base, of those that can be called there with the same arguments."""
    changed: frozenset[str]
    """Those whose own text differs."""
    loose: Mapping[str, tuple[str, ...]]
    """Classes whose objects have other attributes than at the base, with what was public there."""
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How each is written, on both sides."""
    recording: Mapping[str, tuple[Insertion, ...]] = field(default_factory=dict)
    """What records the calls of the functions of each file, with `FOLDER` for where."""

    lost: Mapping[str, tuple[Insertion, ...]] = field(default_factory=dict)
    """The same at the base, of functions that the result makes in another way, as `f = made(3)`."""
    lost_names: tuple[str, ...] = ()
    copying: Mapping[str, Mapping[str, Insertion]] = field(default_factory=dict)
    """By function and argument (its name, or its place from 0): what lets it begin with a copy of that."""
    guarded: tuple[str, ...] = ()
    """Functions that are also called with nothing and empty values, because the change takes guards away."""


def instrumented(
    recording: Mapping[str, tuple[Insertion, ...]], sources: Mapping[str, bytes], folder: Path
) -> dict[str, bytes]:
    """Return sources with statements that record the calls of their functions."""
    made: dict[str, bytes] = {}
    for path, own in recording.items():
        source = sources[path]
        for each in sorted(own, key=lambda each: each.offset, reverse=True):
            put = each.text.replace(FOLDER, str(folder)).encode()
            source = source[: each.offset] + put + source[each.offset :]
        made[path] = source
    return made


def comparable(subject: Subject, base: Path) -> Comparable:
    """Compare the functions of the changed files; `base` is the tree of the base."""
    paths = [path for path in subject.paths if is_source(path) and path not in subject.of_tests]
    here = {path: _functions(path, subject.after.get(path)) for path in paths}
    there = {path: _functions(path, subject.before.get(path)) for path in paths}
    before, after = (_classes_of(paths, sources) for sources in (subject.before, subject.after))
    loose = {
        name: before[name].public
        for name in after.keys() & before.keys()
        if before[name].held != after[name].held
    }
    found = _found_before(paths, here, there, base)
    for name in after.keys() & before.keys():
        same = before[name].path == after[name].path
        found[f"{after[name].path}::{name}"] = ("" if same else module_of(base, before[name].path), name)
    changed = frozenset(
        str(each)
        for path in here
        if path in subject.after
        for each in changed_python(path, subject.before.get(path), subject.after[path])[0]
    )
    named = {str(each): ("", name) for own in here.values() for name, each in own.items()}
    named |= {f"{each.path}::{name}": ("", name) for name, each in after.items()}
    lost = _lost(subject, here, there)
    classes = {
        path: {name: f"{path}::{name}" for name, each in after.items() if each.path == path}
        for path in {each.path for each in after.values()}
    }
    return Comparable(
        now=dict(sorted(named.items(), key=lambda each: each[0] not in changed)) | _places(lost),
        before=found | _places(lost),
        changed=changed,
        loose=loose,
        texts={
            str(each): (each.text, *(old[name].text for old in there.values() if name in old))
            for own in here.values()
            for name, each in own.items()
        }
        | {str(each): (each.text,) for own in lost.values() for each in own},
        recording={
            path: (*map(_recording, here[path].values()), *_following(subject.after[path], classes.get(path)))
            for path in here
            if path in subject.after
        },
        copying={str(each): _copying(each) for path in here for each in here[path].values()},
        lost={path: tuple(map(_recording, own)) for path, own in lost.items()},
        lost_names=tuple(_places(lost)),
    )


def _found_before(
    paths: Iterable[str],
    here: Mapping[str, Mapping[str, ChangedFunction]],
    there: Mapping[str, Mapping[str, ChangedFunction]],
    base: Path,
) -> dict[str, tuple[str, str]]:
    """Return where the base has the functions of the result: as they are, moved or renamed."""
    found: dict[str, tuple[str, str]] = {}
    for path, own in here.items():
        for name, each in own.items():
            if name in there[path]:
                found[str(each)] = ("", name)
            elif moved := [other for other in paths if name in there[other] and name not in here[other]]:
                found[str(each)] = (module_of(base, moved[0]), name)
            elif renamed := _renamed(each, own, there[path]):
                found[str(each)] = ("", renamed)
    return found


def _lost(
    subject: Subject,
    here: Mapping[str, Mapping[str, ChangedFunction]],
    there: Mapping[str, Mapping[str, ChangedFunction]],
) -> dict[str, list[ChangedFunction]]:
    """Return public functions of the base that a refactoring defines in another way, by their files."""
    if subject.work is not WorkKind.REFACTOR:
        return {}
    lost = {
        path: [own[name] for name in own if name not in here[path] and not re.search(r"^_|\.", name)]
        for path, own in there.items()
        if path in subject.after
    }
    return {path: own for path, own in lost.items() if own}


def _places(functions: Mapping[str, Iterable[ChangedFunction]]) -> dict[str, tuple[str, str]]:
    return {str(each): ("", each.name) for own in functions.values() for each in own}


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


class _Class(NamedTuple):
    """A class outside functions and other classes."""

    path: str
    held: frozenset[str]
    """Attributes that its objects hold."""
    public: tuple[str, ...]
    """What can be seen of its objects from outside."""


def _classes_of(paths: Iterable[str], sources: Mapping[str, bytes]) -> dict[str, _Class]:
    """Return the classes of some files; a class has what the classes have that it extends."""
    found: dict[str, _Class] = {}
    for path in paths:
        try:
            tree = syntax.parse(sources.get(path, b""))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                above = [
                    found[each.id] for each in node.bases if isinstance(each, ast.Name) and each.id in found
                ]
                held = frozenset(_stored(node)).union(*(each.held for each in above))
                names = {each for each in held if each[:1] != "_"}.union(
                    _read(node), *(each.public for each in above)
                )
                found[node.name] = _Class(path, held, tuple(sorted(names)))
    return found


def _stored(node: ast.ClassDef) -> Iterable[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id


def _read(node: ast.ClassDef) -> Iterable[str]:
    """Yield the properties of a class, and what else shows its objects."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            words = {
                part.id for top in each.decorator_list for part in ast.walk(top) if isinstance(part, ast.Name)
            }
            words |= {
                part.attr
                for top in each.decorator_list
                for part in ast.walk(top)
                if isinstance(part, ast.Attribute)
            }
            if each.name in SPECIAL or (words & _PROPERTIES and each.name[:1] != "_"):
                yield each.name


def _recording(function: ChangedFunction) -> Insertion:
    first = function.first or Insertion(0, "")
    return first._replace(text=f"{recording(str(function), FOLDER)}{first.text}")


def _copying(function: ChangedFunction) -> dict[str, Insertion]:
    """Return for each argument what replaces it by a copy when the function begins."""
    first = function.first or Insertion(0, "")
    try:
        node = syntax.parse(textwrap.dedent(function.text).encode()).body[0]
    except (SyntaxError, ValueError, IndexError):
        return {}
    given = node.args if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)] if given else []
    return {
        name: first._replace(text=f"{name} = __import__('copy').deepcopy({name}){first.text}")
        for name in names
    }


def _following(source: bytes, classes: Mapping[str, str] | None) -> Iterable[Insertion]:
    """Yield the statement at the end of a file that follows the objects of its classes."""
    if classes:
        yield Insertion(len(source.rstrip()), f"\n{watching(classes, FOLDER)}\n")
