"""The stream of candidate edits, best first, made only as far as it is asked for."""

from __future__ import annotations

import ast
import heapq
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from setpoint_probe.localise.ochiai import Line
from setpoint_probe.source.source import Edits, FunctionNode, Source, Unit
from setpoint_probe.templates import Scope, Template, by_node

from ..wire.repair import Request

_GREATEST_FACTOR = 1.2
_FLOOR = 0.12
"""Keeps likely edits of less suspicious lines before unlikely edits of the most suspicious one."""
_PREFERRED = 4.0
_DOUBTED = 0.25
_OUTSIDE = 0.6
"""Share of a function's suspicion that its defaults, and constants it reads, are given."""


class Leaning(NamedTuple):
    """What earlier repairs say about families of edits."""

    prefer: frozenset[str] = frozenset()
    doubt: frozenset[str] = frozenset()

    def of(self, template: str) -> float:
        """Return the factor of a family's prior."""
        if template in self.prefer:
            return _PREFERRED
        return _DOUBTED if template in self.doubt else 1.0


NEUTRAL = Leaning()


def leaning(request: Request) -> Leaning:
    """Read out of an order what earlier repairs say."""
    return Leaning(frozenset(request.prefer), frozenset(request.doubt))


class Candidate(NamedTuple):
    """One edit to be tried."""

    source: Source
    unit: Unit
    edits: Edits
    template: str
    size: int
    line: int
    """First line that is edited."""
    score: float
    leaning: float = 1.0
    """How much earlier repairs speak for its family."""
    also: Unit | None = None
    """The other unit that is edited, where two bugs are mended at once."""
    double: bool = False
    """It is made of two edits."""

    def parts(self) -> list[tuple[Unit, Edits]]:
        """Return the edits of each unit."""
        if self.also is None:
            return [(self.unit, self.edits)]
        start, end = self.source.lines_span(self.also.first_line, self.also.last_line)
        inside = tuple(edit for edit in self.edits if start <= edit.start < end)
        outside = tuple(edit for edit in self.edits if edit not in inside)
        return [(self.unit, outside), (self.also, inside)]

    def units(self) -> tuple[Unit, ...]:
        """Return the units that are edited."""
        return (self.unit,) if self.also is None else (self.unit, self.also)


def stream(
    sources: Mapping[str, Source],
    scores: Mapping[Line, float],
    seed: int,
    leaning: Leaning = NEUTRAL,
    first: Iterable[Candidate] = (),
) -> Iterator[Candidate]:
    """Yield all candidates on lines with a score, highest prior by suspicion first, none twice.

    Those in `first` take their place by the score that they bring with them.
    """
    tie = random.Random(seed)  # noqa: S311 - orders equals, keeps no secret
    heap: list[tuple[float, float, int, Candidate | _Open]] = []
    count = 0
    for opening in _openings(sources, scores):
        opening = opening._replace(leaning=leaning.of(opening.template.name))  # noqa: PLW2901 - the same, weighed
        count += 1
        heapq.heappush(heap, (-opening.bound, tie.random(), count, opening))
    seen: set[tuple[str, Edits]] = set()
    for candidate in first:
        weighed = leaning.of(candidate.template)
        given = candidate._replace(score=candidate.score * weighed, leaning=weighed)
        count += 1
        heapq.heappush(heap, (-given.score, tie.random(), count, given))
    while heap:
        _, _, _, entry = heapq.heappop(heap)
        if isinstance(entry, Candidate):
            seen.add((entry.source.path, entry.edits))
            yield entry
            continue
        for candidate in entry.candidates():
            key = (candidate.source.path, candidate.edits)
            if key not in seen:
                seen.add(key)
                count += 1
                heapq.heappush(heap, (-candidate.score, tie.random(), count, candidate))


class _Open(NamedTuple):
    """A template on a node, whose edits are not made yet."""

    scope: Scope
    template: Template
    node: ast.AST
    suspicion: float
    leaning: float = 1.0

    @property
    def bound(self) -> float:
        return self.template.prior * self.suspicion * self.leaning * _GREATEST_FACTOR

    def candidates(self) -> Iterator[Candidate]:
        source = self.scope.source
        for edits, factor in self.template.propose(self.scope, self.node):
            score = self.template.prior * factor * self.suspicion * self.leaning
            line = source.data.count(b"\n", 0, min(edit.start for edit in edits)) + 1
            ordered = tuple(sorted(edits))
            name, size = self.template.name, self.template.size
            yield Candidate(source, self.scope.unit, ordered, name, size, line, score, self.leaning)


def _openings(sources: Mapping[str, Source], scores: Mapping[Line, float]) -> Iterator[_Open]:
    templates = by_node()
    read: dict[str, float] = {}
    for path, source in sources.items():
        for unit in source.units:
            own = [scores.get((path, line), 0.0) for line in range(unit.first_line, unit.last_line + 1)]
            if max(own, default=0.0) > 0:
                scope = Scope(source, unit)
                yield from _on_lines(scope, templates, scores)
                if unit.is_function:
                    for node in scope.nodes:
                        if isinstance(node, (ast.Name, ast.Attribute)):
                            name = node.id if isinstance(node, ast.Name) else node.attr
                            read[name] = max(read.get(name, 0.0), _own_suspicion(scope, node, scores))
    for path, source in sources.items():
        for unit in source.units:
            bound = _bound_name(unit)
            if bound in read and not any(
                scores.get((path, line)) for line in range(unit.first_line, unit.last_line + 1)
            ):
                yield from _on_constants(Scope(source, unit), templates, read[bound] * _OUTSIDE)


def _on_lines(
    scope: Scope, templates: dict[type[ast.AST], tuple[Template, ...]], scores: Mapping[Line, float]
) -> Iterator[_Open]:
    head = _signature_suspicion(scope, scores)
    signature = _signature_nodes(scope.unit)
    for node in scope.nodes:
        found = head if id(node) in signature else _own_suspicion(scope, node, scores)
        if found > 0:
            for template in templates.get(type(node), ()):
                yield _Open(scope, template, node, found + _FLOOR)


def _on_constants(
    scope: Scope, templates: dict[type[ast.AST], tuple[Template, ...]], suspicion: float
) -> Iterator[_Open]:
    for node in scope.nodes:
        for template in templates.get(type(node), ()):
            yield _Open(scope, template, node, suspicion + _FLOOR)


def _own_suspicion(scope: Scope, node: ast.AST, scores: Mapping[Line, float]) -> float:
    """Return the score of the lines of a node, else of the head of its statement."""
    path = scope.source.path
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
    if isinstance(node, ast.stmt) or not first:
        node = node if isinstance(node, ast.stmt) else scope.statement(node)
        first, last = node.lineno, _head_end(node)
    elif isinstance(node, ast.ExceptHandler):
        last = first
    own = max((scores.get((path, line), 0.0) for line in range(first, last + 1)), default=0.0)
    if own or isinstance(node, (ast.stmt, ast.ExceptHandler)):
        return own
    statement = scope.statement(node)
    return max(
        (scores.get((path, line), 0.0) for line in range(statement.lineno, _head_end(statement) + 1)),
        default=0.0,
    )


def _head_end(node: ast.stmt) -> int:
    """Return the last line of a statement without the blocks inside it."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno


def _signature_nodes(unit: Unit) -> frozenset[int]:
    if not isinstance(unit.node, FunctionNode):
        return frozenset()
    args = unit.node.args
    parts: list[ast.AST] = [*args.defaults, *(each for each in args.kw_defaults if each is not None)]
    return frozenset(id(inner) for part in parts for inner in ast.walk(part))


def _signature_suspicion(scope: Scope, scores: Mapping[Line, float]) -> float:
    unit = scope.unit
    lines = (
        scores.get((scope.source.path, line), 0.0) for line in range(unit.first_line, unit.last_line + 1)
    )
    return max(lines, default=0.0) * _OUTSIDE


def _bound_name(unit: Unit) -> str:
    """Return the name that a statement outside functions binds, empty if it binds none plainly."""
    node = unit.node
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, (ast.AnnAssign, ast.AugAssign))
        else []
    )
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
