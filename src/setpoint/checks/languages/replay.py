"""What recording calls asks of a language: sources that note their calls, and what makes these again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from setpoint.checks.discovery.project import Project


class Started(NamedTuple):
    """A command that makes calls again."""

    argv: tuple[str, ...]
    variables: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Where calls are made again."""

    project: Project
    tree: Path
    scratch: Path
    """A folder of this run alone; nothing else may be written."""
    order: Path
    """The file that says which calls."""
    tests: tuple[str, ...] = ()
    """Tests from which the calls were recorded."""


class CallRecorder(Protocol):
    """Records and repeats calls of one language."""

    @property
    def runners(self) -> frozenset[str]:
        """Names of the suites whose tests it can record; the empty text for pytest and unittest."""

    def owns(self, path: str) -> bool:
        """Whether it can read a source."""

    def instrumented(
        self, path: str, source: bytes, names: Collection[str] | None, folder: str
    ) -> bytes | None:
        """Return a source whose functions note their calls; none where there are none.

        Args:
            path: The source in its tree.
            source: Its text.
            names: Qualified names of the functions; none for all.
            folder: Where the calls are noted.

        """

    def is_public(self, name: str) -> bool:
        """Whether users of the code may call a function of this qualified name."""

    def outside(self, replay: Replay) -> Started | None:
        """Return what makes the calls outside of any test; none where nothing can."""

    def control(self, replay: Replay) -> Started | None:
        """Write a bare test that makes the calls, and return what runs it without the project's set-up."""
