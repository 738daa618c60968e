"""Follow values through a file, by name: which of them reach a condition, or are given back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from setpoint.checks.proof.process.fact import Fact, Read

_MOST_ROUNDS = 20
Name = tuple[str, str]
"""The function around a name, empty outside functions, and the name; of an attribute with a dot before it."""


@dataclass(kw_only=True)
class Expression:
    """What an expression is made of."""

    names: list[Name] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    pairs: list[tuple[Expression, Expression]] = field(default_factory=list)
    """Both sides of differences and comparisons."""

    def add(self, other: Expression) -> None:
        """Take in another expression."""
        self.names += other.names
        self.reads += other.reads
        self.pairs += other.pairs

    def all_reads(self) -> Iterator[Read]:
        """Yield what is read in it."""
        yield from self.reads
        for left, right in self.pairs:
            yield from left.all_reads()
            yield from right.all_reads()


@dataclass(kw_only=True)
class Flow:
    """What a file does with its values."""

    assigned: list[tuple[list[Name], Expression]] = field(default_factory=list)
    passed: list[tuple[str, Expression]] = field(default_factory=list)
    """Calls by the last name of what is called, with all arguments."""
    parameters: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))
    """Of the functions of the file, by name."""
    bound: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Names that belong to a function."""
    conditions: list[Expression] = field(default_factory=list)
    returned: list[Expression] = field(default_factory=list)
    always: list[Read] = field(default_factory=list)
    """What counts wherever it is."""

    def reached(self) -> list[Read]:
        """Return what reaches a condition or is given back."""
        held: dict[Name, frozenset[Read]] = {}
        for _ in range(_MOST_ROUNDS):
            before = sum(map(len, held.values()))
            for names, value in self.assigned:
                self._hold(held, names, self._of(value, held))
            for called, arguments in self.passed:
                self._hold(held, self.parameters.get(called, ()), self._of(arguments, held))
            if sum(map(len, held.values())) == before:
                break
        found = [*self.always]
        for each in self.conditions:
            found += self._of(each, held)
        for each in self.returned:
            found += (read for read in self._of(each, held) if read.returned)
        return [*dict.fromkeys(each._replace(at_load=False) for each in found if each.text)]

    def read(self) -> list[Read]:
        """Return all that is read, wherever it goes."""
        values = [value for _, value in (*self.assigned, *self.passed)]
        found = [*self.always]
        for each in (*values, *self.conditions, *self.returned):
            found += each.all_reads()
        return found

    def _hold(self, held: dict[Name, frozenset[Read]], names: Iterable[Name], reads: frozenset[Read]) -> None:
        for scope, name in names if reads else ():
            loaded = reads if scope else frozenset(each._replace(at_load=True) for each in reads)
            place = self._place(scope, name)
            held[place] = held.get(place, frozenset()) | loaded

    def _place(self, scope: str, name: str) -> Name:
        return (scope, name) if name in self.bound.get(scope, ()) else ("", name)

    def _of(self, expression: Expression, held: dict[Name, frozenset[Read]]) -> frozenset[Read]:
        found = frozenset(expression.reads)
        for scope, name in expression.names:
            found |= held.get(self._place(scope, name), frozenset())
        for left, right in expression.pairs:
            one, other = self._of(left, held), self._of(right, held)
            if _is_span(one, other):
                one, other = _no_clock(one), _no_clock(other)
            found |= one | other
        return found


def _is_span(one: frozenset[Read], other: frozenset[Read]) -> bool:
    """Whether two readings of a clock are compared: time that went by, unless since the module was loaded."""
    clocks = [[each for each in side if each.fact is Fact.CLOCK] for side in (one, other)]
    return all(clocks) and not any(each.at_load for side in clocks for each in side)


def _no_clock(reads: frozenset[Read]) -> frozenset[Read]:
    return frozenset(each for each in reads if each.fact is not Fact.CLOCK)
