"""Where sessions of agents are remembered: in git's own folder of the work tree, which needs no settings."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path

from setpoint.model.hooks import CheckState, HookSession, TreeCheck
from setpoint.system.files.atomic import write_atomic

_KEPT_S = 30 * 86_400.0


def folder_of(git_dir: Path) -> Path:
    """Name the folder for the hooks of a work tree."""
    return git_dir / "setpoint" / "hooks"


class SessionFile:
    """The memory of one session."""

    def __init__(self, git_dir: Path, agent: str, session: str) -> None:
        """Name the file; nothing is made yet."""
        name = hashlib.sha256(f"{agent}\0{session}".encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self._path = folder_of(git_dir) / "sessions" / f"{name}.json"

    def read(self) -> HookSession:
        """Return what is remembered; a new session where nothing is, or where it cannot be read."""
        try:
            held = json.loads(self._path.read_bytes())
            last = held.pop("last")
            if last is not None:
                last = TreeCheck(**{**last, "state": CheckState(last["state"])})
            return HookSession(**held, last=last)
        except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
            return HookSession()

    def write(self, session: HookSession) -> None:
        """Remember a session."""
        write_atomic(self._path, json.dumps(asdict(session)), flush=False)

    def forget_old(self) -> None:
        """Remove sessions of which nothing was heard for thirty days."""
        before = time.time() - _KEPT_S
        for each in self._path.parent.glob("*.json"):
            if each.stat().st_mtime < before:
                each.unlink(missing_ok=True)
