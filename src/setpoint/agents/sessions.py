"""The sessions that later attempts can resume, stored so that another process finds them too."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import ValidationError

from setpoint.model.attempt import Brief
from setpoint.model.value import Usd, Value
from setpoint.system.files.atomic import write_atomic_bytes


class KeptSession(Value):
    """State of an agent's session after its last attempt."""

    session: str
    """The agent's own name of it."""
    resumable: bool = False
    """Whether the agent can open it again in another process."""
    cost_usd: Usd | None = None
    """Its cost, if the agent counts by session."""
    tokens: tuple[int, ...] | None = None
    """Its input, output and cached tokens and more of that kind, where the agent counts by session."""


class Sessions:
    """A folder with one small file for each session of each agent."""

    def __init__(self, folder: Path) -> None:
        """Nothing is made before a session is kept."""
        self._folder = folder

    def find(self, agent: str, brief: Brief) -> KeptSession | None:
        """Return the session that an attempt with this brief resumes; none: it begins a new one."""
        try:
            return KeptSession.model_validate_json(self._path(agent, brief).read_bytes())
        except (OSError, ValidationError):
            return None  # never kept, or cut short by a power failure: a new session does as well

    def keep(self, agent: str, brief: Brief, session: KeptSession) -> None:
        """Keep a session for the next attempt in it."""
        write_atomic_bytes(self._path(agent, brief), session.model_dump_json().encode())

    def forget(self, agent: str, brief: Brief) -> None:
        """Have the next attempt begin a new session."""
        self._path(agent, brief).unlink(missing_ok=True)

    def _path(self, agent: str, brief: Brief) -> Path:
        about = f"{agent}\0{brief.role}\0{brief.session}\0{brief.workdir}"
        return self._folder / f"{hashlib.sha256(about.encode()).hexdigest()[:32]}.json"
