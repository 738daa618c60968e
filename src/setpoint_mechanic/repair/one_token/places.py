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
    NAMES,
    functions_in,
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
_BY_RANK, _WITHIN = 0.001, 0.98
"""How much less the next rank of one score weighs, and the share of the other lines of a statement."""
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
    highest = 0.0
    for suspect in sorted(brief.suspects, key=lambda each: -each.rank):
        highest = max(highest, suspect.score)  # lines of the change come first, also those of a lower score
        found[suspect.file, suspect.line] = _RANKED + highest - _BY_RANK * suspect.rank
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
    for name, function in (each for root in roots for each in functions_in(root)):
        uses[name] |= {text_of(each) for each in inside(function) if each.type in NAMES}
    found: dict[str, float] = {}
    reached = set(named) & uses.keys()
    for score in _BY_DISTANCE:
        found.update(dict.fromkeys(reached - found.keys(), score))
        reached = ({used for name in reached for used in uses[name]} | _UNASKED) & uses.keys()
    return found


def _scored(root: Node, pointed: Mapping[int, float], near: Mapping[str, float]) -> dict[int, float]:
    last = lines_of(root)[-1]
    scores = dict.fromkeys(range(1, last + 1), _REST)
    for name, function in functions_in(root):
        score = near.get(name, _REST)
        if any(line in pointed for line in lines_of(function)):
            score = max(score, _AROUND)
        scores.update({line: max(score, scores[line]) for line in lines_of(function)})
    for statement in (each for each in inside(root) if _is_statement(each)):
        score = _WITHIN * pointed.get(statement.start_point[0] + 1, 0.0)
        scores.update({line: max(score, scores[line]) for line in _own_lines(statement)} if score else {})
    return {**scores, **{line: max(n, scores.get(line, 0)) for line, n in pointed.items()}}


def _is_statement(node: Node) -> bool:
    return node.type.endswith(
        ("_statement", "lexical_declaration", "variable_declaration", "var_declaration")
    )


def _own_lines(statement: Node) -> Iterator[int]:
    """Yield the lines of a statement without those of the statements in it."""
    waiting = [statement]
    while waiting:
        each = waiting.pop()
        yield each.start_point[0] + 1
        waiting += [
            child for child in each.children if not _is_statement(child) and not child.type.endswith("block")
        ]
