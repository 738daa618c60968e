"""A repository to spoil for `bench/faults.py`, and what a situation says of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_SET = ("user.name=Bench", "user.email=bench@localhost", "commit.gpgsign=false", "protocol.file.allow=always")
GIT: tuple[str, ...] = ("git", *(word for each in _SET for word in ("-c", each)))
KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
_OVERRIDE = "-dac_override,-dac_read_search"
BY_PERMISSIONS = ("setpriv", f"--inh-caps={_OVERRIDE}", f"--bounding-set={_OVERRIDE}", "--")
"""Runs a command as the same user, without root's right to ignore file permissions."""
NEWER = "UPDATE alembic_version SET version_num = '9999', oldest = '9999'"


@dataclass
class Scratch:
    """A repository to spoil, and how the verbs are called in it."""

    root: Path
    cache: Path
    python: str = sys.executable
    under: tuple[str, ...] = ()
    """What the command line is called through."""
    environment: dict[str, str | None] = field(default_factory=dict)
    undo: list[Callable[[], object]] = field(default_factory=list)

    @property
    def state(self) -> Path:
        """The folder of the state."""
        return self.root / ".setpoint"

    @property
    def database(self) -> Path:
        """The file of the record."""
        return self.state / "app.db"

    def git(self, *words: str) -> str:
        """Run git in the repository."""
        return subprocess.run(
            [*GIT, *words], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    def write(self, name: str, text: str | bytes, *, commit: bool = True) -> None:
        """Write a file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        if commit:
            self.git("add", "-A")
            self.git("commit", "-q", "-m", f"write {name}")

    def moved(self, into: Callable[[Path], object]) -> None:
        """Put another kind of clone in the place of the repository, with the state of the old one."""
        old = self.root.with_name("origin")
        self.root.rename(old)
        into(old)
        shutil.copytree(old / ".setpoint", self.state, symlinks=True)
        shutil.rmtree(old / ".setpoint")


@dataclass(frozen=True)
class Situation:
    """One thing that is odd or wrong."""

    name: str
    prepare: Callable[[Scratch], object]
    never_ok: tuple[str, ...] = ()
    """Verbs that may not end well: what they would say was not measured, or is not so."""
    holds: bool = True
    """Whether the record is expected to be whole afterwards; otherwise the situation itself takes it away."""
    says: str = ""
    """Words that one of the verbs has to say."""
