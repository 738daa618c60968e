"""The port to the history of lines and commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from setpoint.model.ids import Commit, TraceId
from setpoint.model.production import Blame, Change, Frame


class Lineage(Protocol):
    """How the code came to be what it is; asked for the change behind a signal from production."""

    async def brought(self, older: Commit, newer: Commit) -> tuple[Change, ...]:
        """Return the commits that `newer` holds and `older` does not, newest first."""

    async def blamed(self, at: Commit, frames: Sequence[Frame]) -> tuple[Blame, ...]:
        """Return the commits behind the lines that frames name and near them; none for foreign frames."""

    async def told(self, commits: Collection[Commit]) -> tuple[Change, ...]:
        """Describe commits, newest first; those that are not there are left out."""

    async def holds(self, commit: Commit, run: TraceId, since: datetime) -> bool:
        """Return whether a commit holds what a run delivered, which was merged `since` then."""
