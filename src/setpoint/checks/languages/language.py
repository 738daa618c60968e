"""What the rest of Setpoint asks of a programming language; each folder beside this file answers for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from setpoint.checks.languages.changed_function import ChangedFunction


class Statement(NamedTuple):
    """One statement outside functions, which runs when its file is loaded."""

    path: str
    line: int
    """Its first line, 1-based."""
    last: int
    text: str
    """How it begins, on one line."""
    stood: bool
    """Whether the base binds the same names there, so that their values are changed and not new."""

    def __str__(self) -> str:
        """Return it as people name it."""
        return f"{self.path}:{self.line} ({self.text})"


@dataclass(frozen=True, kw_only=True)
class ChangedCode:
    """What of a file's code differs from the base."""

    functions: tuple[ChangedFunction, ...] = ()
    """Functions that are new or have another body, each with the ways to break it."""
    statements: tuple[Statement, ...] = ()
    """Outside functions, where their mutants can be judged."""
    unread: tuple[str, ...] = ()
    """What cannot be broken here, in words: `src/x.vue`, or `lib.ts, for which an extra is missing`."""


@dataclass(frozen=True, kw_only=True)
class CanaryRequest:
    """Where tests of known outcome are wanted."""

    tree: Path
    """The result, checked out."""
    runner: str
    """The suite that runs them: `pytest`, `unittest`, `go_test`, `vitest`, ..."""
    folders: tuple[str, ...]
    """Folders in which that suite starts; empty text for the root."""
    beside: tuple[str, ...]
    """Tests of the change, or else others that pass; the canary runs beside them."""
    code: Mapping[str, bytes]
    """Changed sources of the language outside the tests, by path."""


@dataclass(frozen=True, kw_only=True)
class Canary:
    """Tests of one runner whose outcomes are known before."""

    files: Mapping[str, str] = field(default_factory=dict)
    """New files, by path."""
    appended: Mapping[str, str] = field(default_factory=dict)
    """What is added at the end of files of the tree, by path."""
    failing: frozenset[str] = frozenset()
    """Identifiers of tests that must fail."""
    passing: frozenset[str] = frozenset()
    """Identifiers of tests that must pass."""
    never_pass: frozenset[str] = frozenset()
    """Tests that must fail among others, whose marks may leave them out: that they pass is what counts."""

    @property
    def tests(self) -> tuple[str, ...]:
        """Return all identifiers."""
        return tuple(sorted({*self.failing, *self.passing, *self.never_pass}))


class Language(Protocol):
    """One programming language."""

    @property
    def name(self) -> str:
        """Its name in a sentence: `Python`, `JavaScript and TypeScript`."""

    @property
    def runners(self) -> frozenset[str]:
        """Names of the suites whose tests run its code; the empty text for pytest and unittest."""

    def owns(self, path: str) -> bool:
        """Whether a file is a source in this language."""

    def changed(self, path: str, before: bytes | None, after: bytes) -> ChangedCode:
        """Return what of a file's code differs from the base; `before` is none for a new file."""

    def functions(self, path: str, source: bytes) -> tuple[ChangedFunction, ...]:
        """Return all functions of a file, with the ways to break each."""
        return self.changed(path, None, source).functions

    def same_program(self, before: bytes, after: bytes, path: str) -> bool:
        """Whether two texts of a file differ in comments, documentation and layout alone."""

    def same_but_types(self, before: bytes, after: bytes, path: str) -> bool:  # noqa: ARG002 -- languages without such annotations
        """Whether two texts of a file differ in annotations of types alone."""
        return False

    def lost_names(
        self,
        before: Mapping[str, bytes],  # noqa: ARG002 -- a language without public names loses none
        after: Mapping[str, bytes],  # noqa: ARG002 -- as above
    ) -> dict[str, str]:
        """Return public names that cannot be used any more as at the base, each with why."""
        return {}

    def unread(self, paths: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 -- others need an extra
        """Return those of the paths that cannot be parsed here because an extra is not installed."""
        return ()

    def canaries(self, request: CanaryRequest) -> tuple[Canary, ...]:  # noqa: ARG002 -- others have runners
        """Write tests that must fail and tests that must pass; none where no place is known for them."""
        return ()

    def inline_tests(self, path: str, source: bytes) -> frozenset[str]:  # noqa: ARG002 -- others have some
        """Return names of tests inside a source; none for most languages."""
        return frozenset()

    def with_tests_of(self, code: bytes, tests: bytes, path: str) -> bytes:  # noqa: ARG002 -- as above
        """Return the code of one text of a file with the inline tests of another."""
        return code
