"""What an agent plug-in may ask of Setpoint while it works."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from setpoint.model.ids import Artifact


@dataclass(frozen=True, kw_only=True)
class CommandRequest:
    """One program to run, with its bounds."""

    argv: tuple[str, ...]
    """Program and arguments; no shell reads them."""
    cwd: Path
    """Where it runs."""
    environment: Mapping[str, str]
    """All variables that it sees; see `Toolkit.environment`."""
    timeout_s: float
    """Seconds from start to end; then all its processes are ended."""
    memory_bytes: int | None = None
    """Address space of each of its processes (Linux only); none: no limit."""


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """What came of a command."""

    exit_code: int | None
    """Its exit code, a signal as a negative number; none where Setpoint ended it.

    127: there is no such program, 126: it could not be started; `ending` then says why.
    """
    output: str = field(default="", repr=False)
    """Standard output; of a very long one the beginning and the end."""
    errors: str = field(default="", repr=False)
    """Standard error, like `output`."""
    ending: str = ""
    """How it ended, in words."""
    duration_s: float = 0.0


class Toolkit(Protocol):
    """The host of an agent plug-in: runs its commands, keeps its files, renders its prompts."""

    @property
    def scratch(self) -> Path:
        """Folder for files that outlive one attempt, such as copies of a tree; made by whoever uses it."""

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables that a command may see, with `extra` on top; secrets are not among them."""

    async def run_command(
        self, request: CommandRequest, on_line: Callable[[bytes], None] | None = None
    ) -> CommandResult:
        """Run a command to its end; none of its processes outlives it, also where this is cancelled.

        `on_line` gets each line of either stream as it comes. A command that cannot be started is a result.
        """

    def keep(self, text: str) -> Artifact:
        """Keep a text, such as a transcript, with the evidence of the run; returns its sha256."""

    def render(self, template: str, variables: Mapping[str, object]) -> str:
        """Render a prompt template by name; the project's own template of that name goes first."""
