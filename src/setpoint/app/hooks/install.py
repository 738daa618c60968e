"""Hooks put into the settings of an agent or into a repository of git, shown before they are written."""

from __future__ import annotations

import asyncio
import difflib
import json
import shlex
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from setpoint.agents.hooks.formats import format_of
from setpoint.agents.hooks.settings_file import with_hooks, without_hooks
from setpoint.app.hooks import git_hooks
from setpoint.app.hooks.session_file import folder_of
from setpoint.errors import UsageError
from setpoint.system.files.atomic import write_atomic, write_atomic_bytes
from setpoint.system.git.git import git, repository_root
from setpoint.system.git.hooks_folder import hooks_folder
from setpoint.wiring.project import Project

GIT = "git"
_MARGIN_S = 30.0
"""Seconds that an agent waits longer than Setpoint: for its start, and for the end of its processes."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """A file as it is and as it would become; none: it does not exist."""

    path: Path
    before: str | None
    after: str | None
    mode: int = 0o644

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ((each or "").splitlines(keepends=True) for each in (self.before, self.after))
        was, becomes = ("/dev/null" if each is None else str(self.path) for each in (self.before, self.after))
        lines = difflib.unified_diff(old, new, was, becomes)
        return "".join(each if each.endswith("\n") else f"{each}\n" for each in lines)

    def write(self) -> None:
        """Write the file, or remove it together with the folder it alone was in."""
        if self.after is not None:
            # Through a link, so that a file that lies elsewhere is changed and not replaced.
            write_atomic_bytes(
                self.path.resolve(), self.after.encode("utf-8", "surrogateescape"), mode=self.mode
            )
            return
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # something else is in it
            self.path.parent.rmdir()


def installation(project: Project, name: str) -> tuple[FileChange, ...]:
    """Return what installing hooks for an agent, or for git, changes; empty where they are installed."""
    if name == GIT:
        folder = hooks_folder(project.root)
        return _real(
            _change(folder / hook, text, mode) for hook, text, mode in git_hooks.installed(folder, _program())
        )
    form = format_of(name)
    path = project.root / form.file
    terms = project.settings.hooks
    entries = form.entries(_program(), name, terms.limit_s + _MARGIN_S, terms.max_blocks)
    text = with_hooks(_text(path) or "", str(path), form, entries)
    return _real([_change(path, text)])


def removal(where: Path, name: str) -> tuple[FileChange, ...]:
    """Return what removing the hooks changes; a file that nobody changed since becomes what it was."""
    root = repository_root(where)
    if name == GIT:
        folder = hooks_folder(root)
        return _real(_change(folder / hook, text, mode) for hook, text, mode in git_hooks.removed(folder))
    path = root / format_of(name).file
    now, noted = _text(path), _notes(root).get(name, {})
    if now is None:
        return ()
    if noted.get("after") == now:
        return _real([_change(path, noted.get("before"))])
    return _real([_change(path, without_hooks(now, str(path)) or None)])


def apply(where: Path, name: str, changes: tuple[FileChange, ...], *, install: bool) -> None:
    """Write what was shown; raises `UsageError` where a file was changed meanwhile."""
    for each in changes:
        if _text(each.path) != each.before:
            raise UsageError(
                f"{each.path}: was changed meanwhile; nothing was written", hint="repeat the command"
            )
    root = repository_root(where)
    notes = _notes(root)
    if name != GIT:
        (change,) = changes
        noted = notes.pop(name, {})
        if install:
            # Over an older installation of ours, what was there before that one counts.
            first = noted.get("before") if noted.get("after") == change.before else change.before
            notes[name] = {"before": first, "after": change.after}
    for each in changes:
        each.write()
    write_atomic(_notes_file(root), json.dumps(notes))


def next_step(name: str) -> str:
    """Say what the user has to do after an installation."""
    return "commit or push as always" if name == GIT else format_of(name).next


def _real(changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    return tuple(each for each in changes if each.before != each.after)


def _change(path: Path, after: str | None, mode: int | None = None) -> FileChange:
    before = _text(path)
    held = stat.S_IMODE(path.stat().st_mode) if before is not None and mode is None else mode
    return FileChange(path=path, before=before, after=after, mode=held or 0o644)


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read: {error.strerror}", hint="make it a readable file"
        ) from None


def _program() -> str:
    """Return the command of this Setpoint, by its whole path: agents start hooks with another PATH."""
    script = Path(sys.executable).with_name("setpoint")
    return shlex.quote(str(script)) if script.exists() else f"{shlex.quote(sys.executable)} -P -m setpoint"


def _notes_file(root: Path) -> Path:
    git_dir = asyncio.run(git(root, "rev-parse", "--absolute-git-dir")).text
    return folder_of(Path(git_dir)) / "installed.json"


def _notes(root: Path) -> dict[str, dict[str, str | None]]:
    try:
        held = json.loads(_notes_file(root).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}
