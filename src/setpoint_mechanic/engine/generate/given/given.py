"""What tests of the project give for tests to be written: fixtures, and functions that make an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Given:
    """A fixture, or a function that makes a value as a test of the project does."""

    name: str
    call: str
    """What gives the value in a test: the fixture's name, or a call of the function."""
    takes: tuple[str, ...] = ()
    """Fixtures that it takes."""
    fixture: bool = False
    shared: bool = False
    """One value serves several tests, so that no test may change it."""
    imports: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Definitions that a file of tests needs for it, in order; none for a fixture of a conftest."""


@dataclass(frozen=True)
class Offers:
    """All that is given, and what it is good for; all names are of `given`."""

    given: Mapping[str, Given] = field(default_factory=dict)
    of_class: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Expressions that give an instance, by the names of its class and of those above it."""
    of_param: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Expressions that tests of the project give for a parameter, by `function.parameter`."""

    def fixtures(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of some names that are fixtures."""
        return tuple(name for name in names if name in self.given and self.given[name].fixture)


NOTHING_GIVEN = Offers()


def written_for(names: Iterable[str], given: Mapping[str, Given]) -> tuple[list[str], list[str]]:
    """Return the imports and the definitions that a file needs which uses some of what is given."""
    imports: dict[str, None] = {}
    texts: dict[str, None] = {}
    for name in _with_taken(names, given):
        imports.update(dict.fromkeys(given[name].imports))
        texts.update(dict.fromkeys(given[name].texts))
    return list(imports), list(texts)


def _with_taken(names: Iterable[str], given: Mapping[str, Given]) -> dict[str, None]:
    """Add what each takes, before it."""
    found: dict[str, None] = {}
    for name in names:
        if name in given and name not in found:
            found.update(_with_taken(given[name].takes, given))
            found[name] = None
    return found
