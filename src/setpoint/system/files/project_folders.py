"""Where the things of one repository lie: its tree, the state kept in it, and the copies kept outside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class ProjectFolders(NamedTuple):
    """The folders of one repository, absolute."""

    root: Path
    """The user's work tree."""
    state: Path
    """Events, tokens, artifacts, snapshots: what cannot be made again."""
    copies: Path
    """Work copies and measured copies, in the cache folder of the user: all of it can be made again."""

    def work_of(self, trace: str) -> Path:
        """Name the work copy of a run: it has the name of the repository, which code may ask for."""
        return self.copies / "work" / trace / (self.root.name or _NAMELESS)

    def measured_of(self, trace: str) -> Path:
        """Name the place in which a run's trees are measured, with the name of the repository, too."""
        return self.copies / "measured" / trace / (self.root.name or _NAMELESS)


_NAMELESS = "tree"
"""Name of the copies of a repository at the root of the file system."""
