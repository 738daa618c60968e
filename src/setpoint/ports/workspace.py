"""The port to work copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from setpoint.model.attempt import Attempt
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.run import Snapshot


class WorkCopy(NamedTuple):
    """A place where an agent may work."""

    trace_id: TraceId
    path: str
    """Root of the work copy."""
    base: Commit
    """The commit it started from."""
    base_tree: Tree
    """The content of that commit."""
    repository: str = ""
    """Setpoint's own git directory for it, out of the agent's reach; empty: the `.git` inside."""


class Workspace(Protocol):
    """Work copies of the user's repository; the user's own tree is never touched."""

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Make the work copy of a run, or open it again; uncommitted work of an ended attempt is salvaged."""

    async def find(self, copy: WorkCopy, label: str) -> Snapshot | None:
        """Return the snapshot made under this label, if there is one."""

    async def snapshot(
        self,
        copy: WorkCopy,
        label: str,
        attempt: Attempt,
        restored: Sequence[str] = (),
        *,
        stay: bool = False,
    ) -> Snapshot:
        """Commit the content of the work copy under a label; a repeated label returns the first commit.

        With `stay` the work copy stays where it is: who works there finds the same changes, uncommitted.
        """

    async def restore(
        self, copy: WorkCopy, commit: Commit, *, of: WorkCopy | None = None, shows: Commit | None = None
    ) -> None:
        """Make the work copy equal a commit, ignored files included; uncommitted work is salvaged first.

        A commit `of` another work copy is fetched from there, and kept here from then on. Then the files are
        made those of the commit `shows`; its changes are uncommitted.
        """

    async def diff(self, copy: WorkCopy, base: Commit, head: Commit) -> str:
        """Return the change between two commits as a unified diff."""


@runtime_checkable
class RecallsEdits(Protocol):
    """A workspace that can undo what `open` did to uncommitted work; without it such work stays salvaged."""

    async def recall(self, copy: WorkCopy) -> bool:
        """Put the work that `open` salvaged back into the files, uncommitted; false if there was none.

        A session that is continued after the end of Setpoint meets the files that it left.
        """


class CopyLoss(NamedTuple):
    """A work copy that `open` did not find where it was."""

    former: str
    """Where it was."""
    commit: Commit
    """What the new one was made from."""
    kept: bool
    """Whether its uncommitted edits were brought along; if not, they are gone."""


@runtime_checkable
class NoticesLosses(Protocol):
    """A workspace that notices when a work copy is not where it was; without it nobody does."""

    def loss(self, copy: WorkCopy) -> CopyLoss | None:
        """Return what `open` did to a work copy that it did not find; none where it found it."""


@runtime_checkable
class RemakesCopies(Protocol):
    """A workspace that notices when the folder of a work copy is deleted; without it nobody does."""

    async def remade(self, copy: WorkCopy) -> bool:
        """Make a work copy again whose folder was deleted; whether that was so since the last question."""


@runtime_checkable
class DropsCopies(Protocol):
    """A workspace that can remove a work copy; without it each stays until its run is removed."""

    async def drop(self, copy: WorkCopy) -> None:
        """Remove a work copy with all that was recorded of it."""
