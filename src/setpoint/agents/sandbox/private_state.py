"""A copy of an agent's own state for one session: its transcripts go with it, a refreshed login stays."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.agents.launch import PrivateState
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.private_folder import private_folder
from setpoint.system.files.removal import remove_folder
from setpoint.system.processes.writable_paths import existing


@dataclass(frozen=True, kw_only=True)
class PrivateSession:
    """The state of one session, in a folder that is removed with it."""

    folder: Path
    environment: dict[str, str]
    """Variables that lead the agent to it."""
    logins: dict[Path, Path]
    """Files of the user with a login, by the link to each."""

    @classmethod
    def made(
        cls, state: PrivateState, environment: Mapping[str, str], sessions: Path | None
    ) -> PrivateSession:
        """Copy the configuration and link the login, as far as they exist for the agent's variables.

        The folder lies in `sessions`, because some agents trust no program below their TMPDIR.
        """
        folder = Path(tempfile.mkdtemp(dir=private_folder(sessions) if sessions else None)).resolve()
        variables = {name: str(folder / inside) for name, inside in state.variables.items()}
        for place in variables.values():
            Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)
        logins = {}
        for entries in (state.copied, state.login):
            for name, places in entries.items():
                if found := existing(places, environment):
                    inside = folder / name
                    inside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    if entries is state.copied:
                        shutil.copyfile(found[0], inside)
                    else:
                        inside.symlink_to(found[0])
                        logins[inside] = Path(found[0])
        return cls(folder=folder, environment=variables, logins=logins)

    def end(self) -> None:
        """Take over a login that the session replaced, unless the user's own is newer; remove the rest."""
        for inside, users in self.logins.items():
            try:
                mine = inside.lstat()
                if not inside.is_symlink() and mine.st_size and mine.st_mtime >= users.stat().st_mtime:
                    write_atomic_bytes(users, inside.read_bytes(), mode=0o600)
            except OSError:  # removed on either side: the user logged out meanwhile, and stays so
                continue
        remove_folder(self.folder)
