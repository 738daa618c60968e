"""What is run, and what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from setpoint.model.config.sandbox import Means
from setpoint.system.processes.confinement import Confinement

NOT_HELD = str(Means.NONE)
"""What a command says that nothing kept from writing elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One program to be run, with all its bounds."""

    argv: tuple[str, ...]
    """Program and arguments; no shell reads them. The program is looked up in the PATH of `environment`."""
    cwd: Path
    """Where it runs."""
    environment: Mapping[str, str] | None = None
    """Its complete environment; none means `clean_environment()`."""
    timeout_s: float
    """Seconds from start to end; then the whole tree is ended. `spawn` leaves the clock to its caller."""
    idle_s: float | None = None
    """Seconds without a byte on either stream; none means any number."""
    stdin: bytes = b""
    """What it reads; nothing means the null device."""
    keep_bytes: int = 400_000
    """How much is kept of each stream: its beginning and its end, half of it each."""
    memory_bytes: int | None = None
    """Address space of each process (Linux only).

    Node, Go and sanitizers reserve far more than they use: leave it out for these.
    """
    file_bytes: int = 8 << 30
    """Largest file a process may write."""
    merge_stderr: bool = False
    """Whether both streams come as one, in the order of writing, in `stdout`."""
    grace_s: float = 2.0
    """Seconds between SIGTERM and SIGKILL when the tree is ended."""
    confinement: Confinement | None = None
    """What keeps it from writing elsewhere; none lets the block decide in which it starts (`holding`)."""
    writes: tuple[Path, ...] = ()
    """Where it may write beside its tree and its home, if the block holds it; missing folders are made."""
    lasting: Path | None = None
    """One of those, for package caches that the next command of this tool finds as well."""

    def __str__(self) -> str:
        """Return the command as one would type it."""
        return shlex.join(self.argv)


@dataclass(frozen=True, kw_only=True)
class Completed:
    """What came of a command."""

    command: Command
    exit_code: int | None
    """Its own exit code, a signal as a negative number; none where it was ended by us.

    127: no such program or directory, 126: it could not be started; `fault` then says why.
    """
    timed_out: bool = False
    """Ended because `timeout_s` was over."""
    idled: bool = False
    """Ended because it had been silent for `idle_s`."""
    halted: bool = False
    """Ended because whoever runs it wanted no more of it."""
    stdout: bytes = b""
    """What was kept of it; a line that says how much marks the place where bytes were dropped."""
    stderr: bytes = b""
    held: str = NOT_HELD
    """What kept it from writing elsewhere: landlock, bwrap or none."""
    writable: tuple[str, ...] = ()
    """Where it could write, if it was held."""
    dropped_bytes: int = 0
    """Bytes of both streams that were read and not kept."""
    left_behind: int = 0
    """Processes still running when the command itself had ended; they were ended too."""
    started_at: datetime
    duration_s: float
    too_long: bool = False
    """It could not be started because its arguments are longer than the system takes."""
    fault: str = ""
    """Why it could not be started or watched; empty where it ran."""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are shown as replacement characters."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        """Standard error as text, like `text`."""
        return self.stderr.decode("utf-8", "replace")

    @property
    def ending(self) -> str:
        """Say in words how it ended, for messages to people."""
        if self.fault:
            return self.fault
        if self.timed_out:
            return f"ended after its {self.command.timeout_s:g} s were over"
        if self.idled:
            return f"ended after {self.command.idle_s:g} s of silence"
        if self.exit_code is None:
            return "was ended"
        return (
            f"was killed by signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"
        )
