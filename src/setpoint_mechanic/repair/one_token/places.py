"""Where an edit is tried: the lines of the files that failing tests use, each with how suspicious it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from setpoint.model.attempt import Brief
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Failure
from setpoint_mechanic.repair.one_token.grammars import (
    FUNCTIONS,
    NAMES,
    inside,
    lines_of,
    parser_of,
    suffix_of,
    text_of,
)
from setpoint_mechanic.repair.one_token.used_files import go_files, script_files

if TYPE_CHECKING:
    from tree_sitter import Node

_RANKED, _FRAME, _AROUND = 1.0, 0.9, 0.5
_BY_DISTANCE = (0.45, 0.3, 0.2)
"""Of functions that a failing test names, those that they name, and those that these name."""
_UNASKED = frozenset({"init"})
"""Functions of Go that run without being named."""
_REST = 0.08
_GENERATED = re.compile(r"\bDO NOT EDIT\b|@generated\b")
_HEAD = 1000
_MOST_BYTES = 400_000


class Source(NamedTuple):
    """A file that may be changed."""

    text: bytes
    root: Node
    lines: Mapping[int, float]
    """How suspicious its lines are, 0 to 2."""


def suspicious(brief: Brief, failures: Sequence[Failure]) -> dict[str, Source]:
    """Return the files that failing tests use, with how suspicious their lines are."""
    tree = Path(brief.workdir)
    files = dict[str, None]()
    named = set[str]()
    for failure in failures:
        place, _, name = failure.test.partition("::")
        used = script_files(tree, place, name) if suffix_of(place) else go_files(tree, place, name)
        files.update(dict.fromkeys(used.files))
        named |= used.names
    pointed = _pointed(brief, failures)
    files.update(dict.fromkeys(file for file, _ in pointed))
    roots = {file: root for file in files if (root := _parsed(tree, file)) is not None}
    near = _named_functions([each[1] for each in roots.values()], named)
    return {
        file: Source(
            text, root, _scored(root, {at: n for (own, at), n in pointed.items() if own == file}, near)
        )
        for file, (text, root) in roots.items()
    }


def _pointed(brief: Brief, failures: Sequence[Failure]) -> dict[tuple[str, int], float]:
    """Return the lines that somebody points at: the checks by what tests run, the traces of the failures."""
    found: dict[tuple[str, int], float] = defaultdict(float)
    for suspect in brief.suspects:
        found[suspect.file, suspect.line] = _RANKED + suspect.score / suspect.rank
    for failure in failures:
        frames = (
            (failure.file, failure.line),
            *((each.file, each.line) for each in reversed(failure.frames)),
        )
        for depth, at in enumerate(each for each in frames if not is_test_path(each[0])):
            found[at] = max(found[at], _FRAME - 0.05 * depth)
    return {at: score for at, score in found.items() if at[0]}


def _parsed(tree: Path, file: str) -> tuple[bytes, Node] | None:
    """Parse a file that may be changed; none for tests, generated files and those of others."""
    path, suffix = tree / file, suffix_of(file)
    if not suffix or is_test_path(file) or {"node_modules", "vendor"} & set(path.parts):
        return None
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return None
    text, parser = path.read_bytes(), parser_of(suffix)
    if parser is None or _GENERATED.search(text[:_HEAD].decode("utf-8", "replace")):
        return None
    root = parser.parse(text).root_node
    return None if root.has_error else (text, root)


def _named_functions(roots: Iterable[Node], named: Iterable[str]) -> dict[str, float]:
    """Score functions by how far they are from what the failing tests name."""
    uses: dict[str, set[str]] = defaultdict(set)
    for name, function in (each for root in roots for each in _functions(root)):
        uses[name] |= {text_of(each) for each in inside(function) if each.type in NAMES}
    found: dict[str, float] = {}
    reached = set(named) & uses.keys()
    for score in _BY_DISTANCE:
        found.update(dict.fromkeys(reached - found.keys(), score))
        reached = ({used for name in reached for used in uses[name]} | _UNASKED) & uses.keys()
    return found


def _functions(root: Node) -> Iterator[tuple[str, Node]]:
    for node in inside(root):
        if node.type not in FUNCTIONS:
            continue
        owner = node.parent
        held = owner is not None and owner.type in ("variable_declarator", "pair", "assignment_expression")
        name = node.child_by_field_name("name")
        if name is None and held and owner is not None:
            fields = (owner.child_by_field_name(each) for each in ("name", "key", "left"))
            name = next((each for each in fields if each is not None), None)
        if name is not None:
            yield text_of(name).rpartition(".")[2], node


def _scored(root: Node, pointed: Mapping[int, float], near: Mapping[str, float]) -> dict[int, float]:
    last = lines_of(root)[-1]
    scores = dict.fromkeys(range(1, last + 1), _REST)
    for name, function in _functions(root):
        score = near.get(name, _REST)
        if any(line in pointed for line in lines_of(function)):
            score = max(score, _AROUND)
        scores.update({line: max(score, scores[line]) for line in lines_of(function)})
    return {**scores, **{line: max(n, scores.get(line, 0)) for line, n in pointed.items()}}
